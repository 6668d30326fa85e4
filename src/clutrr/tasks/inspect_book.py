"""Books for Inspect: a model with two tools, search and open; or with the whole book, or parts of it, in its prompt.

`inspect eval clutrr/book -T data=village --model ...`
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser
from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    Score,
    Scorer,
    Target,
    accuracy,
    grouped,
    mean,
    scorer,
    stderr,
)
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver, use_tools
from inspect_ai.tool import Tool, tool
from inspect_ai.util import store

from clutrr._books.agent import INSTRUCTIONS, Library
from clutrr._books.asking import BOOK_PROMPT_VERSION, BookPrompt, asked, book_prompts, spread
from clutrr._books.load import OpenBook, open_book
from clutrr._books.questions import BookQuestion
from clutrr._books.vocabulary import PREFACE
from clutrr._score.books import BookReply, f1, is_right, read_reply
from clutrr.errors import ConfigError

_OPENED, _CALLS = "opened", "calls"
MODES = ("agent", "whole", "gold", "retrieved")


@task
def book(
    data: str,
    size: int | None = None,
    mode: str = MODES[0],
    top: int = 5,
    direct: bool = False,
) -> Task:
    """Questions of a book of `clutrr book`.

    - data: the folder of the book, or its URL
    - size: at most how many questions, spread evenly
    - mode: agent (tools to search and to open articles), whole (the book in the prompt), gold (the articles with
      the evidence), retrieved (those found by words)
    - top: how many articles a search finds
    - direct: whether to ask for the answer at once; not of an agent
    """
    if mode not in MODES:
        raise ConfigError(f"is not one of {', '.join(MODES)}", setting="mode", value=mode)
    opened = open_book(data)
    if mode == "agent":
        samples = [_for_agent(one, opened) for one in spread(opened.questions, size)]
        library = Library(opened, top)
        steps: list[Solver] = [use_tools(search(library), open_article(library)), generate()]
    else:
        retrieved = top if mode == "retrieved" else None
        prompts = book_prompts(opened, size, top=retrieved, gold=mode == "gold", direct=direct)
        samples = [_with_articles(prompt) for prompt in prompts]
        steps = [_told(), generate()]
    return Task(
        dataset=MemoryDataset(samples, name=str(data)),
        solver=steps,
        scorer=[answers(data), reading(data)],
        version=BOOK_PROMPT_VERSION,
    )


def _about(one: BookQuestion) -> dict[str, Any]:
    return {
        "hops": one.hops,
        "form": one.form,
        "theory": " + ".join(one.theories) or "links",
        "evidence": list(one.articles),
    }


def _for_agent(one: BookQuestion, opened: OpenBook) -> Sample:
    preface = opened.by_id[PREFACE].text if PREFACE in opened.by_id else ""
    content = f"{INSTRUCTIONS}\n\n# Preface\n{preface}\n\n{asked(one)}"
    return Sample(
        id=one.id,
        input=[ChatMessageUser(content=content)],
        target="; ".join(one.answers),
        metadata=_about(one),
    )


def _with_articles(prompt: BookPrompt) -> Sample:
    one = prompt.question
    return Sample(
        id=one.id,
        input=[ChatMessageUser(content=message["content"]) for message in prompt.messages],
        target="; ".join(one.answers),
        metadata={**_about(one), "shown": list(prompt.shown)},
    )


@solver
def _told() -> Solver:
    """Note which articles are in the prompt."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.store.set(_OPENED, state.metadata["shown"])
        return state

    return solve


@tool
def search(library: Library) -> Tool:
    """Search the book. library: of its articles."""

    async def execute(query: str) -> str:
        """Find articles of the book by words.

        Args:
            query: names or words.
        """
        store().set(_CALLS, store().get(_CALLS, 0) + 1)
        return library.search(query)

    return execute


@tool
def open_article(library: Library) -> Tool:
    """Open an article of the book. library: of its articles."""

    async def execute(title: str) -> str:
        """Read an article of the book.

        Args:
            title: of the article, the name that it is about.
        """
        store().set(_CALLS, store().get(_CALLS, 0) + 1)
        found = library.find(title)
        if found is not None:
            store().set(_OPENED, [*store().get(_OPENED, []), found.id])
        return library.open(title)

    return execute


@scorer(
    metrics=[
        accuracy(),
        stderr(),
        grouped(accuracy(), "hops", all=False, name_template="hops={group_name}"),
        grouped(accuracy(), "form", all=False, name_template="form={group_name}"),
        grouped(accuracy(), "theory", all=False, name_template="theory={group_name}"),
    ]
)
def answers(data: str) -> Scorer:
    """Score replies: right is exactly the right set. data: the book."""
    questions = {one.id: one for one in open_book(data).questions}

    async def score(state: TaskState, target: Target) -> Score:
        one, said = questions[str(state.sample_id)], state.output.completion
        given = read_reply(BookReply(said), one)
        return Score(
            value=CORRECT if is_right(given, one) else INCORRECT,
            answer="; ".join(given or ()),
            explanation=said,
        )

    return score


@scorer(metrics={"f1": [mean()], "evidence": [mean()], "calls": [mean()], "read": [mean()]})
def reading(data: str) -> Scorer:
    """Score how a reply came about. data: the book.

    - f1: of the set of answers
    - evidence: the share of the articles with evidence that were shown or opened
    - calls: of tools
    - read: whether there was an answer to be read
    """
    questions = {one.id: one for one in open_book(data).questions}

    async def score(state: TaskState, target: Target) -> Score:
        one = questions[str(state.sample_id)]
        given = read_reply(BookReply(state.output.completion), one)
        gold = set(one.articles) - {PREFACE}
        seen = gold & set(state.store.get(_OPENED, []))
        share = 1.0 if is_right(given, one) else f1(tuple(given or ()), one.answers)
        return Score(
            value={
                "f1": share,
                "evidence": len(seen) / len(gold) if gold else 1.0,
                "calls": float(state.store.get(_CALLS, 0)),
                "read": float(given is not None),
            }
        )

    return score
