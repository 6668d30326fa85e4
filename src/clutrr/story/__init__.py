"""Stories: templates to sentences, distractors, and the order of sentences."""

from clutrr.story.arrow import integers, lists, pick
from clutrr.story.order import ORDERS
from clutrr.story.render import Facts, Renderer, Stories

__all__ = ["ORDERS", "Facts", "Renderer", "Stories", "integers", "lists", "pick"]
