"""A transition table: for each token, how likely each other token is to come next. The lesson's
model.

The built-in one knows "The capital of France is": is -> Paris .92, located .05, the .03; Paris -> .
.85, ',' .10, a .05; . -> end .99, newline .01. Whatever the table does not list is followed by the
end token.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tokenlap.engine.predictor import Distribution
from tokenlap.engine.tokenizer import END, TokenId, Tokenizer

Table = Mapping[str, Mapping[str, float]]
END_NAME = "<end>"

LESSON: Table = {
    " is": {" Paris": 0.92, " located": 0.05, " the": 0.03},
    " Paris": {".": 0.85, ",": 0.10, " a": 0.05},
    ".": {END_NAME: 0.99, "\n": 0.01},
}

_OVER = Distribution.certain(END, context=1)


class TablePredictor:
    """Looks at the last token alone. The state is that token."""

    def __init__(self, table: Table, tokenizer: Tokenizer) -> None:
        """Take token texts to weights of token texts, `<end>` for the end token.

        Raises ValueError for a text that is not exactly one token, or weights that do not sum above
        zero.
        """
        self._rows = {
            token_of(text, tokenizer): Distribution.of(
                {token_of(nxt, tokenizer): weight for nxt, weight in row.items()}, context=1
            )
            for text, row in table.items()
        }

    def start(self, prompt: Sequence[TokenId]) -> TokenId:
        """Return the last token of the prompt, the end token for an empty one."""
        return prompt[-1] if prompt else END

    def next(self, state: TokenId) -> Distribution:
        """Return the row of the last token; an unlisted one is followed by the end token."""
        return self._rows.get(state, _OVER)

    def append(self, state: TokenId, token: TokenId) -> TokenId:
        """Look at the new token from now on."""
        return token


def token_of(text: str, tokenizer: Tokenizer) -> TokenId:
    """Return the one token that text is; raises ValueError, naming the pieces, where it is
    several.
    """
    if text == END_NAME:
        return END
    tokens = tokenizer.encode(text)
    if len(tokens) != 1:
        pieces = [tokenizer.decode([token]) for token in tokens]
        raise ValueError(f"a table entry is one token, but {text!r} is {len(tokens)}: {pieces}")
    return tokens[0]


def read_table(path: Path) -> Table:
    """Read a table from a YAML file: token text -> {next token text: weight}.

    Raises ValueError that says what is wrong where the file does not hold such a mapping.
    """
    import yaml  # 10 ms: most servers read no table

    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: this is not YAML in UTF-8: {error}") from None
    if not isinstance(loaded, dict) or not loaded:
        raise ValueError(
            f"{path}: expected a mapping of token texts to rows, got {type(loaded).__name__}"
        )
    return {_text(path, text): _row(path, text, row) for text, row in loaded.items()}


def _row(path: Path, text: object, row: object) -> dict[str, float]:
    if not isinstance(row, dict) or not row:
        right = "must map token texts to weights, such as {' Paris': 0.92}"
        raise ValueError(f"{path}: the row of {text!r} {right}")
    for following, weight in row.items():
        number = isinstance(weight, int | float) and not isinstance(weight, bool)
        if not (number and 0 <= weight < 1e300):
            raise ValueError(
                f"{path}: the weight of {following!r} after {text!r} must be a number >= 0, "
                f"but it is {weight!r}"
            )
    if not any(row.values()):
        raise ValueError(f"{path}: the row of {text!r} needs a weight above zero")
    return {_text(path, following): float(weight) for following, weight in row.items()}


def _text(path: Path, text: object) -> str:
    if not isinstance(text, str):
        raise ValueError(f"{path}: {text!r} must be a text; put quotes around it")
    return text
