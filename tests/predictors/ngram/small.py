"""A corpus of a dozen answers, the model of it, and ways to let a predictor speak."""

import random
from functools import cache

from tokenlap.engine.predictor import Distribution
from tokenlap.engine.template import Turn, render
from tokenlap.engine.tokenizer import END, TokenId, o200k
from tokenlap.predictors.ngram.ngram import NgramPredictor, default_model
from tokenlap.predictors.ngram.store import NgramModel
from tokenlap.predictors.ngram.train import train

SMALL = """# a comment
=== What is a cache? | caching explained
A cache keeps a [[copy|small copy]] of something slow. The main idea is that people ask twice.
A copy can be out of date.
=== What should I cache? | cache what
Cache the pages that many readers open. The main idea is that [[many|most]] readers are alike.
Measure the hit rate of a cache before you make the cache larger.
=== What is the capital of France? | capital of France
The capital of France is Paris.
=== Write a +poem about rain | +poem
I asked the wind about {t},
and nobody knew.
=== Give me a +list | +list of things
Ideas about {t}:

1. Begin with a [[small|short]] step.
2. Ask a friend.
3. Look at the result.
=== Give me another +list | +list of ideas
More about {t}:

1. Wait a day.
2. Read the question again.
3. Write the answer down.
=== Return a user as +json | +json
{"name": "Ada", "age": 36, "about": "{t}"}
=== Write +python code | +python
Here is a function:

```python
def add(a, b):
    return [[a, b], [b, a]]
```

The last line returns a list.
=== Once upon a time
 there was a small house. Nobody lived there.
=== *
I know little about {t}. Tell me more, and we can look at it together. Start with one question.
=== *
{t} is a wide field. Begin with one question. Write the answer down.
=== @
I can only write English, but I have read "{q}". Please ask me in English.
"""


@cache
def small_model() -> NgramModel:
    return train([SMALL])


@cache
def small() -> NgramPredictor:
    return NgramPredictor(small_model(), o200k())


@cache
def default() -> NgramPredictor:
    return NgramPredictor(default_model(), o200k())


def chat(query: str, reply: str = "", earlier: tuple[str, ...] = ()) -> list[TokenId]:
    """The document of a conversation: user turns, and a reply that has begun."""
    turns = [turn for text in earlier for turn in (Turn("user", text), Turn("assistant", "I see."))]
    return render([*turns, Turn("user", query)], o200k(), Turn("assistant", reply))


def without(said: Distribution, token: TokenId) -> Distribution:
    """What is left of a distribution where a request has removed a token."""
    weights = dict(zip(said.tokens, said.probabilities, strict=True))
    weights.pop(token, None)
    if not weights:
        return Distribution.certain(next(other for other in said.tail.commonest if other != token))
    return Distribution.of(weights, said.context, said.tail)


def heated(said: Distribution, temperature: float) -> Distribution:
    """A distribution at a temperature; 0 leaves the most likely token."""
    if temperature == 0:
        return Distribution.certain(said.tokens[0])
    powers = [p ** (1 / temperature) for p in said.probabilities]
    return Distribution.of(dict(zip(said.tokens, powers, strict=True)), said.context, said.tail)


def speak(
    predictor: NgramPredictor,
    document: list[TokenId],
    *,
    temperature: float = 1.0,
    seed: object = 0,
    most: int = 400,
    ends: bool = True,
) -> list[TokenId]:
    """The reply to a document, its end token left out; without ends the end token is removed."""
    die = random.Random(str(seed))
    state = predictor.start(document)
    reply: list[TokenId] = []
    while len(reply) < most:
        said = predictor.next(state)
        token = heated(said if ends else without(said, END), temperature).draw(die.random())
        if token == END:
            break
        reply.append(token)
        state = predictor.append(state, token)
    return reply


def text(tokens: list[TokenId]) -> str:
    return o200k().decode(tokens)
