"""Senses: what a word says of two entities, in the labels of a world.

A sense is "KIND" or "KIND:FORM" in a theory with forms, and kinds joined by "|" in others. Words for which a world has no label
have a sense too: "?" and the word.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clutrr._labels import Labels

OUTSIDE = "?"


@dataclass(frozen=True, eq=False)
class Senses:
    """What senses mean in a world."""

    labels: Labels
    compositions: Mapping[tuple[str, str], str]

    def form(self, sense: str) -> str:
        """Return the form that a sense tells of the second entity; "" if none."""
        forms = {one.partition(":")[2] for one in sense.split("|")}
        form = forms.pop() if len(forms) == 1 else ""
        return form if form in self.labels.forms else ""

    def labels_of(self, sense: str, form: str = "") -> tuple[str, ...]:
        """Return the labels of which one holds. form: of the second entity, "" if not known."""
        if not self.labels.forms:
            kinds = [one for one in self.labels.kinds if one.name in sense.split("|")]
            return tuple(one.words[0] for one in kinds)
        found: list[str] = []
        for one in sense.split("|"):
            kind, _, told = one.partition(":")
            if kind not in self.labels.index:
                return ()  # one that has no label here may be the one that holds
            words = self.labels.kind(kind).words
            number = self.labels.form(told or form)
            found += words if number is None else (words[number],)
        return tuple(dict.fromkeys(found))

    def turned(self, relations: Sequence[str]) -> tuple[str, ...]:
        """Return labels as seen from the other side; none where a form that is not known decides."""
        if self.labels.forms:
            return ()
        kinds = [self.labels.meaning[one].kind.converse for one in relations]
        return tuple(self.labels.kind(kind).words[0] for kind in kinds)

    def composed(self, first: str, second: str) -> str:
        """Return what somebody's relative's relative is where the words alone say it; "" otherwise."""
        kinds = (first.partition(":")[0], second.partition(":")[0])
        kind, form = self.compositions.get(kinds, ""), second.partition(":")[2]
        if kind not in self.labels.index:
            return ""
        return f"{kind}:{form}" if form else kind
