"""Stories: templates to sentences, sentences about attributes, and the order of sentences."""

from clutrr.story.prose import ProseRenderer
from clutrr.story.render import Renderer

__all__ = ["ProseRenderer", "Renderer"]
