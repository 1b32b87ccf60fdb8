"""From tokens to what a reader may see: bytes become whole characters, markers become channels,
stop text is held back.
"""

from codecs import getincrementaldecoder
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from tokenlap.engine.event import Arguments, Channel, Event, PlainText, Run, Text, ToolCall, escape
from tokenlap.engine.holdback import HoldBack
from tokenlap.engine.template import ASSISTANT
from tokenlap.engine.tokenizer import MESSAGE, SPECIAL_TOKENS, START, TokenId, Tokenizer

_MARKERS = frozenset(SPECIAL_TOKENS.values())
_CHANNELS: dict[str, Channel] = {"reasoning": "reasoning", "refusal": "refusal"}
_NONE: Mapping[TokenId, Run | None] = MappingProxyType({})
_Utf8 = getincrementaldecoder("utf-8")
_LONGEST = 4
"""The most bytes of a character in UTF-8, and so the most tokens it can be cut into."""


class Pieces(dict[TokenId, Run | None]):
    """Each token's text as a ready-made event; None for a part of a character or a marker. Filled
    as tokens occur.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Take the tokenizer whose tokens these are; the table grows to at most its vocabulary."""
        super().__init__()
        self.tokenizer = tokenizer

    def __missing__(self, token: TokenId) -> Run | None:
        """Make, keep and return the piece of a token that is met for the first time."""
        piece: Run | None = None
        if token not in _MARKERS:
            try:
                text = self.tokenizer.token_bytes(token).decode("utf-8")
                piece = (PlainText(text, escape(text)),)
            except UnicodeDecodeError:
                piece = None
        self[token] = piece
        return piece


@lru_cache(maxsize=4)
def pieces_of(tokenizer: Tokenizer) -> Pieces:
    """Return the table of a tokenizer, shared by all replies."""
    return Pieces(tokenizer)


def unfinished(prompt: Sequence[TokenId], pieces: Pieces) -> bytes:
    """Return the bytes at the end of prompt that only begin a character, b"" where there are none.

    Example: the first two of the parrot's three tokens -> b"\\xf0\\x9f\\xa6"
    """
    tail = b""
    for token in reversed(prompt[-_LONGEST:]):
        if pieces[token] is not None or token in _MARKERS:
            break
        tail = pieces.tokenizer.token_bytes(token) + tail
    if not tail:
        return b""
    decoder = _Utf8("replace")
    decoder.decode(tail)
    return decoder.getstate()[0]


