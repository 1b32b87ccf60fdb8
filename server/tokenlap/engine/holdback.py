"""Stop sequences on decoded text: find the earliest match, and hold back what may still become
one.
"""

from collections.abc import Sequence


class HoldBack:
    """Releases text as soon as it can no longer be the beginning of a stop sequence.

    Only a suffix that is a true prefix of some stop sequence waits; once a sequence is complete,
    `matched` is set, the text before it is released and whatever follows it is dropped.
    Example: stop "\\nUser:"; push(" 42") -> " 42", push("\\n") -> "", push("User") -> "", push(":")
    -> "", matched
    """

    def __init__(self, sequences: Sequence[str], include: bool = False) -> None:
        """Take non-empty sequences; include releases the matched sequence as well."""
        self._sequences = sequences
        self._include = include
        self._firsts = frozenset(sequence[0] for sequence in sequences)
        self._held = ""
        self.matched = False

    def push(self, text: str, may_stop: bool = True) -> str:
        """Take the text of a lap and return what may leave now.

        may_stop: False where a sequence that is complete does not count yet (min_tokens); it never
        counts later, though one that only begins here may.
        """
        begun, buffer = len(self._held), self._held + text
        if self._firsts.isdisjoint(buffer):
            self._held = ""
            return buffer
        end = self._match(buffer, begun) if may_stop else None
        if end is not None:
            self.matched, self._held = True, ""
            return buffer[:end]
        waiting = self._waiting(buffer)
        self._held = buffer[len(buffer) - waiting :]
        return buffer[: len(buffer) - waiting]

    def flush(self) -> str:
        """Return what is held: the reply has ended, so no sequence can complete."""
        held, self._held = self._held, ""
        return held

    def _match(self, buffer: str, begun: int) -> int | None:
        """Return where the released text ends, if a sequence is complete that ends after the first
        `begun` characters; the earliest position wins.
        """
        found = [
            (at, s)
            for s in self._sequences
            if (at := buffer.find(s, max(0, begun - len(s) + 1))) >= 0
        ]
        if not found:
            return None
        at, sequence = min(found, key=lambda match: (match[0], len(match[1])))
        return at + len(sequence) if self._include else at

    def _waiting(self, buffer: str) -> int:
        """Return the length of the longest suffix of buffer that begins a sequence."""
        longest = max(len(sequence) for sequence in self._sequences) - 1
        for start in range(max(0, len(buffer) - longest), len(buffer)):
            if buffer[start] in self._firsts:
                suffix = buffer[start:]
                if any(s != suffix and s.startswith(suffix) for s in self._sequences):
                    return len(suffix)
        return 0
