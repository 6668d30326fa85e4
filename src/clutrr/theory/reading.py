"""What a theory may bring to read ordinary sentences, beyond the wordings of a world."""

from collections.abc import Mapping
from typing import Protocol


class FreeReader(Protocol):
    """Reads what one entity is to another out of sentences that name both."""

    def relation(self, story: str, head: str, tail: str, forms: Mapping[str, str]) -> str | None:
        """Return what tail is to head, as a label in tail's form; None if no sentence plainly says so.

        forms: of the entities, by name; "" where it is not known.
        """

    def shows_form(self, text: str, entity: str) -> bool:
        """Return whether a sentence says outright what form an entity has."""
