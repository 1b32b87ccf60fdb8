"""Load with locust, as a user would: streams, with TTFT and whole time as metrics of their own.

pip install locust
tokenlap serve --latency 8b-h100 &
locust -f bench/locustfile.py --headless -u 32 -r 32 -t 30s --host http://127.0.0.1:8000
"""

import time

from locust import HttpUser, constant, task


class Chatter(HttpUser):
    wait_time = constant(0)
    number = 0

    @task
    def stream(self) -> None:
        Chatter.number += 1
        body = {
            "model": "any",
            "stream": True,
            "max_tokens": 50,
            "ignore_eos": True,
            "messages": [{"role": "user", "content": f"Tell me about number {Chatter.number}."}],
        }
        began, first, events = time.perf_counter(), 0.0, 0
        asked = {"json": body, "stream": True, "name": "headers", "catch_response": True}
        with self.client.post("/v1/chat/completions", **asked) as answer:
            for line in answer.iter_lines():
                if line.startswith(b"data: {"):
                    first = first or time.perf_counter() - began
                    events += 1
        fire = self.environment.events.request.fire
        whole = time.perf_counter() - began
        shared = {
            "request_type": "SSE",
            "response_length": events,
            "exception": None,
            "context": {},
        }
        fire(name="ttft", response_time=first * 1000, **shared)
        fire(name="whole stream", response_time=whole * 1000, **shared)
