"""When laps leave, and how: the only room with a clock and the only one that knows server-sent
events.
"""
