"""Print a reply while it is being written, with the official client.

OpenAI() reads OPENAI_BASE_URL and OPENAI_API_KEY.
"""

from openai import OpenAI

client = OpenAI()

stream = client.chat.completions.create(
    model="tokenlap",
    messages=[{"role": "user", "content": "What is a token?"}],
    stream=True,
)
for chunk in stream:
    print(chunk.choices[0].delta.content or "", end="", flush=True)
print()
