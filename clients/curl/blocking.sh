#!/bin/sh
# The same tokens, kept by the server until the last one; Server-Timing tells when they were made.
curl -sS -D /dev/stderr "$OPENAI_BASE_URL/chat/completions" \
  -H "Authorization: Bearer $OPENAI_API_KEY" \
  -H "Content-Type: application/json" \
  -d '{
    "model": "tokenlap",
    "messages": [{"role": "user", "content": "What is a token?"}]
  }'
