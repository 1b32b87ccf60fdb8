"""The places that follow one or two local ids."""

from tests.predictors.ngram.small import small_model
from tokenlap.engine.tokenizer import o200k
from tokenlap.predictors.ngram.lexicon import ANSWER, BORDER, Lexicon
from tokenlap.predictors.ngram.places import PAIR_SHIFT, Corpus
from tokenlap.predictors.ngram.store import NgramModel
from tokenlap.predictors.ngram.train import train


def local(model: NgramModel, text: str) -> int:
    return Lexicon(model.vocabulary, o200k()).local[o200k().encode(text)[0]]


def test_each_place_follows_what_was_asked_for() -> None:
    model = small_model()
    corpus = Corpus(model)
    main, idea = local(model, " main"), local(model, " idea")
    places = corpus.after_pair(main << PAIR_SHIFT | idea, ())

    assert len(places) >= 2
    assert all(corpus.tokens[place - 2 : place] == [main, idea] for place in places)
    assert all(corpus.tokens[place - 1] == idea for place in corpus.after(idea, ()))


def test_no_place_is_a_border_or_follows_one() -> None:
    corpus = Corpus(small_model())
    places = [
        place
        for token in range(ANSWER, 200)
        for place in corpus.after(token, [corpus.index_of(d) for d in range(12)])
    ]

    assert all(BORDER not in corpus.tokens[place - 1 : place + 1] for place in places)


def test_the_whole_corpus_has_sixteen_votes_at_most_near_documents_all() -> None:
    model = train(["=== a\n" + "Yes, yes. " * 40, "=== b\nNo, yes."])
    corpus = Corpus(model)
    comma = local(model, ",")

    assert len(corpus.after(comma, ())) == 16
    assert len(set(corpus.after(comma, [corpus.index_of(0)]))) == 40


def test_every_place_knows_its_document() -> None:
    model = small_model()
    corpus = Corpus(model)

    assert [corpus.document[begin] for begin in model.documents[:-1]] == list(
        range(len(model.kinds))
    )
    assert len(corpus.document) == len(corpus.tokens)
