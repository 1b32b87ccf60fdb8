import pytest

from tests.api.completions.support import body, completed, streamed, texts, texts_of
from tests.support import Json, application, scripted
from tokenlap.api.completions.fold import chosen, mean_logprob
from tokenlap.api.completions.logprobs import Echo, Piece
from tokenlap.engine.event import Finish, Score, Text

FEATURES = {
    "plain": {},
    "n": {"n": 3},
    "prompts": {"prompt": ["Tell me", "What is"], "n": 2},
    "echo": {"echo": True},
    "echo only": {"echo": True, "max_tokens": 0},
    "nothing": {"max_tokens": 0},
    "logprobs": {"logprobs": 3},
    "echo with logprobs": {"logprobs": 2, "echo": True, "n": 2},
    "echo only, with logprobs": {"logprobs": 0, "echo": True, "max_tokens": 0},
    "stop": {"stop": ["the", "\n"], "max_tokens": 60},
    "stop with logprobs": {"stop": [" of"], "max_tokens": 60, "logprobs": 1},
    "best_of equal to n": {"n": 2, "best_of": 2},
    "length": {"max_tokens": 2},
}


@pytest.mark.parametrize("model", ["tokenlap", "table", "echo"])
@pytest.mark.parametrize("options", FEATURES.values(), ids=FEATURES.keys())
async def test_the_blocking_answer_is_the_stream_folded(options: Json, model: str) -> None:
    asked = {"model": model, "prompt": "The capital of France is", **options}
    async with application() as client:
        whole = await completed(client, asked, **{"X-Tokenlap-Trace": "1"})
        chunks = await streamed(
            client,
            {**asked, "stream_options": {"include_usage": True}},
            **{"X-Tokenlap-Trace": "1"},
        )

    assert [refolded(chunks, choice) for choice in whole["choices"]] == whole["choices"]
    assert whole["usage"] == chunks[-1]["usage"]


def refolded(chunks: list[Json], choice: Json) -> Json:
    """A choice as a client would put it together from the chunks of a stream."""
    parts = [
        part for chunk in chunks for part in chunk["choices"] if part["index"] == choice["index"]
    ]
    folded: Json = {
        "text": "".join(part["text"] for part in parts),
        "index": choice["index"],
        "logprobs": None,
        "finish_reason": parts[-1]["finish_reason"],
    }
    assert all(part["finish_reason"] is None for part in parts[:-1])
    scored = [part["logprobs"] for part in parts if part["logprobs"]]
    if choice["logprobs"] is not None:
        names = ("tokens", "token_logprobs", "top_logprobs", "text_offset")
        folded["logprobs"] = {name: [x for part in scored for x in part[name]] for name in names}
    laps = [lap for part in parts for lap in part.get("tokenlap", {"laps": []})["laps"]]
    return {**folded, "tokenlap": {"laps": laps}} if laps else folded


async def test_choices_stand_prompt_by_prompt() -> None:
    asked = {"model": "echo", "prompt": ["one two", "three"], "n": 2}
    async with application() as client:
        whole = await completed(client, asked)
        chunks = await streamed(client, asked)

    assert texts(whole) == ["one two", "one two", "three", "three"]
    assert [choice["index"] for choice in whole["choices"]] == [0, 1, 2, 3]
    assert texts_of(chunks) == dict(enumerate(texts(whole)))
    assert whole["usage"] == {"prompt_tokens": 3, "completion_tokens": 6, "total_tokens": 9}


async def test_several_prompts_advance_together_lap_by_lap() -> None:
    asked = {"model": "echo", "prompt": ["one two three", "four five"]}
    async with application() as client:
        chunks = await streamed(client, asked)

    written = [(c["index"], c["text"]) for chunk in chunks for c in chunk["choices"]]
    assert written == [
        (0, "one"),
        (1, "four"),
        (0, " two"),
        (1, " five"),
        (0, " three"),
        (1, ""),
        (0, ""),
    ]


async def test_each_of_several_prompts_is_answered_as_it_would_be_alone() -> None:
    prompts = ["What is a token?", "The capital of France is", "Tell me about the sea."]
    options = {"model": "tokenlap", "seed": 11, "n": 2, "max_tokens": 20}
    async with application() as client:
        together = await completed(client, {"prompt": prompts, **options})
        alone = [await completed(client, {"prompt": prompt, **options}) for prompt in prompts]

    assert texts(together) == [text for answer in alone for text in texts(answer)]


async def test_best_of_returns_the_texts_with_the_best_mean_logprob() -> None:
    asked = {"model": "tokenlap", "prompt": "What is a token?", "seed": 3, "max_tokens": 40}
    async with application() as client:
        every = await completed(client, {**asked, "n": 6, "logprobs": 0})
        best = await completed(client, {**asked, "n": 2, "best_of": 6})

    def mean(choice: Json) -> float:
        logprobs = choice["logprobs"]["token_logprobs"]
        return float(sum(logprobs) / len(logprobs))

    ranked = sorted(every["choices"], key=mean, reverse=True)
    assert len({choice["text"] for choice in ranked}) > 2
    assert texts(best) == [choice["text"] for choice in ranked[:2]]
    assert [choice["index"] for choice in best["choices"]] == [0, 1]
    assert [choice["logprobs"] for choice in best["choices"]] == [None, None]
    assert best["usage"]["completion_tokens"] == every["usage"]["completion_tokens"]


def written(*logprobs: float) -> list[Piece]:
    scores = tuple(Score(1, logprob, ()) for logprob in logprobs)
    return [Echo("not counted"), Text("x", b"x", scores=scores), Finish("stop", len(logprobs))]


def test_the_best_are_chosen_for_each_prompt() -> None:
    texts = [written(-2), written(-1), written(-3), written(-1, -1), written(), written(-0.5, -9)]

    assert chosen(texts, candidates=3, n=2) == [1, 0, 3, 5]
    assert chosen(texts, candidates=3, n=3) == [0, 1, 2, 3, 4, 5]


def test_a_mean_is_over_the_tokens_that_were_written() -> None:
    assert mean_logprob(written(-1, -3)) == -2
    assert mean_logprob(written()) < -1e300


async def test_an_unknown_model_is_answered_under_the_name_that_was_asked_for() -> None:
    async with application(models=scripted("a")) as client:
        answer = await completed(client, body(model="davinci-002"))

    assert answer["model"] == "davinci-002"
