"""One file per endpoint: request model, encoder, fold, route, always in that order."""
