"""A server under test: started on one core, its CPU time and memory read from the kernel."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

SERVER_CORE, CLIENT_CORE = 0, max(0, (os.cpu_count() or 1) - 1)
CHAT = "/v1/chat/completions"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


class Process:
    """A running server; the CPU time and memory of its whole process tree."""

    def __init__(
        self,
        command: Sequence[str],
        port: int,
        environment: Mapping[str, str],
        cores: frozenset[int] = frozenset({SERVER_CORE}),
    ) -> None:
        self.port = port
        self.began = time.perf_counter()
        self.ready = 0.0
        """Seconds from the start to the first event, once there was one."""
        self.popen = subprocess.Popen(
            command,
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
            start_new_session=True,
        )

    def tree(self) -> list[int]:
        found, children = [self.popen.pid], dict[int, list[int]]()
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    stat = (entry / "stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue
                children.setdefault(int(stat[1]), []).append(int(entry.name))
        for pid in found:
            found += children.get(pid, [])
        return found

    def cpu(self) -> float:
        """Seconds of CPU time of all threads so far, with the precision of the scheduler."""
        total = 0
        for pid in self.tree():
            for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
                total += int(task.read_text().split()[0])
        return total / 1e9

    def memory(self) -> int:
        """Resident bytes."""
        page = os.sysconf("SC_PAGE_SIZE")
        return sum(
            int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * page for pid in self.tree()
        )

    def wait(self, body: str, deadline: float = 60.0) -> float:
        """Seconds from the start to the first event of a stream."""
        while time.perf_counter() - self.began < deadline:
            with suppress(OSError):
                first_event(self.port, body)
                return time.perf_counter() - self.began
            if self.popen.poll() is not None:
                raise RuntimeError(f"the server ended: {self.popen.args!r}")
            time.sleep(0.002)
        raise RuntimeError("the server does not answer")

    def load(self, **load: Any) -> dict[str, float]:
        """Run the client against it; its summary, with the CPU time spent meanwhile."""
        before = self.cpu()
        told = subprocess.run(
            [sys.executable, "-m", "bench.client"],
            input=json.dumps({"port": self.port, **load}),
            text=True,
            check=True,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parent.parent,
            preexec_fn=_aside,
        )
        return {**json.loads(told.stdout), "cpu": self.cpu() - before}


def _aside() -> None:
    """Put the client on its core, behind whoever takes the time of single requests there."""
    os.sched_setaffinity(0, {CLIENT_CORE})
    os.nice(5)


def ask(port: int, body: str, path: str = CHAT, method: str = "POST") -> bytes:
    """The raw answer to one request on a connection of its own.

    It ends where the answer says so: aimock, for one, keeps the connection open for five seconds
    although it was asked to close it.
    """
    answer = b""
    with _asked(port, body, path, method) as connection:
        while not whole(answer) and (part := connection.recv(65536)):
            answer += part
    return answer


def first_event(port: int, body: str) -> float:
    """Seconds from the connection to the first event of a stream, which is then left."""
    began = time.perf_counter()
    answer = b""
    with _asked(port, body, CHAT, "POST") as connection:
        while b"data: " not in answer:
            part = connection.recv(65536)
            answer += part
            if not part or b" 200 " not in answer[:15]:
                raise ConnectionError(f"no stream: {answer[:200]!r}")
    return time.perf_counter() - began


def whole(answer: bytes) -> bool:
    """Whether an HTTP answer is complete, by its length or its last chunk."""
    head, ended, body = answer.partition(b"\r\n\r\n")
    if not ended:
        return False
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    return len(body) >= int(length[1]) if length else body.endswith(b"0\r\n\r\n")


def _asked(port: int, body: str, path: str, method: str) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    payload = body.encode()
    connection.sendall(
        f"{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
        f"content-type: application/json\r\nauthorization: Bearer sk-bench\r\n"
        f"content-length: {len(payload)}\r\n\r\n".encode()
        + payload
    )
    return connection


@contextmanager
def running(process: Process) -> Iterator[Process]:
    """The server, which ends with the context."""
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.popen.pid, signal.SIGKILL)
        process.popen.wait()
