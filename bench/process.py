"""A server under test: started on one core, its CPU time and memory read from the kernel."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

SERVER_CORE, CLIENT_CORE = 0, max(0, (os.cpu_count() or 1) - 1)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


class Process:
    """A running server; the CPU time and memory of its whole process tree."""

    def __init__(self, command, port, environment, cores):
        self.port = port
        self.began = time.perf_counter()
        self.running = subprocess.Popen(
            command,
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
            start_new_session=True,
        )

    def tree(self):
        found, children = [self.running.pid], {}
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

    def cpu(self):
        """Seconds of CPU time of all threads so far, with the precision of the scheduler."""
        total = 0
        for pid in self.tree():
            for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
                total += int(task.read_text().split()[0])
        return total / 1e9

    def memory(self):
        """Resident bytes."""
        page = os.sysconf("SC_PAGE_SIZE")
        return sum(
            int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * page for pid in self.tree()
        )

    def wait(self, body, deadline=60.0):
        """Seconds from the start to the first 200 of a completion."""
        while time.perf_counter() - self.began < deadline:
            try:
                if b" 200 " in ask(self.port, body)[:15]:
                    return time.perf_counter() - self.began
            except OSError:
                pass
            if self.running.poll() is not None:
                raise RuntimeError(f"the server ended: {self.running.args}")
            time.sleep(0.002)
        raise RuntimeError("the server does not answer")

    def load(self, **load):
        """Run the client against it; its summary, with the CPU time spent meanwhile."""
        before = self.cpu()
        told = subprocess.run(
            [sys.executable, "-m", "bench.client"],
            input=json.dumps({"port": self.port, **load}),
            text=True,
            check=True,
            capture_output=True,
            cwd=Path(__file__).parent.parent,
            preexec_fn=lambda: os.sched_setaffinity(0, {CLIENT_CORE}),
        )
        return {**json.loads(told.stdout), "cpu": self.cpu() - before}


def ask(port, body, path="/v1/chat/completions", method="POST"):
    """The raw answer to one request on a connection of its own."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        payload = body.encode()
        connection.sendall(
            f"{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
            f"content-type: application/json\r\nauthorization: Bearer sk-bench\r\n"
            f"content-length: {len(payload)}\r\n\r\n".encode()
            + payload
        )
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
        return b"".join(parts)


@contextmanager
def started(contender, port, cores=frozenset({SERVER_CORE})):
    """A server that runs while the context does."""
    process = Process(contender.command, port, contender.environment, cores)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.running.pid, signal.SIGKILL)
        process.running.wait()
