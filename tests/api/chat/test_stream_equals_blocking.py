"""Blocking is the stream, folded: for every feature, what a client makes of the deltas is what it
gets in one piece.
"""

import pytest

from tests import spec
from tests.api.chat.support import Models, fixed, refolded
from tests.support import (
    Json,
    application,
    bytewise,
    chat,
    chunks_of,
    data_of,
    joined,
    marked,
    scripted,
)

TEXT = "Sure! Here is the answer: 42\nUser: and now?"
ANSWER = "<|end|><|start|>assistant<|message|>"
THOUGHT = "<|end|><|start|>assistant reasoning<|message|>Six times seven."
CALL = '<|end|><|start|>assistant to=find<|message|>{"q": "fig"}'
TRACE = {"X-Tokenlap-Trace": "1"}
SCORED = {"logprobs": True, "top_logprobs": 3}
DEFAULT: Json = {"model": "tokenlap", "max_tokens": 40}
FRUIT = {
    "type": "object",
    "properties": {"fruit": {"type": "string"}, "count": {"type": "integer"}},
    "required": ["fruit", "count"],
    "additionalProperties": False,
}
FIND = {"name": "find", "parameters": FRUIT}
TOOLS: Json = {
    "model": "tokenlap",
    "max_tokens": 200,
    "tools": [{"type": "function", "function": FIND}],
}
NAMED = {"type": "function", "function": {"name": "find"}}
JSON: Json = {
    "model": "tokenlap",
    "max_tokens": 300,
    "messages": [{"role": "user", "content": "A fruit, as JSON, please"}],
}
SCHEMA = {"type": "json_schema", "json_schema": {"name": "fruit", "schema": FRUIT, "strict": True}}
SUM: Json = {"max_tokens": 300, "messages": [{"role": "user", "content": "What is 482 * 194?"}]}

