"""What sentences say: a world's own wording, common wordings, free text; wording learnt from data."""

from clutrr.wording.reading import StoryReader, StoryReading

__all__ = ["StoryReader", "StoryReading"]
