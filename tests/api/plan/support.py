"""What the tests of plans share: tools, schemas, and what the default model answers."""

from typing import Any

from tests.support import Json, application

CITY: Json = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER: Json = {
    "type": "function",
    "function": {"name": "get_weather", "description": "The weather", "parameters": CITY},
}
CODE: Json = {"type": "custom", "custom": {"name": "run_code", "description": "Runs code"}}


def format_of(schema: Json, name: str = "it", **more: object) -> Json:
    return {"type": "json_schema", "json_schema": {"name": name, "schema": schema, **more}}


async def answer(asked: str | list[Json], path: str = "chat/completions", **options: Any) -> Json:
    """The body of a blocking answer of the default model."""
    messages = [{"role": "user", "content": asked}] if isinstance(asked, str) else asked
    body = {"model": "gpt-4o", "messages": messages, **options}
    async with application() as client:
        response = await client.post(f"/v1/{path}", json=body)
    assert response.status_code == 200, response.text
    found: Json = response.json()
    return found


async def choice(asked: str | list[Json], **options: Any) -> Json:
    found: Json = (await answer(asked, **options))["choices"][0]
    return found


async def message(asked: str | list[Json], **options: Any) -> Json:
    found: Json = (await choice(asked, **options))["message"]
    return found
