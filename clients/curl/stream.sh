#!/bin/sh
# One `data:` line for each token, at the moment the loop has written it; then [DONE].
curl -sSN "$OPENAI_BASE_URL/chat/completions" \
  -H "Authorization: Bearer $OPENAI_API_KEY" \
  -H "Content-Type: application/json" \
  -d '{
    "model": "tokenlap",
    "messages": [{"role": "user", "content": "What is a token?"}],
    "stream": true
  }'
