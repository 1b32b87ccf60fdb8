"""Write o200k_base where tiktoken looks for it: `python -m bench.vocabulary FOLDER`.

With TIKTOKEN_CACHE_DIR=FOLDER, `aiperf --tokenizer builtin` needs no download: tokenlap ships the
same ranks, and tiktoken checks their hash.
"""

import sys
from base64 import b64encode
from itertools import count, takewhile
from pathlib import Path

from tokenlap.engine.tokenizer import o200k

NAME = "fb374d419588a4632f3f557e76b4b70aebbca790"
"""SHA-1 of the address that tiktoken would load the file from."""


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    ranks = takewhile(o200k().knows, count())
    lines = (b"%s %d\n" % (b64encode(o200k().token_bytes(rank)), rank) for rank in ranks)
    (folder / NAME).write_bytes(b"".join(lines))


if __name__ == "__main__":
    main()
