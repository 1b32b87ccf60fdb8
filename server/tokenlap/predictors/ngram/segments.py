"""What a position in an answer means: where sentences and list items begin, what is code, and which
sentence it is.
"""

from tokenlap.engine.tokenizer import Tokenizer
from tokenlap.predictors.ngram.lexicon import (
    ANSWER,
    BULLET,
    DONE,
    FIRST_ORDINARY,
    NUMBER_DOT,
    SLOTS,
    Lexicon,
)
from tokenlap.predictors.ngram.words import word_set

_HEAD_TOKENS = 8
"""As long as the frames that many sentences share: "One way to see the difference is to"."""
_WEAK_OPENINGS = word_set(
    "It They That This Then Both She He Nobody Its Their These Those If When And But So"
)


class Flag:
    """What is known of a position, as bits of a plain int (an IntFlag costs ten times as much in
    the loop).

    START: a sentence may begin here. ITEM: after the number or dash of a list line. CODE: inside
    code. HEAD: among the first tokens of a sentence. WEAK: a START whose word leans on the sentence
    before. OPENING: the first token of an answer. BORDER: between two segments.
    """

    START = 1
    ITEM = 2
    CODE = 4
    HEAD = 8
    WEAK = 16
    OPENING = 32
    BORDER = 64


def mark(tokens: list[int], code: list[bool], lexicon: Lexicon, tokenizer: Tokenizer) -> list[int]:
    """Return the flags of each position of one answer.

    tokens: local ids from ANSWER to DONE; code: for each token between these two.
    """
    texts = [_text(token, lexicon, tokenizer) for token in tokens]
    in_code = [False, *code, code[-1]]  # what ends in code, JSON say, ends by the rules of code
    flags = [Flag.OPENING if before == ANSWER else 0 for before in [DONE, *tokens[:-1]]]
    for at in range(1, len(tokens)):
        if in_code[at]:
            flags[at] |= Flag.CODE
        if at == 1 or (not in_code[at] and (in_code[at - 1] or _opens(tokens, texts, at))):
            flags[at] |= Flag.START
            if texts[at].strip() in _WEAK_OPENINGS:
                flags[at] |= Flag.WEAK
            for head in range(at + 1, min(at + 1 + _HEAD_TOKENS, len(tokens))):
                flags[head] |= Flag.HEAD
        elif tokens[at - 1] in (NUMBER_DOT, BULLET) and not in_code[at]:
            flags[at] |= Flag.ITEM
    return flags


def sentence_numbers(
    tokens: list[int],
    flags: list[int],
    said: dict[tuple[str | int, ...], int],
    lexicon: Lexicon,
    tokenizer: Tokenizer,
) -> list[int]:
    """Return the number of the sentence or list item of each position, from 1.

    Equal sentences share one, whether or not a blank leads them in.
    said: the numbers given so far, extended here.
    """
    starts = [at for at, flag in enumerate(flags) if flag & (Flag.START | Flag.ITEM) and at > 1]
    numbers: list[int] = []
    for begin, end in zip([0, *starts], [*starts, len(tokens)], strict=True):
        first = _text(tokens[begin], lexicon, tokenizer).strip() or tokens[begin]
        number = said.setdefault((first, *tokens[begin + 1 : end]), len(said) + 1)
        numbers += [number] * (end - begin)
    return numbers


def _text(token: int, lexicon: Lexicon, tokenizer: Tokenizer) -> str:
    if token < FIRST_ORDINARY:
        return {NUMBER_DOT: "1.", BULLET: "-"}.get(token, "")
    return tokenizer.decode([lexicon.ids[token]])


def _opens(tokens: list[int], texts: list[str], at: int) -> bool:
    """Say whether a sentence begins at a place, given the text of the token before it."""
    before, text = texts[at - 1], texts[at]
    end = before.rstrip("\n")
    is_line = before.endswith(".\n") and before.count("\n") == 1
    if tokens[at - 1] == NUMBER_DOT or not end.endswith((".", "?", "!")) or is_line:
        return False
    word = text.lstrip(" ")
    return (
        tokens[at] == DONE
        or tokens[at] in SLOTS
        or word.startswith("`")
        or (bool(word) and word[0].isupper() and text.startswith(" ") == (before == end))
    )
