"""Run the benchmarks: `python -m bench [measure ...] [--rounds 3]`.

Writes results.json and plot.svg beside this file, and the table in README.md.
"""

import argparse
import json
import os
import platform
import subprocess
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench.contenders import AIMOCK, LLMOCK, Bench
from bench.measures import MEASURES
from bench.plot import plot
from bench.report import report

HERE = Path(__file__).parent
PACKAGES = ("tokenlap", "fastapi", "starlette", "uvicorn", "uvloop", "httptools", "sse-starlette",
            "pydantic", "tiktoken")  # fmt: skip


def versions():
    """What ran: a result without it cannot be compared with anything."""
    found = {"python": platform.python_version(), "cores": str(os.cpu_count())}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    if AIMOCK.exists():
        found["aimock"] = json.loads((AIMOCK.parents[1] / "package.json").read_text())["version"]
        found["node"] = subprocess.run(
            ["node", "--version"], capture_output=True, text=True
        ).stdout.strip()
    if LLMOCK.exists():
        shown = subprocess.run(
            [LLMOCK.parent / "pip", "show", "llmock"], capture_output=True, text=True
        ).stdout
        found["llmock"] = shown.partition("Version: ")[2].partition("\n")[0]
    return found


def main():
    parser = argparse.ArgumentParser("python -m bench")
    parser.add_argument("measures", nargs="*", help=", ".join(MEASURES))
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    results_file = HERE / "results.json"
    results = json.loads(results_file.read_text()) if results_file.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder)
        for name in asked.measures or MEASURES:
            print(f"{name}: {MEASURES[name].__doc__}")
            results[name] = MEASURES[name](bench, asked.rounds)
            results["versions"], results["rounds"] = versions(), asked.rounds
            results_file.write_text(json.dumps(results, indent=1) + "\n")
    (HERE / "plot.svg").write_text(plot(results))
    print(report(results, HERE / "README.md"))


if __name__ == "__main__":
    main()
