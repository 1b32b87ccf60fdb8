"""What a prompt is about, as words that fit into a sentence: the text of the slot {t}."""

import re
from collections.abc import Callable, Sequence

from tokenlap.predictors.ngram.words import REQUEST_WORDS, STOP_WORDS, split_words, word_set

Weigh = Callable[[str], float]
"""The idf of a word as written; intent words weigh nothing."""

_MOST_WORDS = 5
_LONGEST_WORD = 40
_QUOTED = re.compile(r"[\"\u201c`]([^\"\u201c\u201d`\n]{2,60})[\"\u201d`]")
_PARTS = re.compile(r"[^\w\s'\u2019./+#&%-]+|[.](?=\s|$)|\s-+\s|\n")
_LINKS = word_set("of in the and for a an on to with")
_ARTICLES = word_set("the a an my your our his her their")
_AFTER_ABOUT = 3.0
_TURNED = {"my": "your", "your": "my", "our": "your", "me": "you", "myself": "yourself"}
_BEFORE_VERB = word_set("i we you")
_ASKING_VERB = word_set("how do can could should would want need learn try like ways way best help")
_AFTER_DO = word_set("do does did")
_ASKING_FIRST = word_set("is are was were can could will would should")
_ASKING_PRONOUNS = word_set("what which who")
_CLAUSE_ENDS = word_set("work works mean happen look function matter")
_PARTICIPLES = word_set("made built done born grown known written sold found held")
_PREPOSITIONS = word_set("at in on for from after before during by with")
_KEEPS_S = ("ss", "us", "is")


def topic(text: str, weigh: Weigh) -> str:
    """Return what text is about: quoted words, else the run of at most five words that weighs most.

    A run starts and ends with words of content and may have links (of, in, the) inside. It keeps a
    leading article, turns my into your, and a verb after "how to" into its -ing form; "" if there
    is no such run.
    Example: "How do I repair a bicycle?" -> "repairing a bicycle"
    """
    quoted = _QUOTED.search(text)
    if quoted:
        return quoted[1].strip()
    best, most = "", 0.0
    for part in _PARTS.split(text):
        words = [word.strip("'\u2019.-/&%") for word in part.split()]
        words = [word for word in words if word]
        for begin, end in _runs(words, weigh):
            weight = sum(weigh(word) for word in words[begin:end])
            if "about" in words[max(0, begin - 2) : begin]:
                weight *= _AFTER_ABOUT
            if weight > most:
                best, most = _phrase(words, begin, end), weight
    return best


def gerund(verb: str) -> str:
    """Return the -ing form of an English verb.

    Example: repair -> repairing, make -> making, run -> running, tie -> tying
    """
    if verb.endswith("ing") and len(verb) > 4:
        return verb
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")) and len(verb) > 2:
        return verb[:-1] + "ing"
    doubled = re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprt]", verb) and len(verb) <= 5
    return verb + (verb[-1] if doubled and not verb.endswith("k") else "") + "ing"


def _runs(words: Sequence[str], weigh: Weigh) -> list[tuple[int, int]]:
    """Return (begin, end) of each run of at most five words from and to a word of content."""
    content = [_is_content(word) and weigh(word) > 0 for word in words]
    found: list[tuple[int, int]] = []
    for begin in (i for i, it in enumerate(content) if it):
        end = begin + 1
        for at in range(begin + 1, min(len(words), begin + _MOST_WORDS)):
            if content[at]:
                end = at + 1
            elif words[at].lower() not in _LINKS:
                break
        found.append((begin, end))
    return found


def _is_content(word: str) -> bool:
    plain = "".join(split_words(word))
    return (
        0 < len(plain) <= _LONGEST_WORD and plain not in STOP_WORDS and plain not in REQUEST_WORDS
    )


def _phrase(words: Sequence[str], begin: int, end: int) -> str:
    """Return a run as it stands after "about": with its article, persons turned, verbs as -ing."""
    before = [word.lower() for word in words[:begin]]
    run = list(words[begin:end])
    at_end = end == len(words) or words[end].lower() in _PREPOSITIONS
    if len(before) == 1 and before[0] in _ASKING_PRONOUNS and run[1:2] and run[1] in _ARTICLES:
        run = run[1:]  # who invented | the zipper
    elif before and _subject_of(before):
        run = _subject(run, at_end)
    elif len(run) > 1 and at_end and _is_said_of(before, run[-1].lower()):
        run = run[:-1]
    elif before and _follows_verb_frame(before, words[begin + 1 :]):
        run[0] = gerund(run[0])
    elif before[-1:] in (["that"], ["which"]) and _is_third_person(run[0]):
        run[0] = gerund(_infinitive(run[0]))
    elif not before and run[0][0].isupper() and run[0][1:].islower() and len(run) > 1:
        run[0] = run[0].lower()
    while len(run) > 1 and run[-1].lower() in _LINKS:
        run = run[:-1]
    if before and before[-1] in _ARTICLES:
        run.insert(0, before[-1])
    return " ".join(_TURNED.get(word.lower(), word) for word in run)


def _is_third_person(verb: str) -> bool:
    return verb.endswith("s") and not verb.endswith(_KEEPS_S)


def _is_said_of(before: Sequence[str], last: str) -> bool:
    """Say whether a question says the last word of a run of the others: "why is the sky blue"."""
    if len(before) < 2 or before[1] not in ("is", "are", "was", "were"):
        return False
    return before[0] == "why" or (
        before[0] in ("how", "when", "where") and (last.endswith("ed") or last in _PARTICIPLES)
    )


def _subject_of(before: Sequence[str]) -> bool:
    """Say whether the run is what "do" or "does" asks about ("how do", "why does the"), or a verb
    in front ("is", "can").
    """
    verb = before[:-1] if before[-1] in _ARTICLES else before
    return verb[-1:] != [] and (
        verb[-1] in _AFTER_DO or (len(verb) == 1 and verb[0] in _ASKING_FIRST)
    )


def _subject(run: list[str], at_end: bool) -> list[str]:
    """Return the subject of a clause such as "black holes form", as far as endings tell."""
    if len(run) > 1 and run[-1].lower() in _CLAUSE_ENDS:
        return run[:-1]
    for at, word in enumerate(run[:-1]):
        if _is_third_person(word):  # or a plural
            return run[: at + 1]
    if len(run) == 2 and at_end:
        return run[:1]
    return run[:1] if len(run) > 2 else run


def _follows_verb_frame(before: Sequence[str], after: Sequence[str]) -> bool:
    """Say whether a verb comes next: "how to", "do I", "want to", "to" before "invite a friend"."""
    asks = before[-2:-1] != [] and before[-2] in _ASKING_VERB
    if before[-1] == "to":
        return len(before) == 1 or asks or (after[:1] != [] and after[0].lower() in _ARTICLES)
    return before[-1] in _BEFORE_VERB and asks


def _infinitive(verb: str) -> str:
    """Return the plain form of a verb: sorts -> sort, tries -> try, watches -> watch."""
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    return verb[:-2] if verb.endswith(("ches", "shes", "sses", "xes")) else verb[:-1]
