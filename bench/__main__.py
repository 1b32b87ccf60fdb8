"""Run the benchmarks: `python -m bench [measure ...] [--rounds 3]`.

Writes results.json and plot.svg beside this file, and the tables in README.md.
"""

import argparse
import json
import os
import platform
import subprocess
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench.contenders import AIMOCK, Bench, script, version_of
from bench.measures import MEASURES
from bench.plot import plot
from bench.process import CLIENT_CORE
from bench.report import report

HERE = Path(__file__).parent
PACKAGES = ("tokenlap", "fastapi", "starlette", "uvicorn", "uvloop", "httptools", "sse-starlette",
            "pydantic", "tiktoken")  # fmt: skip


def versions() -> dict[str, str]:
    """What ran: a result without it cannot be compared with anything."""
    found = {"python": platform.python_version(), "cores": str(os.cpu_count())}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    if AIMOCK.exists():
        found["aimock"] = json.loads((AIMOCK / "package.json").read_text())["version"]
        found["node"] = subprocess.check_output(["node", "--version"], text=True).strip()
    return found | {
        package: version_of(package)
        for package in ("stubllm", "xpyd-sim", "llmock")
        if script(package).exists()
    }


def main() -> None:
    parser = argparse.ArgumentParser("python -m bench")
    parser.add_argument("measures", nargs="*", metavar="measure", help=", ".join(MEASURES))
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    os.sched_setaffinity(0, {CLIENT_CORE})  # whoever polls a server is not to take its time
    results_file = HERE / "results.json"
    results = json.loads(results_file.read_text()) if results_file.exists() else {"tables": {}}
    with tempfile.TemporaryDirectory() as folder:
        results["load"] = round(os.getloadavg()[0], 1)
        bench = Bench(Path(folder))
        for name in asked.measures or MEASURES:
            print(f"{name}: {MEASURES[name].__doc__}")
            began = time.monotonic()
            results["tables"][name] = MEASURES[name](bench, asked.rounds)
            print(f"    {time.monotonic() - began:.0f} s")
            results["versions"] = versions()
            results_file.write_text(json.dumps(results, indent=1) + "\n")
    (HERE / "plot.svg").write_text(plot(results["tables"]))
    print(report(results, HERE / "README.md"))


if __name__ == "__main__":
    main()
