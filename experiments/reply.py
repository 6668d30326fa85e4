"""Let a language model on this machine reply to prompts, many at once.

    clutrr prompts stories > prompts.jsonl
    python experiments/reply.py MODEL prompts.jsonl replies.jsonl [--n 5] [--tokens 400]
    clutrr score stories replies.jsonl

MODEL is a folder that Transformers loads, or a GGUF file: its weights are dequantised (`pip install transformers
gguf accelerate`). Several files of prompts may be given as PROMPTS=REPLIES. Replies that a file already holds are
kept, so a stopped run goes on where it was.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

Line = dict[str, Any]  # a prompt as `clutrr prompts` prints it, with a reply


def load(place: Path, device: str) -> tuple[Any, Any]:
    """Return the tokenizer and the model at a place, in half precision on a GPU."""
    folder, file = (place.parent, {"gguf_file": place.name}) if place.is_file() else (place, {})
    tokenizer = AutoTokenizer.from_pretrained(folder, padding_side="left", **file)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=kind, **file)
    return tokenizer, model.to(device).eval()


def wanted(prompts: Path, replies: Path, n: int) -> list[Line]:
    """Return the prompts, once for each sample, that have no reply yet."""
    known = set()
    if replies.exists():
        lines = replies.read_text("utf-8").splitlines()
        known = {(one["subset"], one["id"], one["sample"]) for one in map(json.loads, lines)}
    asked = [json.loads(line) for line in prompts.read_text("utf-8").splitlines()]
    every = [{**one, "sample": sample} for one in asked for sample in range(n)]
    return [one for one in every if (one["subset"], one["id"], one["sample"]) not in known]


def batches(lines: Sequence[tuple[Line, list[int]]], most: int) -> Iterator[list[int]]:
    """Yield numbers of prompts of like length, at most so many tokens together."""
    order = sorted(range(len(lines)), key=lambda number: len(lines[number][1]))
    batch: list[int] = []
    for number in order:
        longest = len(lines[number][1])  # the longest so far: they are sorted
        if batch and longest * (len(batch) + 1) > most:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


@torch.inference_mode()
def reply(tokenizer: Any, model: Any, prompts: list[list[int]], tokens: int, warm: float) -> Any:
    """Return the new tokens of each prompt. warm: the temperature; 0 takes the likeliest."""
    padded = tokenizer.pad({"input_ids": prompts}, return_tensors="pt").to(model.device)
    drawn = {"do_sample": True, "temperature": warm, "top_p": 1.0, "top_k": 0}
    found = model.generate(
        **padded,
        max_new_tokens=tokens,
        pad_token_id=tokenizer.pad_token_id,
        **(
            drawn
            if warm
            else {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}
        ),
    )
    return found[:, padded["input_ids"].shape[1] :]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("files", nargs="+", help="PROMPTS REPLIES, or several PROMPTS=REPLIES")
    parser.add_argument("--n", type=int, default=1, help="replies to each prompt")
    parser.add_argument("--tokens", type=int, default=400, help="at most, of a reply")
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--at-once", type=int, default=400_000, help="tokens of prompts in a batch")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    named = [one.split("=") for one in given.files] if "=" in given.files[0] else [given.files]
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer, model = load(given.model, device)
    for prompts, replies in named:
        lines = wanted(Path(prompts), Path(replies), given.n)
        coded = [
            tokenizer.apply_chat_template(
                one["messages"], add_generation_prompt=True, tokenize=True, return_dict=False
            )
            for one in lines
        ]
        torch.manual_seed(given.seed)
        began = time.monotonic()
        with Path(replies).open("a", encoding="utf-8") as file:
            for batch in batches(list(zip(lines, coded, strict=True)), given.at_once):
                asked = [coded[number] for number in batch]
                new = reply(tokenizer, model, asked, given.tokens, given.temperature)
                for number, text in zip(
                    batch, tokenizer.batch_decode(new, skip_special_tokens=True), strict=True
                ):
                    used = int((new[batch.index(number)] != tokenizer.pad_token_id).sum())
                    about = {"model": given.model.name, "temperature": given.temperature}
                    usage = {"prompt_tokens": len(coded[number]), "completion_tokens": used}
                    done = {**lines[number], "reply": text, "usage": usage, "sampling": about}
                    file.write(json.dumps(done, ensure_ascii=False) + "\n")
                file.flush()
        seconds = time.monotonic() - began
        print(f"{replies}: {len(lines)} replies, {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