FEATURES: dict[str, tuple[Models, Json, dict[str, str]]] = {
    "plain": (scripted(TEXT), {}, {}),
    "nothing": (scripted(""), {}, {}),
    "stop": (scripted(TEXT), {"stop": ["\nUser:"]}, {}),
    "stop at once": (scripted(TEXT), {"stop": "Sure"}, {}),
    "several stops": (scripted(TEXT), {"stop": ["zz", " answer", "!"]}, {}),
    "stop, shown": (scripted(TEXT), {"stop": "!", "include_stop_str_in_output": True}, {}),
    "held to the end": (scripted("colour?"), {"stop": ["?!END"]}, {}),
    "stop token": (scripted(TEXT), {"stop_token_ids": [0]}, {}),
    "length": (scripted(TEXT), {"max_tokens": 3}, {}),
    "usage": (scripted(TEXT), {"stop": ["42"]}, {}),
    "logprobs": (scripted(TEXT), {"logprobs": True}, {}),
    "top_logprobs": (scripted(TEXT), SCORED, {}),
    "logprobs up to a stop": (scripted(TEXT), {**SCORED, "stop": "answer"}, {}),
    "logprobs of nothing": (scripted(""), SCORED, {}),
    "trace": (scripted(TEXT), {}, TRACE),
    "trace and logprobs": (scripted(TEXT), {**SCORED, "stop": [": 42"]}, TRACE),
    "emoji bytewise": (bytewise("a 🦜é"), {}, {}),
    "emoji bytewise, scored and traced": (bytewise("a 🦜é"), SCORED, TRACE),
    "half an emoji, scored": (bytewise("a 🦜"), {**SCORED, "max_tokens": 4}, {}),
    "refusal": (marked("<|start|>assistant refusal<|message|>I will not."), {}, {}),
    "refusal, scored": (marked("<|start|>assistant refusal<|message|>No."), SCORED, TRACE),
    "refusal after an answer": (
        marked("Well.<|end|><|start|>assistant refusal<|message|>No."),
        SCORED,
        {},
    ),
    "reasoning": (marked(THOUGHT + ANSWER + "42."), {}, {}),
    "reasoning, scored and traced": (marked(THOUGHT + ANSWER + "42."), SCORED, TRACE),
    "reasoning cut off": (marked(THOUGHT), {"max_tokens": 6}, {}),
    "reasoning and a refusal": (
        marked(THOUGHT + "<|start|>assistant refusal<|message|>No."),
        SCORED,
        {},
    ),
    "a tool call": (marked(CALL + "<|call|>"), {}, {}),
    "a tool call, scored and traced": (marked(CALL + "<|call|>"), SCORED, TRACE),
    "a tool call cut off": (marked(CALL), {"max_tokens": 9}, {}),
    "two tool calls": (marked(CALL + CALL + "<|call|>"), {}, {}),
    "an answer and a tool call": (marked("Let me see." + CALL + "<|call|>"), SCORED, {}),
    "reasoning and a tool call": (marked(THOUGHT + CALL + "<|call|>"), {}, {}),
    "n": (scripted(TEXT), {"n": 3}, {}),
    "n calls": (marked(CALL + "<|call|>"), {"n": 2}, TRACE),
    "the default model": ({}, DEFAULT, {}),
    "n of the default model": ({}, {**DEFAULT, **SCORED, "n": 3}, TRACE),
    "seed": ({}, {**DEFAULT, "seed": 7, "n": 2}, {}),
    "greedy": ({}, {**DEFAULT, "temperature": 0, "n": 2}, {}),
    "hot": ({}, {**DEFAULT, **SCORED, "temperature": 2, "top_p": 0.9}, TRACE),
    "penalties": (
        {},
        {**DEFAULT, "frequency_penalty": 2, "presence_penalty": -1, "repetition_penalty": 1.3},
        TRACE,
    ),
    "bias": ({}, {**DEFAULT, **SCORED, "logit_bias": {"13": -100, "290": 20}}, TRACE),
    "min_tokens": (scripted("a b"), {"min_tokens": 12, "max_tokens": 30}, TRACE),
    "end token off": (scripted("a b"), {"ignore_eos": True, "max_tokens": 12}, TRACE),
    "a forced call": ({}, {**TOOLS, "tool_choice": "required"}, {}),
    "a named call, scored and traced": ({}, {**TOOLS, **SCORED, "tool_choice": NAMED}, TRACE),
    "tools that may be called": ({}, {**TOOLS, "n": 2}, {}),
    "the older functions": (
        {},
        {**DEFAULT, "functions": [FIND], "function_call": {"name": "find"}},
        {},
    ),
    "a json object": ({}, {**JSON, "response_format": {"type": "json_object"}}, {}),
    "a json schema": ({}, {**JSON, **SCORED, "response_format": SCHEMA, "n": 2}, TRACE),
    "a json schema cut off": ({}, {**JSON, "response_format": SCHEMA, "max_tokens": 4}, {}),
    "reasoning effort": ({}, {**DEFAULT, **SUM, "reasoning_effort": "high"}, TRACE),
    "table": ({}, {"model": "table", "messages": [{"role": "user", "content": "is"}]}, TRACE),
}


@pytest.mark.parametrize(("models", "options", "headers"), FEATURES.values(), ids=FEATURES.keys())
async def test_the_blocking_answer_is_the_stream_folded(
    models: Models, options: Json, headers: dict[str, str]
) -> None:
    asked = chat("Tell me about tokens", **options)
    streaming = {**asked, "stream": True, "stream_options": {"include_usage": True}}
    async with application(**fixed(models)) as client:
        path = "/v1/chat/completions"
        blocking = (await client.post(path, json=asked, headers=headers)).json()
        body = (await client.post(path, json=streaming, headers=headers)).text

    chunks = chunks_of(body)
    assert refolded(chunks) == blocking
    for choice in blocking["choices"]:
        assert joined(chunks, choice["index"]) == (choice["message"]["content"] or "")
    assert data_of(body)[-1] == "[DONE]"
    spec.check("CreateChatCompletionResponse", blocking)
    for chunk in chunks:
        spec.check("CreateChatCompletionStreamResponse", chunk)
    if not headers and "reasoning_content" not in body:
        assert spec.strangers("CreateChatCompletionResponse", blocking) == []
        assert not [
            s for c in chunks for s in spec.strangers("CreateChatCompletionStreamResponse", c)
        ]
