"""Books in Inspect, with the real package: an agent with two tools, played by a script, from end to end."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="needs the extra `inspect`")
pytest.importorskip("bm25s", reason="needs the extra `books`")

from inspect_ai import eval as evaluate
from inspect_ai.model import ModelOutput, ModelUsage, get_model

import clutrr
from clutrr._books.load import OpenBook, open_book
from clutrr.tasks.inspect_book import book

pytestmark = pytest.mark.filterwarnings("ignore")  # of other people's packages


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> OpenBook:
    out = tmp_path_factory.mktemp("books") / "village"
    clutrr.book(out, with_="ages,places", entities=60, questions=8, unanswerable=0.2)
    return open_book(out)


def counted(output: ModelOutput) -> ModelOutput:
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def script(opened: OpenBook) -> Any:
    """Somebody who searches once, opens the articles with the evidence one by one, and then answers."""
    by_question = {one.question: one for one in opened.questions}

    def reply(messages: Any, tools: Any, *_: Any) -> ModelOutput:
        told = messages[0].text
        one = by_question[told.split("Question: ")[1].split("\n")[0]]
        used = [message for message in messages if message.role == "tool"]
        name = "mockllm/script"
        if not used:
            assert {each.name for each in tools} == {"search", "open_article"}
            call = ModelOutput.for_tool_call(name, "search", {"query": one.plan.route.names[0]})
            return counted(call)
        wanted = [opened.by_id[each].title for each in one.articles if each != "preface"]
        if len(used) <= len(wanted):
            title = wanted[len(used) - 1]
            return counted(ModelOutput.for_tool_call(name, "open_article", {"title": title}))
        for each, title in zip(used[1:], wanted, strict=True):
            assert each.text == next(a.text for a in opened.articles if a.title == title)
        return counted(ModelOutput.from_content(name, f"Answer: {'; '.join(one.answers)}"))

    return get_model("mockllm/script", custom_outputs=reply, memoize=False)


def metrics(task: Any, model: Any, folder: Path) -> dict[str, float]:
    (log,) = evaluate(task, model=model, display="none", log_dir=str(folder / "logs"))
    assert log.status == "success", log.error
    return {
        name: metric.value for score in log.results.scores for name, metric in score.metrics.items()
    } | {
        score.name: score.metrics["mean"].value
        for score in log.results.scores
        if "mean" in score.metrics
    }


def test_an_agent_that_opens_the_evidence(opened: OpenBook, tmp_path: Path) -> None:
    found = metrics(book(str(opened.path)), script(opened), tmp_path)
    assert found["accuracy"] == 1
    assert found["evidence"] == found["f1"] == found["read"] == 1
    looked_up = [len(set(one.articles) - {"preface"}) for one in opened.questions]
    assert found["calls"] == pytest.approx(1 + sum(looked_up) / len(looked_up))
    assert {name for name in found if name.startswith("hops=")}


@pytest.mark.parametrize(("mode", "evidence"), [("whole", 1.0), ("gold", 1.0), ("retrieved", None)])
def test_articles_in_the_prompt(
    opened: OpenBook, tmp_path: Path, mode: str, evidence: float | None
) -> None:
    by_question = {one.question: one for one in opened.questions}

    def reply(messages: Any, *_: Any) -> ModelOutput:
        told = messages[0].text
        one = by_question[told.split("Question: ")[1].split("\n")[0]]
        return counted(
            ModelOutput.from_content("mockllm/known", f"Answer: {'; '.join(one.answers)}")
        )

    model = get_model("mockllm/known", custom_outputs=reply, memoize=False)
    found = metrics(book(str(opened.path), mode=mode, size=4), model, tmp_path)
    assert found["accuracy"] == 1
    assert evidence is None or found["evidence"] == evidence


def test_a_model_that_says_nothing_of_use(opened: OpenBook, tmp_path: Path) -> None:
    def reply(*_: Any) -> ModelOutput:
        return counted(
            ModelOutput.from_content("mockllm/silent", "Let me think about it some more.")
        )

    silent = get_model("mockllm/silent", custom_outputs=reply, memoize=False)
    found = metrics(book(str(opened.path), size=3), silent, tmp_path)
    assert found["accuracy"] == found["read"] == found["calls"] == 0
