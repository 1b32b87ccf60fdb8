"""POST /v1/chat/completions: request model, encoder, fold, route, one file each."""
