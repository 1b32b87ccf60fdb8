"""Structure from the loop: a schema becomes a bounded shape, the shape a grammar, and the grammar a
mask over another predictor.

From schema to shape: refs.py, demand.py, conjoin.py, build.py with records.py, arrays.py and
scalars.py, exclusive.py and leaves.py (`not`, `oneOf`), distinct.py (`uniqueItems`), verdict.py,
formats.py, shape.py. The grammar: matcher.py (llguidance, byte by byte), mask.py (the predictor
that keeps to it). The predictor inside, which makes values look sensible: values.py with cursor.py,
choices.py, numbers.py, steer.py, kinds.py, facts.py and prose.py.
"""
