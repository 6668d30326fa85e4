"""The page: everything in one file, packed, that opens from disk and needs no network.

The index is unpacked when the page opens; the stories follow in blocks, each unpacked when somebody
looks at one of its stories or searches the text. Data is never markup: all of it is inside packed text,
and the page shows it only as text.
"""

import base64
import gzip
import hashlib
import json
import os
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clutrr._explore.pick import Sample
from clutrr._explore.stories import VERDICTS, StoryBuilder
from clutrr._io.executors import Executor, ProcessExecutor, SerialExecutor, in_order, thread_cached
from clutrr._io.files import replace_text, writing
from clutrr._io.manifests import check_file_kind
from clutrr._lexicon import World
from clutrr._lexicon.phrases import has_forms
from clutrr._measure import natural
from clutrr._puzzle import Puzzle

if TYPE_CHECKING:
    from clutrr._score.predictions import ReadAnswer
    from clutrr._score.steps import StepJudge

_BLOCK = 50  # stories that are unpacked at once
_CHUNK = 50  # stories that a process prepares at once
_LONGEST = 100_000  # characters of a reply
_SHOWN = 60  # characters of an answer that was not read
_FEW = 1000  # stories for which it is not worth starting processes
_MARK = "<!-- clutrr explorer -->"
_SCRIPTS = ("data.js", "scene.js", "story.js", "charts.js", "page.js")

Story = tuple[str, dict[str, Any]]  # its verdict, and what the page shows of it


