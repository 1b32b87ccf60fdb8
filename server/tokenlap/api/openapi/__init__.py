"""/openapi.json: what is served, as an OpenAPI 3.1 document; a table of operations, the schemas of
the answers, and what puts them together.
"""
