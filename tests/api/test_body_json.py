import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import examples
from tokenlap.api.body import parse
from tokenlap.api.chat.request import ChatRequest
from tokenlap.api.complaints import NOT_JSON
from tokenlap.errors import BadRequest

HEAD = '{"model":"mock-1","messages":[{"role":"user","content":"hi"}]'
URL = "/v1/chat/completions"


def refusal(body: str | bytes) -> BadRequest:
    """What is answered to a body that must not pass."""
    with pytest.raises(BadRequest) as refused:
        parse(ChatRequest, body if isinstance(body, bytes) else body.encode())
    return refused.value


NO_JSON = {
    "empty": "",
    "blank": " \n",
    "cut": "{",
    "cut in a string": HEAD[:-5],
    "two documents": "{}{}",
    "trailing text": HEAD + "} x",
    "trailing comma": HEAD + ",}",
    "single quotes": "{'model':'m'}",
    "a comment": HEAD + "/* no */}",
    "a mark alone": "\ufeff",
    "NaN": HEAD + ',"temperature":NaN}',
    "Infinity": HEAD + ',"temperature":Infinity}',
    "-Infinity": HEAD + ',"temperature":-Infinity}',
    "NaN in an unknown parameter": HEAD + ',"made_up":[NaN]}',
    "NaN in the metadata": HEAD + ',"metadata":{"a":NaN}}',
    "beyond a double, anywhere": HEAD + ',"made_up":{"a":[1e999]}}',
    "beyond a double, in a tool": HEAD
    + ',"tools":[{"type":"function","function":{"name":"f","parameters":{"maximum":1e999}}}]}',
    "beyond a double, in a message": HEAD[:-2] + ',"made_up":-1e999}]}',
    "an integer of 400 digits": HEAD + ',"made_up":' + "9" * 400 + "}",
    "an integer of 5000 digits": HEAD + ',"max_tokens":' + "9" * 5000 + "}",
    "a control character": HEAD.replace("hi", "h\x00i") + "}",
    "a raw line end in a string": HEAD.replace("hi", "h\ni") + "}",
    "an octal number": HEAD + ',"n":01}',
    "a lone first half": HEAD.replace("hi", r"a\ud800b") + "}",
    "a lone second half": HEAD.replace("hi", r"a\udc00b") + "}",
    "a half before no half": HEAD.replace("hi", r"\ud83dA") + "}",
    "a half in the model": HEAD.replace("mock-1", r"\ud800") + "}",
    "a half in a key": HEAD + r',"\ud800":1}',
    "a half in a stop": HEAD + r',"stop":["\ud800"]}',
    "a half in an unknown parameter": HEAD + r',"made_up":{"a":"\udfff"}}',
}


@pytest.mark.parametrize("body", NO_JSON.values(), ids=NO_JSON)
def test_what_is_no_json_is_refused_in_the_platforms_words(body: str) -> None:
    refused = refusal(body)

    assert (refused.message, refused.param, refused.code) == (NOT_JSON, None, None)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(HEAD.encode().replace(b"hi", b"\xff\xfe") + b"}", id="no UTF-8"),
        pytest.param(HEAD.encode().replace(b"hi", b"\xed\xa0\x80") + b"}", id="CESU-8"),
        pytest.param(HEAD.encode().replace(b"hi", b"\xc0\xaf") + b"}", id="overlong"),
        pytest.param(HEAD.encode().replace(b"hi", b"\xf0\x9f\x98") + b"}", id="half a character"),
        pytest.param(HEAD.encode() + b',"\xff":1}', id="in a key"),
        pytest.param(HEAD.encode() + b',"made_up":{"a":"\xff"}}', id="in an unknown parameter"),
        pytest.param((HEAD + "}").encode("utf-16"), id="UTF-16"),
        pytest.param((HEAD + "}").encode("utf-16-le"), id="UTF-16 without a mark"),
        pytest.param((HEAD + "}").encode("utf-32"), id="UTF-32"),
        pytest.param((HEAD + "}").encode("utf-7").replace(b"{", b"+AHs-"), id="UTF-7"),
        pytest.param(b"\x00" * 100, id="zeros"),
    ],
)
def test_what_is_no_utf_8_is_refused(body: bytes) -> None:
    assert refusal(body).message == NOT_JSON


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("[]", "an array"),
        ('"x"', "a string"),
        ("null", "null"),
        ("1", "an integer"),
        ("1.5", "a decimal number"),
        ("true", "a boolean"),
    ],
)
def test_a_body_that_is_no_object_is_told_so(body: str, named: str) -> None:
    refused = refusal(body)

    assert refused.message == f"{NOT_JSON} Expected an object, but got {named} instead."
    assert (refused.param, refused.code) == (None, None)


