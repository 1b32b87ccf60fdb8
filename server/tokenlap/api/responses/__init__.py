"""POST /v1/responses and all that belongs to it: items in, items out, stored, in the background."""