class Transcript:
    """Reads the tokens of one reply; after each push, `ready` holds the events that may leave.

    Bytes of a character wait for the rest of it; text that may become a stop sequence waits until
    it no longer can. A marker opens a header (`<|start|>`) or the body of one (`<|message|>`):
    "assistant" is the answer, "assistant reasoning" and "assistant refusal" are channels,
    "assistant to=NAME" is a tool call, "assistant filtered" says that a filter has cut the reply.
    In a raw text markers are skipped and mean nothing.

    `plain` are the tokens whose text is all there is to say, none where more must be looked at:
    whoever finds a token there may put its text into `ready` instead of a push.
    """

    def __init__(
        self,
        pieces: Pieces,
        holdback: HoldBack | None = None,
        opening: str = ASSISTANT,
        watched: bool = False,
        begun: bytes = b"",
    ) -> None:
        """Take the header of the open turn, whose body the reply continues, "" for a raw text.

        watched: keep `produced` and `released` up to date, at some cost per token; logprobs need
        them. begun: the bytes of a character that the prompt leaves unfinished; it leaves with the
        token that completes it.
        """
        self.ready: Sequence[Event] = ()
        self.produced = self.released = 0  # characters of answer or refusal: decoded, let go
        self.reasoning_tokens = 0
        self.calls = 0
        self._pieces = pieces
        self._holdback = holdback
        self._raw = not opening
        self._decoder = _Utf8("replace")
        if begun:
            self._decoder.decode(begun)
        self._header: str | None = None
        self._channel: Channel | None = None  # None: the arguments of a tool call
        self._watched = watched
        self._skipped = False
        self.plain: Mapping[TokenId, Run | None] = _NONE
        self._filtered = False
        self._opened = self._open_body(opening)  # of the open turn: leaves with the first lap

    @property
    def scored(self) -> bool:
        """Whether the last token was part of an answer or a refusal, whose logprobs the wire can
        carry.
        """
        return (
            not self._skipped and self._header is None and self._channel in ("content", "refusal")
        )

    @property
    def channel(self) -> Channel:
        """Where text goes now; the arguments of a tool call are no text."""
        return self._channel or "content"

    @property
    def matched(self) -> bool:
        """Whether a stop sequence is complete."""
        return self._holdback is not None and self._holdback.matched

    @property
    def called(self) -> bool:
        """Whether the reply holds a tool call."""
        return self.calls > 0

    @property
    def filtered(self) -> bool:
        """Whether a filter has cut the reply."""
        return self._filtered

    def push(self, token: TokenId, may_stop: bool = True) -> bool:
        """Take a token; return whether its text completed a stop sequence.

        may_stop: False where a stop sequence does not count yet (min_tokens).
        """
        if self.plain is not _NONE and (piece := self._pieces[token]) is not None:
            self.ready = piece
            return False
        matched = self._take(token, may_stop)
        if self._opened:
            self.ready, self._opened = (*self._opened, *self.ready), ()
        return matched

    def close(self) -> Sequence[Event]:
        """Return what was held back: the reply has ended. An unfinished character is dropped."""
        if self._holdback is None:
            return ()
        return self._text(self._holdback.flush())

    def skip(self) -> None:
        """Take a stop token, whose text is not shown."""
        self.ready, self._opened = self._opened, ()
        self._skipped = True

    def _take(self, token: TokenId, may_stop: bool) -> bool:
        self.reasoning_tokens += self._channel == "reasoning"
        if token in _MARKERS:
            self.ready = self._mark(token)
            return False
        text = self._decoder.decode(self._pieces.tokenizer.token_bytes(token))
        self._settle()
        if self._header is not None:
            self._header += text
            self.ready = ()
            return False
        return self._body(text, may_stop)

    def _body(self, text: str, may_stop: bool) -> bool:
        if self._channel in ("content", "refusal"):
            self.produced += len(text)
        if self._channel != "content" or self._holdback is None:
            self.ready = self._text(text)
            return False
        self.ready = self._text(self._holdback.push(text, may_stop))
        return self.matched

    def _text(self, text: str) -> Sequence[Event]:
        if not text:
            return ()
        if self._channel is None:
            return (Arguments(self.calls - 1, text, escape(text)),)
        if self._channel != "reasoning":
            self.released += len(text)
        if self._channel == "content":
            return (PlainText(text, escape(text)),)
        return (Text(text, escape(text), self._channel),)

    def _mark(self, token: TokenId) -> Sequence[Event]:
        """Follow a marker from body to header, before which all that was held back leaves, and
        back; the others are not seen, so text goes on after them as if they were not there.
        """
        self._decoder.reset()
        if token == MESSAGE and self._header is not None:
            return self._open_body(self._header)
        if token != START or self._raw:
            return ()
        self._header = ""
        self.plain = _NONE
        return self.close()

    def _open_body(self, header: str) -> Sequence[Event]:
        words = header.split()
        recipient = next((word[3:] for word in words if word.startswith("to=")), "")
        self._header = None
        self._filtered = words[-1:] == ["filtered"]
        self._channel = None if recipient else _CHANNELS.get(words[-1] if words else "", "content")
        self._settle()
        if not recipient:
            return ()
        self.calls += 1
        return (ToolCall(self.calls - 1, recipient),)

    def _settle(self) -> None:
        """Choose the fast path where a token's piece is all there is to say."""
        plain = (
            self._channel == "content"
            and self._header is None
            and self._holdback is None
            and not self._watched
            and not self._decoder.getstate()[0]
        )
        self.plain = self._pieces if plain else _NONE