def write_page(html: str, out: Path) -> None:
    """Write the file completely or not at all."""
    check_out(out)
    with writing(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        replace_text(out, html)


def check_out(out: Path) -> None:
    """Refuse to overwrite anything but a page of the explorer."""
    check_file_kind(out, "page of the explorer", lambda file: _MARK.encode() in file.read(4096))


def make_page(sample: Sample, tick: Callable[[int], None] = lambda stories: None) -> str:
    """Work out every proof, of many stories in several processes, and return the page as HTML."""
    puzzles = [one.puzzle for one in sample.picked]
    chunks = [puzzles[i : i + _CHUNK] for i in range(0, len(puzzles), _CHUNK)]
    executor: Executor = (
        ProcessExecutor(os.cpu_count() or 1) if len(puzzles) > _FEW else SerialExecutor()
    )
    built = executor.run(
        _build, (sample.world, sample.assume), enumerate(chunks), lambda chunk: chunk[1][0].id
    )
    stories: list[Story] = []
    for _, some in in_order(built):
        tick(len(some))
        stories += some
    return _html(_index(sample, [verdict for verdict, _ in stories]), _blocks(sample, stories))


_builder = thread_cached(StoryBuilder)


def _build(told: tuple[World, str], chunk: tuple[int, Sequence[Puzzle]]) -> list[Story]:
    builder = _builder(*told)
    return [builder.build(puzzle) for puzzle in chunk[1]]


def _index(sample: Sample, verdicts: Sequence[str]) -> dict[str, Any]:
    """Return the values of each property, and for each story one number per property."""
    world, picked = sample.world, sample.picked
    columns = {
        "subset": [one.subset for one in picked],
        "split": [one.split for one in picked],
        "target": [one.puzzle.target for one in picked],
        "pattern": ["-".join(one.puzzle.pattern) for one in picked],
        "verdict": verdicts,
    }
    names = {
        "subset": sorted(set(columns["subset"]), key=natural),
        "split": sorted(set(columns["split"])),
        "target": _labels(sample),
        "pattern": [pattern for pattern, _ in Counter(columns["pattern"]).most_common()],
        "verdict": list(VERDICTS),
    }
    place = {column: {name: i for i, name in enumerate(values)} for column, values in names.items()}
    answers = [[one.answers[run] for one in picked] for run in range(len(sample.models))]
    return {
        "about": {
            "data": sample.data.path.resolve().name,
            "world": sample.data.about_world,
            "language": world.lexicon.language,
            "assume": sample.assume,
            "meaning": world.theory.assumption(sample.assume).about,
            "total": sample.total,
            "runs": sample.models,
        },
        "words": {
            "relation": _plain(world.lexicon.phrases.relation, "{r} ({a})"),
            "clauses": {
                label: _plain(clause, f"{{b}}: {label} ({{a}})")
                for label, clause in world.lexicon.phrases.clauses.items()
            },
            "question": world.lexicon.phrases.question,
            "scene": world.theory.scene,
            "forms": world.forms,
        },
        "names": names,
        "columns": {
            **{
                column: [place[column][value] for value in values]
                for column, values in columns.items()
            },
            "k": [one.puzzle.k for one in picked],
            "key": _keys([one.puzzle.id for one in picked]),
        },
        "answers": [[place["target"][_label(a)] if a else -1 for a in given] for given in answers],
        "states": [[a.state if a else "no answer" for a in given] for given in answers],
        "probabilities": [
            [
                round(a.given.probability, 3) if a and a.given.probability is not None else None
                for a in given
            ]
            for given in answers
        ],
    }


def _label(answer: "ReadAnswer") -> str:
    """Return the relation that an answer names, or the beginning of a reply."""
    found = answer.found
    return (
        textwrap.shorten(answer.given.text, _SHOWN, placeholder=" ...") if found is None else found
    )


def _labels(sample: Sample) -> list[str]:
    """Return every target and answer, in the order of the world."""
    used = {one.puzzle.target for one in sample.picked}
    used |= {_label(answer) for one in sample.picked for answer in one.answers if answer}
    known = sample.world.relations
    return [label for label in known if label in used] + sorted(used.difference(known))


def _plain(phrase: str, instead: str) -> str:
    """Return a phrase that the page can fill; another one, where names need cases or labels forms."""
    return instead if has_forms(phrase) else phrase


def _keys(ids: Sequence[str]) -> list[str]:
    """Return a name for each story, to link to: its id, with its place if that was there before."""
    first = {one: at for at, one in reversed([*enumerate(ids)])}
    return [one if first[one] == at else f"{one}~{at}" for at, one in enumerate(ids)]


def _blocks(sample: Sample, stories: Sequence[Story]) -> list[Any]:
    """Return the stories in blocks, with the replies of models."""
    whole = [
        {"id": one.puzzle.id, **story}
        for one, (_, story) in zip(sample.picked, stories, strict=True)
    ]
    if sample.models:
        from clutrr._score.steps import StepJudge

        judge = StepJudge(sample.world, sample.assume)
        for one, shown in zip(sample.picked, whole, strict=True):
            shown["replies"] = [_reply(answer, one.puzzle, judge) for answer in one.answers]
    return [whole[i : i + _BLOCK] for i in range(0, len(whole), _BLOCK)]


def _reply(
    answer: "ReadAnswer | None", puzzle: Puzzle, judge: "StepJudge"
) -> dict[str, Any] | None:
    """Return the prompt, the reasoning and the reply, the claims of these two with their standing."""
    if answer is None or (answer.given.text == _label(answer) and not answer.given.prompt):
        return None
    given, found = answer.given, {}
    for name, text in (("reasoning", given.reasoning), ("reply", given.text)):
        claims = judge.judge(text[:_LONGEST], puzzle).claims if text else ()
        places = [[one.start, one.end, one.verdict or one.status, int(one.wrong)] for one in claims]
        found[name] = [text[:_LONGEST], places]
    return {"prompt": given.prompt[:_LONGEST], **found}


def _html(index: dict[str, Any], blocks: list[Any]) -> str:
    folder = files("clutrr._explore")
    style = (folder / "page.css").read_text(encoding="utf-8")
    script = "\n".join((folder / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    script = f'"use strict";\n{script}'
    data = json.dumps(
        {"block": _BLOCK, "index": _pack(index), "blocks": [_pack(b) for b in blocks]}
    )
    slots = {
        "mark": _MARK,
        "policy": f"script-src '{_digest(script)}'; style-src '{_digest(style)}'",
        "style": style,
        "script": script,
        "data": data.replace("<", "\\u003c"),
    }
    html = (folder / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda slot: slots[slot[1]], html)


def _pack(content: Any) -> str:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    # Half of a surrogate pair cannot be written as UTF-8: it shows as a question mark.
    packed = gzip.compress(text.encode("utf-8", "replace"), 9, mtime=0)
    return base64.b64encode(packed).decode("ascii")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def serve_page(html: str, ready: Callable[[str], None]) -> None:
    """Serve the page to this machine alone, until interrupted. ready: called with its address."""
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    content = html.encode("utf-8")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            # A foreign page may give this machine another name; only requests for our names are answered.
            here = self.headers.get("Host") in names
            found = here and self.path.split("?")[0] == "/"
            self.send_response(200 if found else 404 if here else 403)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content) if found else 0))
            self.end_headers()
            if found:
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    names = {f"{name}:{server.server_port}" for name in ("127.0.0.1", "localhost")}
    with server:
        ready(f"http://127.0.0.1:{server.server_port}/")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return