def spelled(whole: int, fraction: int, exponent: int, form: str) -> str:
    """A number of so many digits before and after the point, and an exponent of some form."""
    digits = "9" * whole + ("." + "9" * fraction if fraction else "")
    return digits + form.format(exponent)


@examples(200)
@given(
    number=st.builds(
        spelled,
        st.integers(1, 330),
        st.integers(0, 3),
        st.integers(0, 330),
        st.sampled_from(["", "e{}", "E+{}", "e{:05}", "e-{}"]),
    ),
    long=st.booleans(),
)
def test_a_number_is_refused_if_and_only_if_no_double_holds_it(number: str, long: bool) -> None:
    body = HEAD.replace("hi", "hi" * 5000 if long else "hi") + f',"made_up":[{{"a":-{number}}}]}}'

    if float(number) == float("inf"):
        assert refusal(body).message == NOT_JSON
    else:
        assert parse(ChatRequest, body.encode()).model == "mock-1"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("\ufeff" + HEAD + "}", id="behind a byte order mark"),
        pytest.param(" \r\n\t" + HEAD + "} \n", id="between blanks"),
        pytest.param(HEAD.replace("hi", r"\ud83d\ude00") + "}", id="a pair of halves"),
        pytest.param(HEAD.replace("hi", "NaN and Infinity") + "}", id="the words for no number"),
        pytest.param(HEAD + ',"temperature":1e0,"seed":-0,"top_p":1E-5}', id="odd numbers"),
    ],
)
def test_what_is_json_passes(body: str) -> None:
    assert parse(ChatRequest, body.encode()).model == "mock-1"


def test_the_last_of_two_equal_keys_counts_everywhere() -> None:
    asked = parse(
        ChatRequest,
        b'{"model":"a","model":"b","n":"bad","n":2,"stream":false,"stream":true,'
        b'"messages":[{"role":"user","content":1,"content":"hi"}],'
        b'"metadata":{"k":"1","k":"2"}}',
    )

    assert (asked.model, asked.n, asked.stream) == ("b", 2, True)
    assert asked.messages[0].text == "hi"
    assert asked.metadata == {"k": "2"}


DEEP = 100_000


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("[" * DEEP + "]", id="arrays that are not closed"),
        pytest.param("[" * DEEP + "]" * DEEP, id="arrays"),
        pytest.param('{"a":' * DEEP + "1" + "}" * DEEP, id="objects"),
        pytest.param('[{"a":' * DEEP + "1" + "}]" * DEEP, id="both"),
    ],
)
@pytest.mark.parametrize("key", ["metadata", "made_up", "response_format", "stop"])
def test_deep_nesting_is_refused(key: str, value: str) -> None:
    assert refusal(f'{HEAD},"{key}":{value}}}').message == NOT_JSON


@pytest.mark.parametrize(
    ("body", "param"),
    [
        pytest.param('{"model":"m","messages":[1,2]}', "messages[0]", id="items"),
        pytest.param(HEAD + ',"logit_bias":{"x":1,"y":1}}', "logit_bias", id="entries"),
        pytest.param(HEAD + ',"metadata":{"a":1,"b":1}}', "metadata.a", id="properties"),
        pytest.param(HEAD + ',"tools":[{},{}]}', "tools[0].type", id="tools"),
    ],
)
def test_of_several_mistakes_the_first_is_told(body: str, param: str) -> None:
    assert refusal(body).param == param


def test_an_answer_never_repeats_a_long_text_of_the_client() -> None:
    long = "x" * 1_000_000
    for body in (
        f'{{"model":"m","messages":[{{"role":"{long}"}}]}}',
        HEAD + f',"metadata":{{"{long}":"v"}}}}',
        HEAD + f',"service_tier":"{long}"}}',
        HEAD + f',"tool_choice":"{long}"}}',
        HEAD + f',"logit_bias":{{"{long}":1}}}}',
        HEAD + ',"n":' + "9" * 300 + "}",
    ):
        assert len(json.dumps(refusal(body).body())) < 1000
