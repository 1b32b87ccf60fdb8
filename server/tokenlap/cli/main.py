"""The command line: `tokenlap serve | train | health`.

Imports wait until a command needs them: a health check must not load the server.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tokenlap.cli.usage import UsageError, version

USAGE = """tokenlap: a mock OpenAI backend that really runs the autoregressive loop.

  tokenlap serve                         serve on http://127.0.0.1:8000
  tokenlap serve --port 9000 --watch     another port; print every token as it is written
  tokenlap train corpus/ -o my.ngram     train the n-gram on your own text

commands:
  serve     run the server (tokenlap serve --help lists all settings)
  train     train an n-gram model from corpus files
  health    ask a running server whether it is healthy: exit code 0 or 1
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, 1 when it failed, 2 for wrong usage."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(USAGE, end="")
        return 0
    if arguments[0] in ("-V", "--version"):
        print(f"tokenlap {version()}")
        return 0
    command = COMMANDS.get(arguments[0])
    try:
        if command is None:
            raise UsageError(
                f"unknown command {arguments[0]!r}", f"the commands are {', '.join(COMMANDS)}", 2
            )
        return command(arguments[1:])
    except UsageError as error:
        print(
            f"error: {error}",
            *([f"tip: {error.tip}"] if error.tip else []),
            sep="\n",
            file=sys.stderr,
        )
        return error.code


def serve(arguments: list[str]) -> int:
    """Run the server until a signal ends it."""
    from tokenlap.cli.serve import run

    return run(arguments)


def train(arguments: list[str]) -> int:
    """Train an n-gram model from corpus files."""
    parser = argparse.ArgumentParser(
        "tokenlap train", description="Train the n-gram predictor on your own text."
    )
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
    except (OSError, ValueError) as error:
        raise UsageError(str(error)) from None
    print(f"{asked.output}: {len(asked.output.read_bytes())} bytes")
    print(f"serve it: tokenlap serve --model ngram:{asked.output}")
    return 0


def health(arguments: list[str]) -> int:
    """Ask a running server for /health."""
    from urllib.request import urlopen

    port = os.environ.get("TOKENLAP_PORT", "8000")
    parser = argparse.ArgumentParser(
        "tokenlap health", description="Exit 0 if the server answers, else 1."
    )
    parser.add_argument(
        "--url", default=f"http://127.0.0.1:{port}", help="where it listens (default %(default)s)"
    )
    url = parser.parse_args(arguments).url.rstrip("/")
    try:
        with urlopen(f"{url}/health", timeout=3) as answer:
            print(answer.read().decode())
    except OSError as error:
        raise UsageError(
            f"{url} does not answer: {error}", "tokenlap serve starts a server"
        ) from None
    return 0


COMMANDS: dict[str, Callable[[list[str]], int]] = {"serve": serve, "train": train, "health": health}
