"""Stories: templates to sentences, distractors, and the order of sentences."""

from clutrr.story.arrow import integers, lists, pick, ragged
from clutrr.story.order import ORDERS
from clutrr.story.prose import ProseRenderer
from clutrr.story.render import Renderer
from clutrr.story.script import Cast, Facts, Script, Stories

STYLES = ("sentences", "prose")

__all__ = [
    "ORDERS",
    "STYLES",
    "Cast",
    "Facts",
    "ProseRenderer",
    "Renderer",
    "Script",
    "Stories",
    "integers",
    "lists",
    "pick",
    "ragged",
]
