from math import exp, isclose, log

from tests.api.completions.support import body, completed, streamed
from tests.support import application, bytewise, scripted
from tokenlap.api.completions.logprobs import Ledger, Prompt
from tokenlap.engine.event import Score
from tokenlap.engine.tokenizer import o200k

FRANCE = "The capital of France is"


async def test_logprobs_are_four_lists_of_equal_length() -> None:
    async with application() as client:
        answer = await completed(
            client, {"model": "table", "prompt": FRANCE, "logprobs": 2, "temperature": 0}
        )

    logprobs = answer["choices"][0]["logprobs"]
    assert logprobs["tokens"] == [" Paris", "."]
    assert [round(exp(logprob), 3) for logprob in logprobs["token_logprobs"]] == [0.92, 0.85]
    assert [[*top] for top in logprobs["top_logprobs"]] == [[" Paris", " located"], [".", ","]]
    assert logprobs["text_offset"] == [len(FRANCE), len(FRANCE) + len(" Paris")]


async def test_zero_logprobs_still_gives_the_chosen_tokens() -> None:
    async with application(models=scripted("a b")) as client:
        answer = await completed(client, body(logprobs=0))
        none = await completed(client, body(logprobs=None))

    assert answer["choices"][0]["logprobs"]["top_logprobs"] == [{"a": 0.0}, {" b": 0.0}]
    assert none["choices"][0]["logprobs"] is None


async def test_the_chosen_token_is_always_among_the_top_ones() -> None:
    asked = {"model": "table", "prompt": FRANCE, "logprobs": 1, "max_tokens": 1}
    async with application() as client:
        forced = await completed(client, {**asked, "logit_bias": {"290": 100}})

    logprobs = forced["choices"][0]["logprobs"]
    assert logprobs["tokens"] == [" the"]
    assert logprobs["top_logprobs"][0].keys() == {" Paris", " the"}
    assert isclose(logprobs["top_logprobs"][0][" the"], log(0.03), abs_tol=1e-9)


async def test_echo_includes_the_tokens_of_the_prompt_the_first_without_a_logprob() -> None:
    asked = {"model": "table", "prompt": f"{FRANCE} Paris", "logprobs": 1, "echo": True}
    async with application() as client:
        answer = await completed(client, {**asked, "max_tokens": 1, "temperature": 0})

    choice = answer["choices"][0]
    logprobs = choice["logprobs"]
    assert choice["text"] == f"{FRANCE} Paris."
    assert "".join(logprobs["tokens"]) == choice["text"]
    assert logprobs["token_logprobs"][0] is None
    assert logprobs["top_logprobs"][0] is None
    assert isclose(logprobs["token_logprobs"][5], log(0.92), abs_tol=1e-9)  # " Paris" after " is"
    assert logprobs["text_offset"] == [0, 3, 11, 14, 21, 24, 30]
    assert {len(each) for each in logprobs.values()} == {7}


async def test_reading_a_text_gives_it_the_logprobs_that_writing_gave_it() -> None:
    asked = {"model": "tokenlap", "seed": 5, "logprobs": 3}
    async with application() as client:
        written = await completed(client, {**asked, "prompt": "What is a token?", "max_tokens": 30})
        tokens = [
            *o200k().encode("What is a token?"),
            *o200k().encode(written["choices"][0]["text"]),
        ]
        read = await completed(client, {**asked, "prompt": tokens, "echo": True, "max_tokens": 0})

    of_writing, of_reading = (each["choices"][0]["logprobs"] for each in (written, read))
    assert of_reading["tokens"][-30:] == of_writing["tokens"]
    assert of_reading["token_logprobs"][-30:] == of_writing["token_logprobs"]
    assert of_reading["top_logprobs"][-30:] == of_writing["top_logprobs"]
    assert of_reading["text_offset"][-30:] == of_writing["text_offset"]


async def test_offsets_count_characters_not_bytes_or_tokens() -> None:
    async with application(models=bytewise("é🦜z")) as client:
        answer = await completed(client, body("naïve ", logprobs=0))
        chunks = await streamed(client, body("naïve ", logprobs=0))

    logprobs = answer["choices"][0]["logprobs"]
    assert logprobs["text_offset"] == [6, 6, 7, 7, 7, 7, 8]
    assert logprobs["tokens"][0] == "bytes:\\xc3"
    texts = [choice["text"] for chunk in chunks for choice in chunk["choices"]]
    assert texts == ["é", "🦜", "z", ""]


def test_a_ledger_begins_after_a_prompt_that_is_not_echoed() -> None:
    tokenizer = o200k()
    parrot = tuple(tokenizer.encode("🦜"))
    prompt = Prompt.of((*tokenizer.encode("ab"), *parrot[:2]), tokenizer)

    lists = Ledger(prompt, tokenizer).reply([Score(parrot[2], -1.0, ()), Score(13, -1.0, ())])

    assert prompt.text == "ab"
    assert lists["text_offset"] == [2, 3]
