"""Structure from the loop: a schema becomes a bounded shape, the shape a grammar, and the grammar a
mask over another predictor.

shape.py says what a value may be. refs.py, conjoin.py, build.py, exclusive.py and distinct.py read
a caller's JSON schema into a shape; matcher.py (llguidance) follows a grammar byte by byte; mask.py
is the predictor that keeps to it; cursor.py, facts.py, kinds.py and values.py are the predictor
inside, which makes values look sensible.
"""
