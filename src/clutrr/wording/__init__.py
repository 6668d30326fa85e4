"""What sentences say: a world's own wording, common wordings, free text; wording learnt from data."""

from clutrr.wording.reading import Reader, Reading

__all__ = ["Reader", "Reading"]
