"""Stories: templates to sentences, sentences about attributes, and the order of sentences."""

from clutrr._writing.prose import ProseRenderer
from clutrr._writing.render import Renderer

__all__ = ["ProseRenderer", "Renderer"]
