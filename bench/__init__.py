"""The benchmarks: what an event costs, how punctual it is, and how others compare."""
