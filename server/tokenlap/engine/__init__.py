"""The lesson: predict, sample, append, stop? No I/O, no clock, no pydantic."""
