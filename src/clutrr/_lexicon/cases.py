"""Names and their cases: how sentences write a name.

A case is any form of a name that sentences need: a genitive, "d'Anne" behind "de", a suffix that follows the
vowels of the name. The case "" is the name as it is. Files of names may list cases; cases.yaml has rules for
the others.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from clutrr._lexicon.entries import Entry
from clutrr.errors import short

CASE = re.compile(r"[^\W\d]\w*")
_HERE = "{}"  # stands for the name in the text of a case
_KEY = re.compile(r"-|-?(?:\[\^?[^\[\]\\^-]+\]|[^\[\]\\ ^-])+-?")
_CLASS = re.compile(r"(\[[^\]]*\])")


class Spelling(NamedTuple):
    """A name in a case: the word that stands for it, and what is written right before and behind that.

    Only the word is set in square brackets: "d'[Anne]", "[Анны]".
    """

    before: str
    word: str
    after: str

    @classmethod
    def of(cls, name: str, text: str) -> "Spelling":
        """Return the spelling that the text of a case says; {} in it is the name."""
        if _HERE not in text:
            return cls("", text, "")
        before, after = text.split(_HERE)
        return cls(before, name, after)

    def written(self, mark: str = _HERE) -> str:
        """Return the text of a sentence. mark: what stands around the word, such as "[{}]"."""
        return f"{self.before}{mark.format(self.word)}{self.after}"


@dataclass(frozen=True)
class Rule:
    """How names of one sort are written in a case.

    key: which names: "-us" those that end so, "A-" those that begin so, "-" all. A letter may be a choice,
    [ae], or any but some, [^ae]. text: the name, as {}, with what is around it; or "-i", another ending.
    """

    key: str
    text: str

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        letters = "".join(
            part if part.startswith("[") else re.escape(part)
            for part in _CLASS.split(self.key.strip("-"))
        )
        ending = self.key.startswith("-")
        return re.compile(f"{letters}\\Z" if ending else letters)

    def spell(self, name: str) -> Spelling | None:
        """Return the spelling of a name; None if the rule is not for it."""
        at = self._pattern.search(name) if self.key[0] == "-" else self._pattern.match(name)
        if at is None:
            return None
        if self.text.startswith("-"):
            return Spelling("", name[: at.start()] + self.text[1:], "")
        return Spelling.of(name, self.text)


@dataclass(frozen=True)
class Cases:
    """The cases of names.

    rules: of each case, by form; the first that fits counts. listed: the text of each case, by name, where a
    file of names has it. content: of cases.yaml.
    """

    rules: Mapping[str, tuple[tuple[Rule, ...], ...]] = field(default_factory=dict)
    listed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    content: Mapping[str, object] = field(default_factory=dict)

    @property
    def known(self) -> tuple[str, ...]:
        """The names of the cases."""
        return tuple(dict.fromkeys((*self.rules, *self.listed)))

    def spell(self, name: str, case: str, form: int | None) -> Spelling | None:
        """Return how a name is written in a case; None if nothing says so. form: None if it is not known."""
        if not case:
            return Spelling("", name, "")
        if (text := self.listed.get(case, {}).get(name)) is not None:
            return Spelling.of(name, text)
        by_form = self.rules.get(case, ())
        if form is None:
            every = {self._by_rules(rules, name) for rules in by_form}
            return every.pop() if len(every) == 1 else None
        return self._by_rules(by_form[form], name) if by_form else None

    def _by_rules(self, rules: Sequence[Rule], name: str) -> Spelling | None:
        return next((found for rule in rules if (found := rule.spell(name))), None)

    def line(self, name: str) -> str:
        """Return the line of a name in its file."""
        own = (f"{case}={texts[name]}" for case, texts in self.listed.items() if name in texts)
        return " ".join((name, *own))


def read_rules(file: Entry, forms: Sequence[str]) -> Mapping[str, tuple[tuple[Rule, ...], ...]]:
    """Return the rules of cases.yaml: of each case, for all names or by form."""
    found = {}
    for case, entry in file.items().items():
        if not CASE.fullmatch(case):
            raise entry.error("is not the name of a case, such as gen")
        inner = entry.items()
        by_form = bool(forms) and set(inner) <= set(forms)
        parts = entry.fields(forms) if by_form else [entry] * max(1, len(forms))
        found[case] = tuple(tuple(_rules(part)) for part in parts)
    return found


def _rules(entry: Entry) -> Iterator[Rule]:
    for keys, one in entry.items().items():
        text = one.text()
        if (
            text.count(_HERE) > 1
            or "{" in text.replace(_HERE, "")
            or "}" in text.replace(_HERE, "")
        ):
            raise one.error(f"{short(text)} may hold {{}} once, for the name, and no other brace")
        for key in keys.split():
            ends, begins = key.startswith("-"), key.endswith("-")
            if not _KEY.fullmatch(key) or (key != "-" and ends == begins):
                raise one.error(
                    f"{short(key)} is no rule: write -x for names that end in x, x- or -"
                )
            if text.startswith("-") and not key.startswith("-"):
                raise one.error(f"{short(text)} replaces an ending, but {short(key)} names none")
            yield Rule(key, text)


def read_line(line: str, error: Entry) -> tuple[str, dict[str, str]]:
    """Return the name in a line of a file, and the cases that it lists: `Анна gen=Анны`."""
    name, *listed = re.split(r"\s+([^\W\d]\w*)=", line)
    cases = dict(zip(listed[::2], map(str.strip, listed[1::2]), strict=True))
    for case, text in cases.items():
        bare = text.replace(_HERE, "", 1)
        if not text or not name or any(mark in bare for mark in "{}[]"):
            raise error.error(f"{short(line)}: {case}= needs a text, in which {{}} is the name")
    return name, cases
