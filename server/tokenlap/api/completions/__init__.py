"""POST /v1/completions: request model, encoder, fold, route, one file each."""
