"""The settings of commands and of the functions of `clutrr.api`, with their defaults.

Both take them from here, so that `clutrr generate` and `clutrr.generate` do the same. Each dictionary type
lists the settings of one function; the constant below it holds the defaults.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from clutrr.storage import Where

WORLD = "kinship"
OPENAI = "https://api.openai.com/v1"
PAGE = 10_000  # stories on a page of `clutrr explore`


class StorySettings(TypedDict, total=False):
    """Settings of stories."""

    scene: Mapping[str, int | tuple[int, int]]  # its size: `levels`; `children`, or their least and most
    distractors: int  # sentences on attributes for each entity
    noise: Mapping[str, int]  # facts off the route, by role: `supporting`, `irrelevant`, `disconnected`
    order: str | None  # of the sentences: `path`, `inserted`, `shuffled`; None for the preset's
    style: str  # `sentences` or `prose`
    brackets: bool  # whether names and values are in square brackets
    assume: str | None  # which scenes are possible; None for the preset's
    undetermined: float | None  # share of the questions of `mixed` with several answers; None for half
    disjoint: Sequence[str]  # what train and test do not share


class DatasetSettings(StorySettings, total=False):
    """Settings of a generated folder."""

    preset: str | None
    k: Sequence[int]  # facts a route, a subset each
    train: int  # stories of each subset
    test: int
    seed: int
    format: str  # `parquet`, `csv` or `jsonl`
    workers: int | None  # processes; None for as many as are worth it
    cluster: str | None  # the address of a Dask scheduler, or `local:N`
    force: bool  # whether to replace what is there


DATASET: DatasetSettings = {
    "preset": None,
    "k": (3, 4, 5, 6),
    "train": 4000,
    "test": 1000,
    "seed": 0,
    "scene": {},
    "distractors": 8,
    "noise": {},
    "order": None,
    "style": "sentences",
    "brackets": True,
    "assume": None,
    "undetermined": None,
    "disjoint": (),
    "format": "parquet",
    "workers": None,
    "cluster": None,
    "force": False,
}


class AuditSettings(TypedDict, total=False):
    """Settings of an audit."""

    assume: str | None  # which scenes are possible; None for the data's own assumption, or each in turn
    facts: bool  # whether to trust the facts column where the text was not seen to state it
    train_on: Sequence[int] | None  # lengths of the training rows to fit on; None for all
    rows: "str | Where | None"  # a .parquet or .jsonl file for the finding of each row
    cluster: str | None  # the address of a Dask scheduler, or `local:N`


AUDIT: AuditSettings = {"assume": None, "facts": False, "train_on": None, "rows": None, "cluster": None}


class TrainSettings(TypedDict, total=False):
    """Settings of a training."""

    model: str  # a name, or FILE.py:NAME
    k: int | Sequence[int]  # lengths to train on
    seed: int  # of the weights, the order of the stories and the random vectors
    device: str  # `auto`, `cpu` or `cuda`
    epochs: int  # passes over the stories
    batch: int  # stories a step
    learning_rate: float
    validation: float  # share of the stories that is set aside
    patience: int  # epochs without improvement on those after which to stop; 0 for never
    encoder: str  # a pretrained encoder, for a model that reads with one
    force: bool  # whether to replace another training


TRAIN: TrainSettings = {
    "model": "gnn-attention",
    "k": 3,
    "seed": 0,
    "device": "auto",
    "epochs": 60,
    "batch": 100,
    "learning_rate": 0.001,
    "validation": 0.0,
    "patience": 0,
    "encoder": "",
    "force": False,
}


class PromptSettings(TypedDict, total=False):
    """Settings of prompts for a language model."""

    form: str  # `which` relation; `yes-no`, is it this one; or a `choice` of several
    direct: bool  # whether to ask for the answer at once, instead of reasoning first
    shots: int  # worked examples before the question
    omit: Sequence[str]  # what the prompt leaves out, of `relations` and `assumptions`


PROMPTS: PromptSettings = {"form": "which", "direct": False, "shots": 0, "omit": ()}


class AskSettings(PromptSettings, total=False):
    """Settings of a language model's service and of prompts for it."""

    base_url: str | None  # an OpenAI-compatible service; None for $OPENAI_BASE_URL, or else OpenAI's own
    key: str | None  # None for $OPENAI_API_KEY
    n: int  # replies to each question
    temperature: float | None  # None leaves it to the service, here and below
    effort: str | None
    max_tokens: int | None
    concurrency: int  # requests at the same time
    timeout: float  # seconds to wait for a reply
    retries: int  # how often a failed request is tried again


ASK: AskSettings = {
    **PROMPTS,
    "base_url": None,
    "key": None,
    "n": 1,
    "temperature": None,
    "effort": None,
    "max_tokens": None,
    "concurrency": 16,
    "timeout": 600.0,
    "retries": 8,
}
