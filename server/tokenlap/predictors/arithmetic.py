"""The lesson of bought compute: a model that can do in one lap what it knows by heart, and more
only by writing it down.

In the reasoning channel it works a product out in partial products and running sums, a sum or a
difference column by column; each number on the right of a `=` is reckoned from the left side as it
stands in the text, each left side is copied from earlier lines of the text. The answer is the
number after the last `=` of that text: alter the text, and the answer follows.
Without reasoning it has one lap for each digit, and no lap to carry in: the first digit is
estimated, the last is known from the times table, the others are their column alone, carries lost.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tokenlap.engine.predictor import Distribution
from tokenlap.engine.template import Document, read
from tokenlap.engine.tokenizer import END, TokenId, Tokenizer
from tokenlap.predictors.ngram.words import word_set
from tokenlap.predictors.sentences import first_token
from tokenlap.predictors.working import working

_SIGNS = {
    **dict.fromkeys(("*", "x", "\u00d7", "\u00b7", "times", "multiplied by"), "*"),
    **dict.fromkeys(("+", "plus"), "+"),
    **dict.fromkeys(("-", "\u2212", "\u2013", "minus"), "-"),
}
_EXPRESSION = re.compile(
    r"(?<![\w.,])(\d{1,6})\s*(\*|x|\u00d7|\u00b7|times|multiplied by|\+|plus|-|\u2212|\u2013|minus)"
    r"\s*(\d{1,6})(?![\w]|[.,]\d)",
    re.IGNORECASE,
)
_AROUND = word_set("""
what whats is calculate compute how much does do equal equals please the a product sum difference
result of answer solve evaluate tell me you can could i need work out give find to and value think
step by carefully show your working just only number with reply digits in head it for hi hello
thanks quickly now exactly exact s
""")
"""Words that may stand around an expression in a question about it."""
_EQUALS = re.compile(r"=\s*(-?\d+)")
_LONGEST_QUESTION = 200
_SURE, _NEAR = 0.7, 0.12
ArithmeticState = tuple[Document, str]
"""The document at the beginning of the reply, and the text of the open turn."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: two numbers >= 0 and `*`, `+` or `-`."""

    left: int
    sign: str
    right: int


def question(text: str) -> Question | None:
    """Return the sum, difference or product of two numbers that text asks for and nothing else.

    Example: "What is 482 * 194?" -> 482, *, 194
    """
    found = _EXPRESSION.search(text) if len(text) <= _LONGEST_QUESTION else None
    if found is None:
        return None
    around = text[: found.start()] + " " + text[found.end() :]
    if not all(word in _AROUND for word in re.findall(r"[^\W_]+", around.lower())):
        return None
    return Question(int(found[1]), _SIGNS[found[2].lower()], int(found[3]))


class ArithmeticPredictor:
    """Answers the question that the last user turn asks; in a turn of reasoning it works it out."""

    def __init__(self, tokenizer: Tokenizer, shown: bool = False) -> None:
        """Take the tokenizer; shown: the working is the answer, as when steps are asked for."""
        self._tokenizer = tokenizer
        self._shown = shown

    def start(self, prompt: Sequence[TokenId]) -> ArithmeticState:
        """Read the question, and what is written already."""
        document = read(prompt, self._tokenizer)
        return document, self._tokenizer.decode(document.reply)

    def next(self, state: ArithmeticState) -> Distribution:
        """Return the distribution of the next digit or sign."""
        document, text = state
        asked = question(self._tokenizer.decode(document.query))
        if asked is None:
            return _OVER
        if self._shown or document.opening.endswith("reasoning"):
            return self._certain(working(asked.left, asked.sign, asked.right, text))
        found = _EQUALS.findall(_reasoning(document))
        if found:
            written = text.strip()
            return self._certain(found[-1][len(written) :] if found[-1].startswith(written) else "")
        return self._guess(guess(asked), text.strip())

    def append(self, state: ArithmeticState, token: TokenId) -> ArithmeticState:
        """Take a token."""
        document, text = state
        return document, text if token == END else text + self._tokenizer.decode((token,))

    def _certain(self, rest: str) -> Distribution:
        """Return the certainty of the first digit, or of the first token of what is no digit."""
        return _OVER if not rest else Distribution.certain(self._token(rest))

    def _guess(self, digits: str, written: str) -> Distribution:
        if len(written) >= len(digits):
            return _OVER
        likely = digits[len(written)]
        if not likely.isdigit():
            return Distribution.certain(self._token(likely))
        first = not written.strip("-")
        shares = {d: (1 - _SURE - 2 * _NEAR) / 7 for d in range(first, 10)}
        shares |= {near: _NEAR for near in (int(likely) - 1, int(likely) + 1) if near in shares}
        shares[int(likely)] = _SURE
        return Distribution.of({self._token(str(d)): p for d, p in shares.items()})

    def _token(self, rest: str) -> TokenId:
        sign = re.match(r"\d|\D+", rest)
        assert sign is not None
        return first_token(sign[0].encode(), self._tokenizer)


_OVER = Distribution.certain(END)


def guess(asked: Question) -> str:
    """Return what one lap a digit comes to, most likely: right where nothing carries.

    Example: 482 * 194 -> "94008", where 93508 would be right
    """
    left, right = asked.left, asked.right
    if max(left, right) < 10:  # known by heart
        return str(_exact(left, asked.sign, right))
    sign = "-" if asked.sign == "-" and left < right else ""
    if sign:
        left, right = right, left
    length, first = _estimate(left, asked.sign, right)
    columns = _columns(left, asked.sign, right)
    digits = [columns[i] if i < len(columns) else 0 for i in range(length)]
    if asked.sign != "+" or length > len(columns):
        digits[-1] = first
    return sign + "".join(map(str, reversed(digits)))


def _estimate(left: int, sign: str, right: int) -> tuple[int, int]:
    """Return the number of digits and the first digit, from two leading digits of each number."""
    rough = str(abs(_exact(_leading(left), sign, _leading(right))))
    return len(rough), int(rough[0])


def _leading(number: int) -> int:
    text = str(number)
    return int(text[:2] + "0" * (len(text) - 2))


def _columns(left: int, sign: str, right: int) -> list[int]:
    """Return each column by itself, units first, without what the columns before would carry."""
    a, b = [int(d) for d in str(left)[::-1]], [int(d) for d in str(right)[::-1]]
    if sign == "*":
        size = len(a) + len(b) - 1
        products = [(i + j, x * y) for i, x in enumerate(a) for j, y in enumerate(b)]
        return [sum(p for at, p in products if at == k) % 10 for k in range(size)]
    width = max(len(a), len(b))
    pairs = zip(a + [0] * (width - len(a)), b + [0] * (width - len(b)), strict=True)
    return [(x + y if sign == "+" else x - y) % 10 for x, y in pairs]


def _exact(left: int, sign: str, right: int) -> int:
    return left * right if sign == "*" else left + right if sign == "+" else left - right


def _reasoning(document: Document) -> str:
    """Return the thinking since the last user turn."""
    thoughts: list[str] = []
    for turn in reversed(document.turns):
        if turn.header.split(" ")[0] == "user":
            break
        if turn.header == "assistant reasoning":
            thoughts.insert(0, turn.body)
    return "\n".join(thoughts)
