"""What a model that reasons writes before its answer: what is asked, what helps, how to say it.

The sentences are fixed, with alternatives; how many are written is the effort. They read the
question back, but nothing is worked out in them: only arithmetic (arithmetic.py) really does that.
"""

from collections.abc import Mapping, Sequence

from tokenlap.engine.tokenizer import Tokenizer
from tokenlap.predictors.sentences import SentencesPredictor, Slot

LENGTHS: Mapping[str, int] = {
    "minimal": 1,
    "low": 2,
    "medium": 3,
    "high": 5,
    "xhigh": 6,
    "max": 7,
}
"""How many sentences each effort writes."""
_MOST_QUOTED = 160
_PLAIN = (
    (
        "I should say what matters most first, and keep to it.",
        "A short answer that stands by itself will help most here.",
        "The main point comes first, and details only where they help.",
    ),
    (
        "Examples are worth more than rules, so one of them may help.",
        "It is better to be clear than to be complete.",
        "I know only what I have read, so I should not promise more.",
    ),
    (
        "Whoever asks may be new to this, so simple words are best.",
        "I can leave out what nobody asked for.",
        "Each sentence should say one thing.",
    ),
    (
        "Now I check whether this answers what was asked.",
        "Before I answer, I look at the question once more.",
        "I go through it once more in my mind.",
    ),
    ("It does.", "That seems right.", "Nothing is missing."),
    ("So I can begin.", "Now I write it down.", "Then let me answer."),
)


def thinking(
    asked: str, effort: str, tokenizer: Tokenizer, aims: Sequence[str] = ()
) -> SentencesPredictor:
    """Return what writes the reasoning about a question.

    asked: the last user turn; effort: a key of LENGTHS, any other counts as medium; aims: sentences
    on what the answer will be, such as a tool call.
    """
    length = LENGTHS.get(effort, LENGTHS["medium"])
    slots = [_opening(asked), *(((aim, 1.0),) for aim in aims)]
    slots += [[(text, 1.0) for text in texts] for texts in _PLAIN]
    kept = slots[: max(length, 1 + len(aims) if length > 1 else 1)]
    spaced: list[Slot] = [kept[0]]
    spaced += [[(" " + text, weight) for text, weight in slot] for slot in kept[1:]]
    return SentencesPredictor(spaced, tokenizer)


def _opening(asked: str) -> Slot:
    quoted = " ".join(asked.split())
    if not quoted:
        return [("Nothing is asked, so I greet.", 1.0), ("There is no question yet.", 1.0)]
    if len(quoted) > _MOST_QUOTED:
        quoted = quoted[:_MOST_QUOTED].rstrip() + "\u2026"
    frames = ('The user says: "{}"', 'I am asked: "{}"', 'The question is: "{}"')
    return [(frame.format(quoted), 1.0) for frame in frames]
