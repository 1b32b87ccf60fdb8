"""Who writes what has a form: JSON of a schema, a text of a grammar, one of some texts.

Imported when the first request asks for a form: grammars take 60 ms of a start.
"""

import json
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tokenlap.api.plan.asked import Format, Json, Offer
from tokenlap.api.plan.conversation import Conversation
from tokenlap.api.plan.labelled import Field
from tokenlap.api.plan.prompted import keyed, prompted_format
from tokenlap.api.plan.writing import Writer
from tokenlap.engine.batch import Model
from tokenlap.errors import BadRequest
from tokenlap.predictors.grammar.build import shape_of
from tokenlap.predictors.grammar.facts import Facts, facts_of
from tokenlap.predictors.grammar.mask import GrammarPredictor
from tokenlap.predictors.grammar.matcher import Matcher, follow, follow_any, follow_shape
from tokenlap.predictors.grammar.shape import NO_NOTE, Note, SchemaRefused, Shape, titled
from tokenlap.predictors.grammar.steer import is_prose, texts
from tokenlap.predictors.grammar.values import ValuePredictor
from tokenlap.predictors.sentences import SentencesPredictor

_ANSWER = {
    "type": "object",
    "properties": {"answer": {"type": "string", "minLength": 1}},
    "required": ["answer"],
}
"""What a question is answered with, in JSON, where no keys are named."""
_KEPT = 128
_LARGEST_KEPT = 100_000
"""How many schemas are kept with their grammars, and how long they may be, in characters."""


@dataclass(frozen=True, slots=True)
class Forms:
    """Makes the predictors of forms for one conversation."""

    model: Model
    conversation: Conversation

    def json(self, schema: Json, turn: int = 0, title: str = "", name: str = "") -> Writer:
        """Return what writes JSON of a schema. turn: which of several alike; title: of the whole;
        name: of the property that it is.

        Raises SchemaRefused.
        """
        source = json.dumps(schema)
        made = _kept if len(source) <= _LARGEST_KEPT else _compiled
        shape, beginning = made(source, title)
        facts = self.facts(turn)
        values = ValuePredictor(shape, self.model.tokenizer, self.model.predictor, facts, name)
        return GrammarPredictor(beginning, values, self.model.tokenizer)

    def arguments(self, tool: Offer, turn: int) -> Writer:
        """Return what writes the arguments of a call, or the input of a custom tool.

        Raises BadRequest for a schema that cannot be honoured.
        """
        if tool.custom:
            return self._input(tool)
        try:
            return self.json(_object_schema(tool.schema), turn)
        except SchemaRefused as refused:
            raise BadRequest(
                f"Invalid schema for function '{tool.name}': {refused}.",
                tool.param,
                "invalid_function_parameters",
            ) from None

    def answer(self, format: Format, begun: str) -> Writer:
        """Return what writes an answer of a format. begun: what is written of it already.

        Raises BadRequest for a format that cannot be honoured.
        """
        try:
            writer = self._answer(format)
        except SchemaRefused as refused:
            what = f"schema for response_format '{format.name}'" if format.name else "format"
            raise BadRequest(f"Invalid {what}: {refused}.", format.param) from None
        return writer if not begun else self._continuing(writer, format, begun)

    def field(self, field: Field) -> Writer:
        """Return what writes the value of a labelled field."""
        if field.texts:
            return SentencesPredictor.one_of(field.texts, self.model.tokenizer)
        if field.schema is None:
            if is_prose(field.name, NO_NOTE):
                return self.model.predictor
            offered = texts(field.name, NO_NOTE, NO_NOTE, self.facts())
            return SentencesPredictor([offered], self.model.tokenizer)
        try:
            return self.json(field.schema, name=field.name)
        except SchemaRefused as refused:
            message = f"Invalid schema for field '{field.name}': {refused}."
            raise BadRequest(message, "messages") from None

    def continues_json(self, begun: str) -> Writer | None:
        """Return what makes one JSON value of the beginning of one, None where it begins none."""
        if begun[:1] not in ("{", "["):
            return None
        beginning = follow_any("object" if begun[0] == "{" else "array")
        if not beginning.copy().take(begun.encode()):
            return None
        return self._free(beginning)

    def facts(self, turn: int = 0) -> Facts:
        """Return what values may be about."""
        conversation = self.conversation
        return facts_of(conversation.asked, conversation.results, _sentence(conversation), turn)

    def _answer(self, format: Format) -> Writer:
        match format.kind:
            case "schema":
                return self.json(format.value, title=format.name)
            case "object":
                return self._object()
            case "one_of":
                return SentencesPredictor.one_of(format.value, self.model.tokenizer)
            case _:
                return self._grammar(format.value, format.kind)

    def _object(self) -> Writer:
        """Return what writes a JSON object that no parameter describes: as the prompt describes it,
        by its keys, or an answer to a question; else whatever the model writes.
        """
        asked, described = self.conversation.asked, prompted_format(self.conversation)
        schema = described.value if described else keyed(asked) or keyed(self.conversation.system)
        if schema is None and "?" in asked:
            schema = _ANSWER
        if schema is not None:
            with suppress(SchemaRefused):  # the prompt is no contract: any object will do
                return self.json(schema)
        return self._free(follow_any("object"))

    def _continuing(self, writer: Writer, format: Format, begun: str) -> Writer:
        """Return the writer, if the open turn is a beginning that it can go on from."""
        if isinstance(writer, GrammarPredictor) and not writer.fits(begun.encode()):
            raise BadRequest(
                "Invalid 'messages': the last message, which is to be continued, is not the "
                f"beginning of a text of the form that '{format.param}' asks for.",
                "messages",
            )
        return writer

    def _free(self, beginning: Matcher) -> Writer:
        """Return the model itself, kept to any JSON value."""
        model = self.model
        return GrammarPredictor(beginning, model.predictor, model.tokenizer, closes=True)

    def _grammar(self, source: str, syntax: Any) -> Writer:
        beginning = follow(source, syntax)
        inner = self.model.predictor
        return GrammarPredictor(beginning, inner, self.model.tokenizer, is_json=False)

    def _input(self, tool: Offer) -> Writer:
        """Return what writes the input of a custom tool."""
        if tool.grammar is not None:
            syntax, source = tool.grammar
            try:
                return self._grammar(source, syntax)
            except SchemaRefused as refused:
                message = f"Invalid grammar for custom tool '{tool.name}': {refused}."
                raise BadRequest(message, f"{tool.param}.format") from None
        note = Note(tool.name, tool.description)
        offered = texts(tool.name, note, NO_NOTE, self.facts())
        return SentencesPredictor([offered], self.model.tokenizer)


@lru_cache(maxsize=_KEPT)
def _kept(schema: str, title: str) -> tuple[Shape, Matcher]:
    return _compiled(schema, title)


def _compiled(schema: str, title: str) -> tuple[Shape, Matcher]:
    """Return the shape of a schema and its grammar."""
    shape = titled(shape_of(json.loads(schema)), title)
    return shape, follow_shape(shape)


def _object_schema(schema: Json) -> Json:
    """Return the schema of arguments, which are an object in any case."""
    if isinstance(schema, dict) and "type" not in schema:
        return {**schema, "type": "object"}
    return schema


def _sentence(conversation: Conversation) -> str:
    told = conversation.told
    return told[:1].upper() + told[1:] + "." if told else ""
