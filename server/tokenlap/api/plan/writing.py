"""Who writes each part that has no form: an answer from the result of a tool, a sum, thinking."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tokenlap.api.plan.conversation import Conversation
from tokenlap.engine.batch import Model
from tokenlap.engine.predictor import Predictor
from tokenlap.predictors.arithmetic import ArithmeticPredictor, question
from tokenlap.predictors.asking import AskingPredictor
from tokenlap.predictors.sentences import SentencesPredictor
from tokenlap.predictors.thinking import thinking

if TYPE_CHECKING:
    from tokenlap.api.plan.forms import Forms

Writer = Predictor[Any]
_RESULTS = (
    "Here is what I found: {}.",
    "The tool says: {}.",
    "According to the result, {}.",
)
_NOTHING = ("Done.", "That is done.", "It worked: the tool had nothing to add.")
STEPS = ("step by step", "show your work", "show the work", "think it through", "think carefully")


@dataclass(frozen=True, slots=True)
class Writers:
    """Makes the predictors for one conversation."""

    model: Model
    conversation: Conversation

    @property
    def forms(self) -> "Forms":
        """What makes those that keep to a form."""
        from tokenlap.api.plan.forms import Forms

        return Forms(self.model, self.conversation)

    def about(self, question: str) -> "Writers":
        """Return what makes the same of another question in place of the last one."""
        asking = AskingPredictor(self.model.predictor, self.model.tokenizer, question)
        return Writers(replace(self.model, predictor=asking), self.conversation.asking(question))

    def result(self) -> Writer:
        """Return what answers with the results of the tools that were called."""
        told = self.conversation.told
        sentences = [frame.format(told) for frame in _RESULTS] if told else _NOTHING
        return SentencesPredictor.one_of(sentences, self.model.tokenizer)

    def thought(self, effort: str, aims: Sequence[str]) -> Writer:
        """Return what thinks before the answer."""
        if self.arithmetic:
            return ArithmeticPredictor(self.model.tokenizer)
        return thinking(self.conversation.asked, effort, self.model.tokenizer, aims)

    def sum(self, shown: bool) -> Writer:
        """Return what answers a question of arithmetic. shown: with its working."""
        return ArithmeticPredictor(self.model.tokenizer, shown)

    @property
    def arithmetic(self) -> bool:
        """Whether the last user turn asks for a sum and nothing else."""
        return question(self.conversation.asked) is not None

    @property
    def steps(self) -> bool:
        """Whether the last user turn asks for the steps as well."""
        asked = self.conversation.asked.lower()
        return any(words in asked for words in STEPS)
