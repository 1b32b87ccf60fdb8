"""A mock OpenAI backend that really runs the autoregressive loop."""
