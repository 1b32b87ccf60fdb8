"""Tests of structure: schemas, grammars, and the values written under them."""
