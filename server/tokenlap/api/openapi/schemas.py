"""The objects that are answered, as JSON schemas: what is always there, and what it is.

Source: our own encoders; the names of the objects are those of the API reference. Objects are open:
what a schema does not name may be added.
"""

from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
COUNT: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
BOOLEAN: Schema = {"type": "boolean"}
ANY_OBJECT: Schema = {"type": "object"}


def ref(name: str) -> Schema:
    """Return a reference to a schema of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def array(items: Schema) -> Schema:
    """Return the schema of an array."""
    return {"type": "array", "items": items}


def nullable(schema: Schema) -> Schema:
    """Return the schema of a value that may be null."""
    return {"anyOf": [schema, {"type": "null"}]}


def words(*values: str) -> Schema:
    """Return the schema of one of these texts."""
    return {"type": "string", "enum": list(values)}


def always(optional: dict[str, Schema] | None = None, **required: Schema) -> Schema:
    """Return the schema of an object with these properties, and perhaps the optional ones."""
    properties = {**required, **(optional or {})}
    return {"type": "object", "properties": properties, "required": list(required)}


def page(items: Schema) -> Schema:
    """Return the schema of a list that comes in pages."""
    ends = {"first_id": TEXT, "last_id": TEXT}
    return always(object=words("list"), data=array(items), has_more=BOOLEAN, **ends)


def deleted(kind: str) -> Schema:
    """Return the schema of the answer to a deletion."""
    return always(id=TEXT, object=words(kind), deleted=BOOLEAN)


def event(name: str) -> Schema:
    """Return the schema of one server-sent event: its data are this object, an error, or [DONE]."""
    held = {"anyOf": [ref(name), ref("ErrorResponse")]}
    data = {**TEXT, "contentMediaType": "application/json", "contentSchema": held}
    return {
        "description": "one event of the stream",
        **always({"event": TEXT}, data={"anyOf": [{"const": "[DONE]"}, data]}),
    }


_LOGPROB = always(
    {"top_logprobs": array(ANY_OBJECT)}, token=TEXT, logprob=NUMBER, bytes=nullable(array(COUNT))
)
_LOGPROBS = nullable(always(content=nullable(array(_LOGPROB)), refusal=nullable(array(_LOGPROB))))
_TOKENS = nullable(
    always(
        tokens=array(TEXT),
        token_logprobs=array(nullable(NUMBER)),
        top_logprobs=array(nullable({"type": "object", "additionalProperties": NUMBER})),
        text_offset=array(COUNT),
    )
)
_CALL = always({"function": ANY_OBJECT, "custom": ANY_OBJECT}, id=TEXT, type=TEXT)
_MESSAGE_OPTIONS = {
    "tool_calls": array(_CALL),
    "function_call": always(name=TEXT, arguments=TEXT),
    "annotations": array(ANY_OBJECT),
    "reasoning_content": TEXT,
}
_MESSAGE = always(
    _MESSAGE_OPTIONS, role=words("assistant"), content=nullable(TEXT), refusal=nullable(TEXT)
)
_REASON = words("stop", "length", "tool_calls", "content_filter", "function_call")
_TRACE = {"tokenlap": always(laps=array(ANY_OBJECT))}
_MADE: dict[str, Schema] = {"id": TEXT, "created": INTEGER, "model": TEXT}

SCHEMAS: dict[str, Schema] = {
    "Error": always(message=TEXT, type=TEXT, param=nullable(TEXT), code=nullable(TEXT)),
    "ErrorResponse": always(error=ref("Error")),
    "Usage": always(prompt_tokens=COUNT, completion_tokens=COUNT, total_tokens=COUNT),
    "ChatCompletion": always(
        {"service_tier": TEXT, "system_fingerprint": TEXT, "metadata": ANY_OBJECT},
        **_MADE,
        object=words("chat.completion"),
        choices=array(
            always(_TRACE, index=COUNT, message=_MESSAGE, logprobs=_LOGPROBS, finish_reason=_REASON)
        ),
        usage=ref("Usage"),
    ),
    "ChatCompletionChunk": always(
        {"usage": nullable(ref("Usage")), "system_fingerprint": TEXT, "service_tier": TEXT},
        **_MADE,
        object=words("chat.completion.chunk"),
        choices=array(
            always(
                _TRACE,
                index=COUNT,
                delta=ANY_OBJECT,
                logprobs=_LOGPROBS,
                finish_reason=nullable(_REASON),
            )
        ),
    ),
    "ChatCompletionList": page(ref("ChatCompletion")),
    "ChatCompletionDeleted": deleted("chat.completion.deleted"),
    "ChatCompletionMessageList": page(
        always(id=TEXT, role=TEXT, content=nullable(TEXT), refusal=nullable(TEXT))
    ),
    "Completion": always(
        {"usage": nullable(ref("Usage")), "system_fingerprint": TEXT},
        **_MADE,
        object=words("text_completion"),
        choices=array(
            always(
                _TRACE,
                index=COUNT,
                text=TEXT,
                logprobs=_TOKENS,
                finish_reason=nullable(words("stop", "length", "content_filter")),
            )
        ),
    ),
    "EmbeddingList": always(
        object=words("list"),
        data=array(
            always(
                object=words("embedding"),
                index=COUNT,
                embedding={"anyOf": [array(NUMBER), {**TEXT, "contentEncoding": "base64"}]},
            )
        ),
        model=TEXT,
        usage=always(prompt_tokens=COUNT, total_tokens=COUNT),
    ),
    "Moderation": always(
        id=TEXT,
        model=TEXT,
        results=array(
            always(
                flagged=BOOLEAN,
                categories={"type": "object", "additionalProperties": BOOLEAN},
                category_scores={"type": "object", "additionalProperties": NUMBER},
                category_applied_input_types={
                    "type": "object",
                    "additionalProperties": array(words("text", "image")),
                },
            )
        ),
    ),
    "Response": always(
        {"usage": ANY_OBJECT, "output_text": TEXT},
        id=TEXT,
        object=words("response"),
        created_at=NUMBER,
        status=words("completed", "failed", "in_progress", "cancelled", "queued", "incomplete"),
        error=nullable(always(code=TEXT, message=TEXT)),
        incomplete_details=nullable(ANY_OBJECT),
        instructions=nullable({}),
        model=TEXT,
        tools=array(ANY_OBJECT),
        output=array(always(type=TEXT)),
        parallel_tool_calls=BOOLEAN,
        metadata=nullable(ANY_OBJECT),
        tool_choice={},
        temperature=nullable(NUMBER),
        top_p=nullable(NUMBER),
    ),
    "ResponseEvent": always(type=TEXT, sequence_number=COUNT),
    "ResponseDeleted": deleted("response"),
    "ResponseItemList": page(always(type=TEXT)),
    "Model": always(id=TEXT, object=words("model"), created=INTEGER, owned_by=TEXT),
    "ModelList": always(object=words("list"), data=array(ref("Model"))),
    "ModelDeleted": deleted("model"),
    "Tokens": always(
        count=COUNT,
        max_model_len=COUNT,
        tokens=array(COUNT),
        token_strs=nullable(array(TEXT)),
    ),
    "Text": always(prompt=TEXT),
    "Health": always(status=TEXT, in_flight=COUNT),
}
"""By the name under which the table of operations speaks of them."""
