"""The baselines: a bare ASGI application and a minimal FastAPI one, which send prepared bytes."""
