"""The command line: one file for the commands, one for what `serve` sets up."""
