"""A predictor that remembers what another has said: the same document has the same distribution.

Replies are never kept: the loop draws each token anew. It pays where a prompt comes again, since
the die of the same request falls on the same tokens (measured: 1 us a token in place of 20). What
is kept costs a third more than what is thrown away, so a prompt is kept from its second time on.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tokenlap.engine.predictor import Distribution, Predictor
from tokenlap.engine.tokenizer import TokenId

KEPT_NODES = 16_384
"""Distributions that are kept at the most, about 1 KB each."""
KEPT_PROMPTS = 4_096
"""Prompts that are known to have come once; of these only a hash is kept."""
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

    def __init__(self) -> None:
        """Begin with the prompt alone."""
        self.root = Node()
        self.nodes = 1
        self.kept = True


@dataclass(slots=True)
class MemoState:
    """Where in a tree a sequence is, None for nowhere; inner: the other predictor's state, None
    while it has not been needed.
    """

    prompt: Sequence[TokenId]
    inner: Any = None
    tree: Tree | None = None
    node: Node | None = None
    written: list[TokenId] = field(default_factory=list)


class MemoPredictor:
    """Asks the other predictor only for documents that are new, or have been forgotten."""

    def __init__(self, inner: Predictor[Any], kept_nodes: int = KEPT_NODES) -> None:
        """Take a predictor whose distributions do not change after they have been handed out."""
        self._inner = inner
        self._kept = kept_nodes
        self._nodes = 0
        self._trees: OrderedDict[tuple[TokenId, ...], Tree] = OrderedDict()
        self._once: OrderedDict[int, None] = OrderedDict()

    def start(self, prompt: Sequence[TokenId]) -> MemoState:
        """Find the tree of a prompt, without reading it; read a prompt that comes for the first
        time.
        """
        tree = self._tree(tuple(prompt)) if len(prompt) <= LONGEST_PROMPT else None
        if tree is None:
            return MemoState(prompt, self._inner.start(prompt))
        return MemoState(prompt, None, tree, tree.root)

    def next(self, state: MemoState) -> Distribution:
        """Return what is known, or what the other predictor says."""
        node = state.node
        if node is None:
            return self._inner.next(state.inner)
        if node.distribution is None:
            if state.inner is None:
                state.inner = self._inner.start([*state.prompt, *state.written])
            node.distribution = self._inner.next(state.inner)
        return node.distribution

    def append(self, state: MemoState, token: TokenId) -> MemoState:
        """Go on to the longer document."""
        if state.inner is not None:
            state.inner = self._inner.append(state.inner, token)
        if state.node is not None:
            state.written.append(token)
            state.node = self._after(state, state.node, token)
        return state

    def _after(self, state: MemoState, node: Node, token: TokenId) -> Node:
        after = node.after.get(token)
        if after is None:
            after = node.after[token] = Node()
            assert state.tree is not None
            self._grow(state.tree)
        return after

    def _tree(self, prompt: tuple[TokenId, ...]) -> Tree | None:
        """Return the tree of a prompt, None where it comes for the first time."""
        tree = self._trees.get(prompt)
        if tree is not None:
            self._trees.move_to_end(prompt)
            return tree
        name = hash(prompt)
        if name not in self._once:
            self._once[name] = None
            if len(self._once) > KEPT_PROMPTS:
                self._once.popitem(last=False)
            return None
        tree = self._trees[prompt] = Tree()
        self._count()
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
