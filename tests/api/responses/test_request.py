import pytest

from tests.api.responses.support import asked, posted
from tests.support import Json, application, quiet, scripted
from tokenlap.api.responses.request import ResponseRequest


@pytest.mark.parametrize(
    ("options", "status", "message", "param", "code"),
    [
        pytest.param(
            {"input": None},
            400,
            "Missing required parameter: 'input'.",
            "input",
            "missing_required_parameter",
            id="118 nothing to answer",
        ),
        pytest.param(
            {"max_output_tokens": 8},
            400,
            "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but "
            "got 8 instead.",
            "max_output_tokens",
            "integer_below_min_value",
            id="197 a small cap",
        ),
        pytest.param(
            {"previous_response_id": "resp_nope"},
            400,
            "Previous response with id 'resp_nope' not found.",
            "previous_response_id",
            "previous_response_not_found",
            id="198 unknown previous response",
        ),
        pytest.param(
            {"stream": True, "stream_options": {"include_usage": True}},
            400,
            "Unknown parameter: 'stream_options.include_usage'.",
            "stream_options.include_usage",
            "unknown_parameter",
            id="199 include_usage",
        ),
        pytest.param(
            {"stream_options": {"include_obfuscation": False}},
            400,
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
            "stream_options",
            None,
            id="128 stream_options without stream",
        ),
        pytest.param(
            {"include": ["everything"]},
            400,
            None,
            "include[0]",
            "invalid_value",
            id="unknown include",
        ),
        pytest.param(
            {"reasoning": {"effort": "huge"}},
            400,
            None,
            "reasoning.effort",
            "invalid_value",
            id="unknown effort",
        ),
        pytest.param(
            {"truncation": "sometimes"},
            400,
            "Invalid value: 'sometimes'. Supported values are: 'auto' and 'disabled'.",
            "truncation",
            "invalid_value",
            id="unknown truncation",
        ),
        pytest.param(
            {"top_logprobs": 21},
            400,
            None,
            "top_logprobs",
            "integer_above_max_value",
            id="too many logprobs",
        ),
        pytest.param(
            {"metadata": {"k" * 65: "v"}}, 400, None, "metadata." + "k" * 65, None, id="long key"
        ),
        pytest.param(
            {"background": True, "store": False},
            400,
            "Invalid value for 'background': a background response must be stored. Set 'store' to "
            "true, or leave it out.",
            "background",
            None,
            id="background without store",
        ),
        pytest.param(
            {"conversation": "conv_1"},
            404,
            "Conversation with id 'conv_1' not found.",
            "conversation",
            None,
            id="a conversation",
        ),
        pytest.param(
            {"prompt": {"id": "pmpt_1"}},
            404,
            "Prompt with id 'pmpt_1' not found.",
            "prompt",
            None,
            id="a stored prompt",
        ),
    ],
)
async def test_a_wrong_request_is_refused_before_the_first_byte(
    options: Json, status: int, message: str | None, param: str, code: str | None
) -> None:
    async with application() as client:
        answer = await client.post("/v1/responses", json=asked(**options))

    error = answer.json()["error"]
    assert (answer.status_code, error["param"]) == (status, param)
    assert message is None or (error["message"], error["code"]) == (message, code)
    assert message is not None or code is None or error["code"] == code


@pytest.mark.parametrize(
    ("model", "options", "refused"),
    [
        pytest.param("gpt-5", {"temperature": 0.3}, "temperature", id="temperature"),
        pytest.param("o3", {"top_p": 0.3}, "top_p", id="top_p"),
        pytest.param("gpt-5", {"temperature": 1}, None, id="the default"),
        pytest.param(
            "gpt-5", {"temperature": 0, "reasoning": {"effort": "none"}}, None, id="no reasoning"
        ),
        pytest.param("gpt-4o", {"temperature": 0.3}, None, id="a model that does not reason"),
    ],
)
async def test_strict_refuses_what_a_model_does_not_support(
    model: str, options: Json, refused: str | None
) -> None:
    strict, models = quiet(strict=True), {model: scripted("ok")["mock-1"]}
    async with application(strict, models=models) as client:
        client.headers["authorization"] = "Bearer k"
        answer = await client.post("/v1/responses", json={**asked(**options), "model": model})

    error = answer.json().get("error") or {}
    assert error.get("param") == refused
    assert answer.status_code == (400 if refused else 200)


async def test_strict_knows_the_models_that_are_listed_alone() -> None:
    async with application(quiet(strict=True)) as client:
        client.headers["authorization"] = "Bearer k"
        answer = await client.post("/v1/responses", json=asked())

    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "model_not_found")


async def test_null_is_absent() -> None:
    names = ResponseRequest.model_fields.keys() - {"model", "input"}
    options = dict.fromkeys(names)
    async with application(models=scripted("ok")) as client:
        with_nulls = await posted(client, asked(**options))
        without = await posted(client, asked())

    for response in (with_nulls, without):
        del response["id"], response["created_at"], response["completed_at"]
        del response["output"][0]["id"]
    assert with_nulls == without


@pytest.mark.parametrize("name", ["seed", "stop", "logit_bias", "frequency_penalty", "top_k"])
async def test_parameters_of_a_chat_are_accepted_unless_strict(name: str) -> None:
    value: object = {"stop": "x", "logit_bias": {"0": 1}}.get(name, 1)
    models = scripted("ok")
    async with application(models=models) as client:
        assert (await posted(client, asked(**{name: value})))["status"] == "completed"
    async with application(quiet(strict=True), models=models) as client:
        answer = await client.post(
            "/v1/responses", json=asked(**{name: value}), headers={"authorization": "Bearer k"}
        )

    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "unknown_parameter"
    assert answer.json()["error"]["param"] == name


async def test_the_response_tells_what_was_asked_and_the_defaults_of_the_rest() -> None:
    async with application(models=scripted("ok")) as client:
        response = await posted(
            client, asked(instructions="Be brief.", temperature=0.5, metadata={"a": "b"})
        )

    told = {
        "object": "response",
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": "Be brief.",
        "max_output_tokens": None,
        "max_tool_calls": None,
        "metadata": {"a": "b"},
        "model": "mock-1",
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": None, "summary": None},
        "service_tier": "default",
        "store": True,
        "temperature": 0.5,
        "text": {"format": {"type": "text"}, "verbosity": "medium"},
        "tool_choice": "auto",
        "tools": [],
        "top_logprobs": 0,
        "top_p": 1.0,
        "truncation": "disabled",
    }
    assert {name: response[name] for name in told} == told
    assert "user" not in response
