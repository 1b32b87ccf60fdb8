"""Which documents answer a prompt."""

from tests.predictors.ngram.small import small_model
from tokenlap.predictors.ngram.relevance import GENERIC_SCORE, Match, Relevance
from tokenlap.predictors.ngram.store import Kind
from tokenlap.predictors.ngram.train import train

CACHE, WHAT_TO_CACHE, FRANCE, POEM, LIST, OTHER_LIST, JSON, PYTHON, ONCE = range(9)


def rank(query: str, *earlier: str, is_raw: bool = False) -> list[Match]:
    return Relevance(small_model()).rank(query, earlier, is_raw)


def kinds(matches: list[Match]) -> set[int]:
    return {small_model().kinds[match.document] for match in matches}


def test_best_document_comes_first_and_counts_one() -> None:
    matches = rank("please explain what a cache is")

    assert matches[0].document == CACHE
    assert matches[0].relevance == 1
    assert matches[0].score > GENERIC_SCORE
    assert WHAT_TO_CACHE in [match.document for match in matches]
    assert [m.relevance for m in matches] == sorted((m.relevance for m in matches), reverse=True)


def test_prompt_without_an_answer_gets_generic_ones_alone() -> None:
    assert kinds(rank("How do I knit a scarf?")) == {Kind.GENERIC}


def test_fact_of_another_thing_does_not_take_part() -> None:
    assert kinds(rank("What is the capital of Spain?")) == {Kind.GENERIC}


def test_prompt_in_another_language_is_answered_by_saying_so() -> None:
    assert kinds(rank("Wie ist das Wetter heute?")) == {Kind.FOREIGN}


def test_generic_answers_take_turns() -> None:
    firsts = {
        rank(f"How do I knit {word}?")[0].document for word in ("hats", "wool", "a", "it", "us")
    }

    assert len(firsts) == 2


def test_form_is_answered_in_that_form_alone() -> None:
    assert {match.document for match in rank("Write a poem about the capital")} == {POEM}
    assert {match.document for match in rank("Give me a list of cache sizes")} == {LIST, OTHER_LIST}
    assert {match.document for match in rank("Write down the capital of France as JSON")} == {JSON}


def test_question_asks_for_no_form() -> None:
    assert kinds(rank("Why is a poem hard to read?")) == {Kind.GENERIC}


def test_short_follow_up_is_about_the_turn_before() -> None:
    assert rank("and why?", "What is a cache?")[0].document == CACHE
    assert kinds(rank("and why?")) == {Kind.GENERIC}


def test_clear_question_is_not_about_the_turn_before() -> None:
    assert rank("capital of France", "What is a cache?")[0].document == FRANCE


def test_greeting_counts_although_more_follows() -> None:
    relevance = Relevance(
        train(["=== Good morning\nGood day!", "=== token\nA piece.", "=== *\nYes."])
    )

    assert relevance.rank("Good morning, dear friend")[0].document == 0
    assert relevance.rank("Good morning dear friend")[0].document == 2
    assert relevance.rank("Good morning, what is a token?")[0].document == 1


def test_what_is_asked_after_a_greeting_that_marks_a_form_is_answered() -> None:
    relevance = Relevance(
        train(["=== +Hi | +hi there\nHi! Ask me.", "=== What is a token?\nA piece.", "=== *\nYes."])
    )

    assert relevance.rank("Hi! What is a token?") == relevance.rank("What is a token?")
    assert relevance.rank("Hi! Nice house")[0].document == 0


def test_continuation_answers_a_raw_text_rather_than_a_chat() -> None:
    assert rank("Once upon a time there", is_raw=True)[0].document == ONCE
    assert ONCE not in [match.document for match in rank("Was it once about a time machine?")]


def test_corpus_without_generic_answers_still_answers() -> None:
    relevance = Relevance(train(["=== a\nYes.", "=== b\nNo."]))

    assert len(relevance.rank("something else")) == 2
    assert len(relevance.rank("")) == 2
