"""The pure parts of the benchmarks: counting, comparing, drawing."""
