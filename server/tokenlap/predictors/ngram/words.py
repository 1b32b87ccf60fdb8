"""Words as the retrieval sees them: lower case, without endings, with short lists of the commonest
ones.
"""

import re


def word_set(text: str) -> frozenset[str]:
    """Return the words of text that blanks separate."""
    return frozenset(text.split())


_WORD = re.compile(r"[^\W_]+")
_ENDINGS = ("ings", "ing", "es", "ed", "s", "e")
_SHORTEST_STEM = 3
_DOUBLED = re.compile(r"([bdgmnprt])\1$")

STOP_WORDS = word_set("""
a an the this that these those it its i me my mine you your yours he she his her they them their
we us our is are was were be been being am do does did done doing have has had having will would
can could shall should may might must of in on at by for with from to into onto about as and or
but not no so if then than too very what whats which who whom whose when where why how there here
just please some any all both each more most other such only own same up down out over under again
dont doesnt didnt cant im ive id youre isnt arent lets let get got tell give make one also really
much many way good better best well often usually always never still even ever another
""")
REQUEST_WORDS = word_set("""
write show explain describe create generate return help need want know say tell give make define
compare summarize summarise list suggest recommend provide produce compose draft teach find think
use using start begin mean means happen happens exactly simple simply short brief briefly long
quick quickly good best better difference between thing things something anything example examples
word words sentence sentences line lines paragraph step steps idea ideas tips advice question
answer detail details like come comes look once upon time ask asking versus vs beginner understand
please meant keep reading does q possible important hello hi hey thanks thank today now
""")
"""Words that ask for something and seldom are what a prompt is about."""

# Frequent short words of German, French, Spanish, Italian, Portuguese, Dutch and Polish that
# English does not have.
_FOREIGN_WORDS = word_set("""
der das und ist nicht ich ein eine wie wer warum mit für auf den dem bitte kann mir le la les est
et une pour qui que dans avec pourquoi comment je vous des du quelle quel el los las es un por
como qué cómo para una del está cuál quién il che di sono perché come della per uno o os em não
uma você é het een en van ik wat hoe waarom jak jest nie czy co się dlaczego
qual onde quem porque hola bonjour salut merci gracias hallo danke guten ciao grazie olá obrigado
cześć är och jag vad det inte
""")
_BASIC_LATIN_END = 0x24F
"""Last code point of Latin Extended-B; letters beyond are Greek, Cyrillic, Arabic, Chinese and so
on.
"""


def split_words(text: str) -> list[str]:
    """Return the lower-case words of text, in order, apostrophes dropped.

    Example: "Don't STOP, 2 of them" -> ["dont", "stop", "2", "of", "them"]
    """
    return _WORD.findall(text.lower().replace("'", "").replace("\u2019", ""))


def stem(word: str) -> str:
    """Return word without one of the endings ings, ing, es, ed, s, e, so that its forms meet.

    Example: caching, caches, cache -> cach; stopped, stop -> stop; stories, story -> stori
    """
    for ending in _ENDINGS:
        if (
            word.endswith(ending)
            and len(word) - len(ending) >= _SHORTEST_STEM
            and not word.endswith("ss")
        ):
            word = word[: -len(ending)]
            if (
                ending in ("ings", "ing", "ed")
                and len(word) > _SHORTEST_STEM
                and _DOUBLED.search(word)
            ):
                word = word[:-1]
            break
    return word[:-1] + "i" if word.endswith("y") and len(word) > _SHORTEST_STEM else word


STOP_STEMS = frozenset(map(stem, STOP_WORDS))
REQUEST_STEMS = frozenset(map(stem, REQUEST_WORDS))


STOP_SHARE, REQUEST_SHARE = 0.15, 0.4
"""How much of their idf words keep that say little: a, the, how; and explain, simply, advice."""


def is_request(stem: str) -> bool:
    """Say whether a stem asks for something, or counts it, rather than names it."""
    return stem in REQUEST_STEMS or stem.isdigit()


def stems(text: str) -> list[str]:
    """Return the stems of the words of text, in order, each once."""
    return list(dict.fromkeys(map(stem, split_words(text))))


def is_foreign(text: str, known: frozenset[str]) -> bool:
    """Say whether text is probably not English.

    known: the stems of the corpus. True when over 30 % of the letters are beyond U+024F; at least
    two words are frequent ones of other languages and English stop words are no more; no word is a
    stop word or known, and there are four or a frequent foreign one; or there are no words but
    signs beyond ASCII.
    """
    letters = [ord(sign) for sign in text if sign.isalpha()]
    if sum(letter > _BASIC_LATIN_END for letter in letters) > 0.3 * max(1, len(letters)):
        return True
    words = split_words(text)
    if not words:
        return any(ord(sign) > 127 for sign in text)
    english = sum(word in STOP_WORDS for word in words)
    foreign = sum(word in _FOREIGN_WORDS for word in words)
    if foreign >= 2 and foreign >= english:
        return True
    if english or any(stem(word) in known for word in words):
        return False
    return len(words) >= 4 or foreign > 0
