"""The plan of a reply: the turn that it continues, the parts it is made of, and what ends it.

A plan is made before the first lap and decides no token: each part has a predictor, and the loop
draws every token from its distributions. The default model follows all that a request asks for; a
table or an echo keeps to forced formats and forced tools alone; a script says what it says.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from tokenlap.api.plan.asked import Asked, Call, Offer
from tokenlap.api.plan.conversation import Conversation
from tokenlap.api.plan.labelled import labelled_fields, unlabelled, wants_code
from tokenlap.api.plan.prompted import prompted_format
from tokenlap.api.plan.writing import Writer, Writers
from tokenlap.engine.batch import Model
from tokenlap.engine.predictor import Predictor
from tokenlap.engine.template import ASSISTANT, Turn
from tokenlap.engine.tokenizer import CALL, END, TokenId
from tokenlap.errors import BadRequest
from tokenlap.predictors.parts import Part, PartsPredictor, turn_lead
from tokenlap.predictors.sentences import SentencesPredictor

REASONING = "assistant reasoning"
_CODE = "Thought: I can answer this at once.\n<code>\nfinal_answer("


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a reply. header: of the turn that it opens, "" where it goes on in the open
    one; label: a text before it.
    """

    header: str
    writer: Writer
    label: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a reply comes about.

    opening: the turn that stays open; turns: those before it; calls: how many tools it calls;
    bound: it ends by itself, whatever the request says of the end token.
    """

    opening: Turn
    parts: tuple[Part, ...]
    end: TokenId = END
    calls: int = 0
    bound: bool = False
    turns: tuple[Turn, ...] = ()

    def predictor(self, begin: int) -> Predictor[Any]:
        """Return who writes the reply. begin: the length of the prompt, in tokens."""
        if len(self.parts) == 1 and not self.parts[0].lead and self.end == END:
            return self.parts[0].predictor
        return PartsPredictor(self.parts, begin, self.end)


async def plan_for(
    asked: Asked, turns: Sequence[Turn], opening: Turn | None, model: Model
) -> Plan | None:
    """Return the plan of a reply, None where the model simply goes on.

    Where a grammar may have to be made, it is made beside the event loop. Raises BadRequest for
    what cannot be honoured.
    """
    if opening is None or model.obeys == "nothing":
        return None
    conversation = Conversation(turns)
    heavy = asked.heavy or "{" in conversation.asked or "{" in conversation.system
    if heavy:
        return await asyncio.to_thread(plan_reply, asked, conversation, opening, model)
    return plan_reply(asked, conversation, opening, model)


def plan_reply(
    asked: Asked, conversation: Conversation, opening: Turn, model: Model
) -> Plan | None:
    """Return the plan of a reply, None where the model simply goes on; may take 40 ms for a new
    schema.
    """
    follows = model.obeys == "all"
    if follows and _left_open(conversation, opening, asked.effort):
        conversation, opening = Conversation(conversation.turns[:-1]), conversation.turns[-1]
    planner = _Planner(asked, conversation, opening, Writers(model, conversation), follows)
    made = planner.plan()
    return None if made is None else replace(made, turns=tuple(conversation.turns))


def _left_open(conversation: Conversation, opening: Turn, effort: str | None) -> bool:
    """Say whether the request leaves thinking open: it ends with some, and no answer has begun."""
    ends = conversation.turns[-1].header == REASONING if conversation.turns else False
    return ends and opening.header == ASSISTANT and not opening.body and effort != "none"


@dataclass(frozen=True, slots=True)
class _Planner:
    """Plans one reply. follows: the model does what a request asks for without force."""

    asked: Asked
    conversation: Conversation
    opening: Turn
    writers: Writers
    follows: bool

    def plan(self) -> Plan | None:
        if not self.follows and self.asked.choice.mode != "required" and not self.asked.format:
            return None
        called = self._calls()
        if called:
            pieces = [self._call(tool, turn) for tool, turn in called]
        else:
            pieces = self._labelled() or self._answer()
        thought = self._thought(called)
        if not pieces and thought is None:
            return None
        return self._assembled(thought, pieces, called)

    @property
    def _begun(self) -> bool:
        """Whether the open turn holds the beginning of an answer."""
        return bool(self.opening.body) and self.opening.header != REASONING

    def _calls(self) -> Sequence[Call]:
        if self._begun or not self.asked.tools:
            return ()
        from tokenlap.api.plan.calls import calls  # looks as the grammar does at what is asked

        return calls(self.asked, self.conversation)

    def _call(self, tool: Offer, turn: int) -> Piece:
        return Piece(f"{ASSISTANT} to={tool.name}", self.writers.forms.arguments(tool, turn))

    def _answer(self) -> list[Piece]:
        """Return the answer, nothing where the model simply goes on."""
        writer = self._formatted() or (self._unformatted() if self.follows else None)
        return [Piece(ASSISTANT, writer)] if writer is not None else []

    def _formatted(self) -> Writer | None:
        """Return who writes an answer of the form that is asked for, by parameter or prompt."""
        begun = self.opening.body if self._begun else ""
        if self.asked.format is not None:
            return self.writers.forms.answer(self.asked.format, begun)
        prompted = prompted_format(self.conversation) if self.follows and not begun else None
        if prompted is None:
            return None
        with suppress(BadRequest):  # the prompt is no contract: text will do
            return self.writers.forms.answer(prompted, "")
        return None

    def _unformatted(self) -> Writer | None:
        """Return who writes an answer that the default model could not."""
        if self._begun:
            return self.writers.forms.continues_json(self.opening.body)
        if self.conversation.results:
            return self.writers.result()
        if self.writers.arithmetic:
            return self.writers.sum(self.writers.steps and self.asked.effort is None)
        return None

    def _labelled(self) -> list[Piece]:
        """Return labelled parts, where the prompt asks for such and no parameter for a format."""
        if not self.follows or self._begun or self.asked.format is not None:
            return []
        if wants_code(self.conversation):
            argument = self.writers.forms.json({"type": "string", "minLength": 1})
            end = SentencesPredictor.one_of(["\n</code>"], self.writers.model.tokenizer)
            return [Piece("", argument, _CODE), Piece("", end, ")")]
        found = labelled_fields(self.conversation)
        if not found:
            return []
        writers = self.writers.about(unlabelled(self.conversation.asked))
        pieces: list[Piece] = []
        for field in found:
            label = f"[[ ## {field.name} ## ]]\n"
            pieces.append(Piece("", writers.forms.field(field), "\n\n" * bool(pieces) + label))
        end = SentencesPredictor.one_of(["[[ ## completed ## ]]"], self.writers.model.tokenizer)
        return [*pieces, Piece("", end, "\n\n")]

    def _thought(self, called: Sequence[Call]) -> Writer | None:
        """Return who thinks before the answer, None for nobody."""
        effort = self.asked.effort
        reopened = self.opening.header == REASONING
        if not self.follows or self._begun:
            return None
        if not reopened and effort in (None, "none"):
            return None
        return self.writers.thought(effort or "medium", self._aims(called))

    def _aims(self, called: Sequence[Call]) -> Sequence[str]:
        if called:
            names = " and ".join(dict.fromkeys(tool.name for tool, _ in called))
            return [f"This is what {names} can tell, so I call it."]
        if self.conversation.results:
            return ["The tool has answered, so I can say what it found."]
        return ["The answer must have the form that is asked for."] if self.asked.format else []

    def _assembled(
        self, thought: Writer | None, pieces: Sequence[Piece], called: Sequence[Call]
    ) -> Plan:
        """Return the plan of these pieces, one after the other."""
        tokenizer = self.writers.model.tokenizer
        written = [*([Piece(REASONING, thought)] if thought is not None else []), *pieces]
        if thought is not None and not pieces:
            written.append(Piece(ASSISTANT, self.writers.model.predictor))
        header = written[0].header or ASSISTANT
        parts: list[Part] = []
        for piece in written:
            lead = turn_lead(piece.header, tokenizer) if piece.header and parts else ()
            if parts and not piece.header and thought is not None and len(parts) == 1:
                lead = turn_lead(ASSISTANT, tokenizer)
            parts.append(Part(piece.writer, (*lead, *tokenizer.encode(piece.label))))
        return Plan(
            Turn(header, self.opening.body),
            tuple(parts),
            CALL if called else END,
            len(called),
            bound=bool(called or self.asked.format),
        )
