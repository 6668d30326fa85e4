"""Questions that hop through a book, for an agent that searches and opens articles: a taskset for verifiers (0.4 or later)."""

from functools import cached_property

import verifiers.v1 as vf

from clutrr._books.agent import INSTRUCTIONS, Library
from clutrr._books.asking import asked
from clutrr._books.load import open_book
from clutrr._books.vocabulary import PREFACE
from clutrr.tasks import BookQuestions

__all__ = ["BookTaskset"]


class BookToolsConfig(vf.ToolsetConfig):
    """data: the folder of the book. top: how many articles a search finds."""

    data: str = ""
    top: int = 5


class BookTools(vf.Toolset[BookToolsConfig, vf.State]):
    """The two tools."""

    @cached_property
    def library(self) -> Library:
        """The articles."""
        return Library(open_book(self.config.data), self.config.top)

    @vf.tool
    async def search(self, query: str) -> str:
        """Find articles of the book by names or words."""
        return self.library.search(query)

    @vf.tool
    async def open_article(self, title: str) -> str:
        """Read an article of the book, by the name that it is about."""
        return self.library.open(title)


class BookTaskConfig(vf.TaskConfig):
    """tools: which book they open."""

    tools: BookToolsConfig = BookToolsConfig()


class BookConfig(vf.TasksetConfig):
    """data: the folder of a book."""

    data: str = ""
    task: BookTaskConfig = BookTaskConfig()


class BookData(vf.TaskData):
    """form, answers: what the reward needs."""

    form: str
    answers: list[str]
    hops: int


class BookTask(vf.Task[BookData, vf.State, BookTaskConfig]):
    """A question."""

    @classmethod
    def toolsets(cls, config: BookTaskConfig) -> list[vf.Toolset]:
        """The tools of a rollout."""
        return [BookTools(config.tools)]

    @vf.reward
    async def right(self, trace: vf.Trace) -> float:
        """1 for exactly the right set, less for a part of it."""
        data = self.data
        return BookQuestions.reward([trace.last_reply], [data.answers], [data.form])[0]


class BookTaskset(vf.Taskset[BookTask, BookConfig]):
    """The questions of a book."""

    def load(self) -> list[BookTask]:
        book = open_book(self.config.data)
        preface = book.by_id[PREFACE].text
        return [
            BookTask(
                BookData(
                    id=one.id,
                    prompt=f"{INSTRUCTIONS}\n\n# Preface\n{preface}\n\n{asked(one)}",
                    form=one.form,
                    answers=list(one.answers),
                    hops=one.hops,
                ),
                self.config.task,
            )
            for one in book.questions
        ]
