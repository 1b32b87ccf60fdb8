"""A grammar over another predictor: valid whatever is drawn, finite logprobs, always an end."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.predictors.grammar.support import LIMIT, MADE_UP, SCHEMAS, model, under, valid, write
from tests.properties import EXHAUSTIVE, examples
from tokenlap.engine.predictor import Distribution
from tokenlap.engine.sampler import SamplingParams
from tokenlap.engine.template import Turn, render
from tokenlap.engine.tokenizer import END, START, TokenId, o200k
from tokenlap.predictors.grammar.mask import GrammarPredictor
from tokenlap.predictors.grammar.matcher import follow, follow_any
from tokenlap.predictors.grammar.shape import SchemaRefused
from tokenlap.predictors.script import ScriptPredictor

SEEDS = 1000 if EXHAUSTIVE else 25
HOT = SamplingParams(temperature=2.0, frequency_penalty=1.0, presence_penalty=1.0)


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_every_seed_gives_a_short_valid_text(schema: object) -> None:
    predictor = under(schema, "Tell me about Oslo for 3 people")

    texts = [
        write(predictor, params=SamplingParams(temperature=heat, seed=seed))
        for seed in range(SEEDS)
        for heat in (1.0, 2.0)
    ]

    assert all(written.ended for written in texts)
    for written in texts:
        valid(schema, written.text)


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_greedy_and_penalised_texts_are_valid_too(schema: object) -> None:
    predictor = under(schema)

    for params in (SamplingParams(temperature=0.0), HOT):
        valid(schema, write(predictor, params=params).text)


@examples(120)
@given(schema=MADE_UP, seed=st.integers(0, 1000))
def test_made_up_schemas_are_kept_to_or_refused(schema: object, seed: int) -> None:
    try:
        predictor = under(schema)
    except SchemaRefused as refused:
        assert str(refused)
        return

    written = write(predictor, params=SamplingParams(seed=seed), limit=2 * LIMIT)

    assert written.ended
    valid(schema, written.text)


def test_logprobs_under_a_mask_are_finite_and_those_of_what_is_allowed() -> None:
    written = write(under(SCHEMAS["unions"]))

    for lap, token in zip(written.laps, [*written.tokens, END], strict=True):
        assert math.isclose(sum(lap.probabilities), 1.0, rel_tol=1e-6)
        assert all(math.isfinite(logprob) for logprob in lap.logprobs)
        assert math.isfinite(lap.logprob(token)) and token in lap.tokens
        assert len(lap.top(5)) == 5


def test_what_a_request_bans_or_wants_does_not_break_the_form() -> None:
    schema = SCHEMAS["event"]
    quote, word = o200k().encode('"')[0], o200k().encode(" Paris")[0]
    bias = ((quote, -100.0), (END, -100.0), (word, 100.0), (START, 100.0))

    written = write(under(schema), params=SamplingParams(logit_bias=bias))

    assert written.ended
    valid(schema, written.text)


def test_a_wanted_token_is_written_where_the_grammar_allows_it() -> None:
    wanted = o200k().encode("Zebra")[0]
    schema = {"type": "string", "maxLength": 20}

    written = write(under(schema), params=SamplingParams(logit_bias=((wanted, 100.0),)))

    assert wanted in written.tokens


def test_a_text_is_the_same_one_lap_at_a_time() -> None:
    predictor = under(SCHEMAS["sentences"])
    prompt = render([Turn("user", "hello")], o200k())
    written = write(predictor)
    state = predictor.start(prompt)

    for at, token in enumerate(written.tokens):
        fresh = predictor.next(predictor.start([*prompt, *written.tokens[:at]]))
        assert _said(fresh) == _said(predictor.next(state))
        state = predictor.append(state, token)


def _said(lap: Distribution) -> list[tuple[TokenId, float]]:
    return [(t, round(p, 9)) for t, p in zip(lap.tokens, lap.probabilities, strict=True)]


def test_a_text_that_has_begun_is_continued() -> None:
    begun = '{"name":"Jo'

    written = write(under(SCHEMAS["event"]), begun=begun)

    assert valid(SCHEMAS["event"], begun + written.text)["name"].startswith("Jo")


def test_a_beginning_that_does_not_fit_ends_the_text() -> None:
    assert write(under(SCHEMAS["event"]), begun='{"nonsense":').tokens == []


def test_candidates_of_the_predictor_inside_come_first() -> None:
    inside = ScriptPredictor.of_text("42-42", o200k())

    kept = GrammarPredictor(follow("[0-9]{2}-[0-9]{2}", "regex"), inside, o200k(), is_json=False)

    assert write(kept).text == "42-42"


def test_where_nothing_inside_is_allowed_bytes_of_the_mask_are_written() -> None:
    inside = ScriptPredictor.of_text("no digits here", o200k())

    kept = GrammarPredictor(follow("[0-9]{3}", "regex"), inside, o200k(), is_json=False)

    assert write(kept).text.isdigit()


def test_a_pattern_beyond_ascii_is_spelled_in_bytes() -> None:
    text = valid(pattern := {"type": "string", "pattern": "^[äöü]{3}$"}, write(under(pattern)).text)

    assert len(text) == 3


@pytest.mark.parametrize("temperature", [0.0, 0.7, 2.0])
def test_any_object_of_the_default_model_is_brought_to_its_end(temperature: float) -> None:
    kept = GrammarPredictor(follow_any("object"), model(), o200k(), closes=True)

    for seed in range(8):
        params = SamplingParams(temperature=temperature, seed=seed)
        written = write(kept, "Some JSON about planets", params, limit=800)
        assert written.ended and isinstance(valid({}, written.text), dict)
