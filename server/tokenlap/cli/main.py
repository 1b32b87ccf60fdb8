"""The command line: `tokenlap serve | train | health | render`.

Imports wait until a command needs them: a health check must not load the server.
"""

import argparse
import gc
import io
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

from tokenlap.cli.usage import UsageError, version

USAGE = """tokenlap: a mock OpenAI backend that really runs the autoregressive loop.

  tokenlap serve                        serve on http://127.0.0.1:8000
  tokenlap serve --port 9000 --watch    elsewhere; print every token as it comes
  tokenlap train corpus/ -o my.ngram    train the n-gram on your own text

commands:
  serve     run the server (tokenlap serve --help lists all settings)
  train     train an n-gram model from corpus files
  health    ask a running server whether it is healthy: exit code 0 or 1
  render    print the document that a chat request becomes (file or -)
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, 1 when it failed, 2 for wrong usage."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    for out in (sys.stdout, sys.stderr):  # a terminal without UTF-8 shows ? and does not fail
        if isinstance(out, io.TextIOWrapper):
            out.reconfigure(errors="replace")
    try:
        return run(arguments)
    except UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        if error.tip:
            print(f"tip: {error.tip}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        return 130


def run(arguments: list[str]) -> int:
    """Run the command that arguments begin with; raises UsageError where there is none."""
    match arguments:
        case [] | ["-h" | "--help" | "help", *_]:
            print(USAGE, end="")
            return 0
        case ["-V" | "--version", *_]:
            print(f"tokenlap {version()}")
            return 0
        case [name, *options] if name in COMMANDS:
            return COMMANDS[name](options)
        case [name, *_]:
            near = get_close_matches(name, COMMANDS, n=1)
            tip = f"did you mean {near[0]}?" if near else f"the commands are {', '.join(COMMANDS)}"
            raise UsageError(f"unknown command {name}", tip, 2)
    return 0


class Parser(argparse.ArgumentParser):
    """Parses the options of a command; complains as every command does."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError."""
        raise UsageError(message, f"{self.prog} --help", 2)


def serve(arguments: list[str]) -> int:
    """Run the server until a signal ends it."""
    # What is loaded now stays; to look through it again and again takes 110 ms of a start.
    gc.disable()
    try:
        from tokenlap.cli.serve import run

        return run(arguments)
    finally:
        gc.enable()


def train(arguments: list[str]) -> int:
    """Train an n-gram model from corpus files."""
    parser = Parser("tokenlap train", description="Train the n-gram predictor on your own text.")
    parser.add_argument("corpus", type=Path, help="a corpus file, or a folder of .txt files")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="where the model goes"
    )
    asked = parser.parse_args(arguments)
    from tokenlap.predictors.ngram.train import train_files

    files = sorted(asked.corpus.glob("*.txt")) if asked.corpus.is_dir() else [asked.corpus]
    try:
        model = train_files(files)
        model.save(asked.output)
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(str(error)) from None
    print(f"{asked.output}: {asked.output.stat().st_size} bytes")
    print(f"serve it: tokenlap serve --model ngram:{asked.output}")
    return 0


def health(arguments: list[str]) -> int:
    """Ask a running server for /health."""
    from tokenlap.cli.health import ask

    parser = Parser("tokenlap health", description="Exit 0 if the server answers, else 1.")
    parser.add_argument(
        "--url", help="where it listens (default: what TOKENLAP_HOST and TOKENLAP_PORT say)"
    )
    return ask(parser.parse_args(arguments).url)


def render(arguments: list[str]) -> int:
    """Print the document that a chat request becomes."""
    parser = Parser("tokenlap render", description="Print the document that a chat becomes.")
    parser.add_argument("file", help="the JSON body of a chat request, - for the standard input")
    parser.add_argument("--ids", action="store_true", help="a line for each token, with its id")
    asked = parser.parse_args(arguments)
    from tokenlap.cli.render import show

    return show(asked.file, asked.ids)


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "serve": serve,
    "train": train,
    "health": health,
    "render": render,
}
