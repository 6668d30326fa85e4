"""Evaluate a language model: from stories to accuracy by length, through any OpenAI-compatible service.

    python examples/ask_a_model.py OUT --base-url http://localhost:8000/v1 --model NAME    # a model of yours
    python examples/ask_a_model.py OUT                                                     # a stand-in

Without an address it starts a small service on this machine and asks that. What answers there is no
language model: it proves stories of up to three facts, and says "Answer: son" to longer ones.
"""

import argparse
import contextlib
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import clutrr


def stand_in(prompt: str) -> str:
    """What the stand-in replies to a prompt."""
    story = prompt.split("Story: ")[-1].split("\n\nQuestion: ")[0]
    if story.count(".") > 3:
        return "That is a long story. Answer: son"
    second, first = re.findall(r"What is (.+?) to (.+?)\?", prompt)[-1]
    solution = clutrr.solve(story, (first, second))
    return f"{solution.proof}\nAnswer: {solution.answer or 'cannot be told'}"


class Service(BaseHTTPRequestHandler):
    """The one request that counts: POST /v1/chat/completions."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = stand_in(asked["messages"][-1]["content"])
        reply = {
            "choices": [
                {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            ]
        }
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing of each request."""


@contextlib.contextmanager
def served() -> Iterator[str]:
    """The address of the stand-in, for as long as it runs."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Service) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()


def evaluate(out: Path, base_url: str, model: str) -> None:
    stories, replies = out / "stories", out / "replies.jsonl"
    puzzles = [
        p
        for k in (2, 3, 4, 5)
        for p in clutrr.generate("strict", k, 20, split="test", distractors=0)
    ]
    clutrr.write(puzzles, stories, force=True)
    # The key is read from the environment and goes nowhere but to the service.
    outcome, result = clutrr.ask(stories, replies, model, base_url=base_url, concurrency=4)
    print(f"{outcome.asked} questions asked, {outcome.kept} replies from earlier runs")
    for subset, score in result.tested.items():
        low, high = score.interval
        print(
            f"{subset}: {score.accuracy:.0f} % of {score.rows} (95 % interval: {low:.0f} to {high:.0f})"
        )
    print(f"As a table, with steps: clutrr score {stories} {replies} --steps")
    print(f"Story by story: clutrr explore {stories} --answers {replies}")


def main() -> None:
    arguments = argparse.ArgumentParser(
        description="Evaluate a language model on stories of 2 to 5 facts."
    )
    arguments.add_argument("out", type=Path, help="the folder for stories and replies")
    arguments.add_argument(
        "--base-url", help="an OpenAI-compatible service; without it, the stand-in"
    )
    arguments.add_argument("--model", default="stand-in", help="the model, as the service names it")
    given = arguments.parse_args()
    if given.base_url:
        evaluate(given.out, given.base_url, given.model)
        return
    with served() as address:
        evaluate(given.out, address, given.model)


if __name__ == "__main__":
    main()
