"""Tests of the plans of replies."""
