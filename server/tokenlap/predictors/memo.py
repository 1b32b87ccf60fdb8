"""A predictor that remembers what another has said: the same document has the same distribution.

Replies are never kept: the loop draws each token anew. It pays where a prompt comes again, since
the die of the same request falls on the same tokens (measured: 1 us a token in place of 20), and
costs 0.5 us a token where it does not.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tokenlap.engine.predictor import Distribution, Predictor
from tokenlap.engine.tokenizer import TokenId

KEPT_NODES = 16_384
"""Distributions that are kept at the most, about 1 KB each."""
LONGEST_PROMPT = 8_192
"""Prompts of more tokens are not kept: reading them costs more than their reply."""


class Node:
    """What is known of one document: its distribution, once asked for, and longer documents."""

    __slots__ = ("after", "distribution")

    def __init__(self) -> None:
        """Begin with nothing known."""
        self.distribution: Distribution | None = None
        self.after: dict[TokenId, Node] = {}


class Tree:
    """A prompt and what has been written after it. kept: whether it counts, or is forgotten."""

    __slots__ = ("kept", "nodes", "root")

    def __init__(self, kept: bool) -> None:
        """Begin with the prompt alone."""
        self.root = Node()
        self.nodes = 1
        self.kept = kept


@dataclass(slots=True)
class MemoState:
    """Where in a tree a sequence is; inner: the other predictor's state, None while it has not been
    needed.
    """

    prompt: Sequence[TokenId]
    tree: Tree
    node: Node
    written: list[TokenId]
    inner: Any = None


class MemoPredictor:
    """Asks the other predictor only for documents that are new, or have been forgotten."""

    def __init__(self, inner: Predictor[Any], kept_nodes: int = KEPT_NODES) -> None:
        """Take a predictor whose distributions do not change after they have been handed out."""
        self._inner = inner
        self._kept = kept_nodes
        self._nodes = 0
        self._trees: OrderedDict[tuple[TokenId, ...], Tree] = OrderedDict()

    def start(self, prompt: Sequence[TokenId]) -> MemoState:
        """Find the tree of a prompt, without reading it."""
        short = len(prompt) <= LONGEST_PROMPT
        tree = self._tree(tuple(prompt)) if short else Tree(kept=False)
        return MemoState(prompt, tree, tree.root, [])

    def next(self, state: MemoState) -> Distribution:
        """Return what is known, or what the other predictor says."""
        known = state.node.distribution
        if known is not None:
            return known
        if state.inner is None:
            state.inner = self._inner.start([*state.prompt, *state.written])
        said = state.node.distribution = self._inner.next(state.inner)
        return said

    def append(self, state: MemoState, token: TokenId) -> MemoState:
        """Go on to the longer document."""
        if state.inner is not None:
            state.inner = self._inner.append(state.inner, token)
        state.written.append(token)
        after = state.node.after
        node = after.get(token)
        if node is None:
            node = after[token] = Node()
            self._grow(state.tree)
        state.node = node
        return state

    def _tree(self, prompt: tuple[TokenId, ...]) -> Tree:
        tree = self._trees.get(prompt)
        if tree is None:
            tree = self._trees[prompt] = Tree(kept=True)
            self._count()
        else:
            self._trees.move_to_end(prompt)
        return tree

    def _grow(self, tree: Tree) -> None:
        tree.nodes += 1
        if tree.kept:
            self._count()

    def _count(self) -> None:
        """Make room for a new node: whole trees go, those first that were begun longest ago."""
        self._nodes += 1
        while self._nodes > self._kept:
            _, oldest = self._trees.popitem(last=False)
            oldest.kept = False  # who writes in it goes on, and nobody else finds it
            self._nodes -= oldest.nodes
