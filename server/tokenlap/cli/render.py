"""`tokenlap render`: the document that a chat request becomes, as the model reads it."""

import sys
from pathlib import Path

from tokenlap.api.body import parse
from tokenlap.api.logprobs import token_text
from tokenlap.api.tokenize import TokenizeChat
from tokenlap.cli.usage import UsageError
from tokenlap.engine.template import render
from tokenlap.engine.tokenizer import o200k
from tokenlap.errors import BadRequest

EXAMPLE = 'echo \'{"messages":[{"role":"user","content":"Hello"}]}\' | tokenlap render -'


def show(file: str, as_ids: bool) -> int:
    """Print the document and return 0; raises UsageError for a body that is not as it should be.

    file: where the body is, - for the standard input; as_ids: a line for each token, with its id.
    """
    try:
        body = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        chat = parse(TokenizeChat, body)
        chat.check()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", EXAMPLE) from None
    except BadRequest as error:
        raise UsageError(error.message, EXAMPLE) from None
    tokenizer = o200k()
    turns, opening = chat.document()
    tokens = render(turns, tokenizer, opening)
    if as_ids:
        for token in tokens:
            print(f"{token:>6}  {token_text(tokenizer, token)!r}")
    else:
        print(tokenizer.decode(tokens))
    return 0
