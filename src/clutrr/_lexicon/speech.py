"""Speech: phrases with names and labels in them, as questions, prompts and proofs put them."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from clutrr._lexicon.lexicon import Lexicon
from clutrr._lexicon.phrases import theory_phrases
from clutrr.errors import ConfigError

_NONE = "no relative"
_WAY = " of a "  # between the steps of a way to a relative


@dataclass(frozen=True)
class _Name:
    """A name in a phrase: {a} as it is, {a:gen} in a case, {a:her|his} a word by its form."""

    name: str
    lexicon: Lexicon

    def __format__(self, spec: str) -> str:
        if "|" not in spec:
            return self.lexicon.spell(self.name, spec).written()
        return _chosen(spec, self.lexicon.form_of.get(self.name))


@dataclass(frozen=True)
class _Labels:
    """Labels in a phrase: {r} as they are, {r:the} each in a form; "or" between them.

    head: the name whose relations they are, whose form may choose the word.
    """

    labels: Sequence[str]
    head: str
    lexicon: Lexicon

    def __format__(self, spec: str) -> str:
        phrases, head = self.lexicon.phrases, self.lexicon.form_of.get(self.head)
        texts = phrases.forms.get(spec, {})
        words = [_chosen(texts.get(label, label), head, label) for label in self.labels]
        words = [word.format(a=_Name(self.head, self.lexicon)) for word in words]
        return phrases.say("or").join(words)


def _chosen(words: str, form: int | None, usual: str | None = None) -> str:
    """Return the one of the words for a form. usual: instead, if the form is not known."""
    if "|" not in words or "{" in words:
        return words
    if form is None:
        return words.replace("|", "/") if usual is None else usual
    return words.split("|")[form]


def speaking(lexicon: Lexicon, theory: str, language: str | None) -> Lexicon:
    """Return the lexicon with the phrases of a language for its words and names.

    Args:
        lexicon: the lexicon of a world.
        theory: the name of the world's theory.
        language: "en" for English; None or the lexicon's own for its own phrases.
    """
    if language in (None, lexicon.language):
        return lexicon
    if language != "en":
        raise ConfigError(
            f"is neither en nor the language of the world, {lexicon.language}",
            setting="prompt_language",
            value=language,
        )
    return replace(lexicon, phrases=theory_phrases(theory))


@dataclass(frozen=True)
class Speech:
    """What a lexicon says of entities and relations."""

    lexicon: Lexicon

    def say(self, text: str, /, **slots: object) -> str:
        """Return what proofs and prompts say beside relations. {a} and {b} are names."""
        for slot in {"a", "b"} & slots.keys():
            slots[slot] = self._name(str(slots[slot]))
        return self.lexicon.phrases.say(text, **slots)

    def relation(self, head: str, labels: Sequence[str]) -> str:
        """Return what somebody is who has one of these relations: "Ann's son or daughter"."""
        said = _Labels(labels, head, self.lexicon)
        return self.lexicon.phrases.relation.format(a=self._name(head), r=said)

    def state(self, head: str, label: str, tail: str) -> str:
        """Return a fact as a clause."""
        clause = self.lexicon.phrases.clauses.get(label)
        if clause is not None:
            return clause.format(a=self._name(head), b=self._name(tail))
        return self.say("is", b=tail, r=self.relation(head, [label]))

    def ask(self, form: str, head: str, tail: str, label: str = "...") -> str:
        """Return a question about two entities. form: "question", "complete" or "confirm"."""
        phrase: str = getattr(self.lexicon.phrases, form)
        names: Mapping[str, object] = {"a": self._name(head), "b": self._name(tail)}
        return phrase.format(r=_Labels([label], head, self.lexicon), **names)

    def opening(self, clause: str, names: Collection[str]) -> str:
        """Return a clause as the beginning of a sentence. names: that stay as they are."""
        if self.lexicon.language.partition("-")[0] == "en":
            return re.sub(r"\Athe ", "The ", clause)
        return clause if clause.startswith(tuple(names)) else clause[:1].upper() + clause[1:]

    def names(self, names: Sequence[str]) -> str:
        """Return several names: "Ann, Bob and Carol"."""
        *others, last = (f"{self._name(name)}" for name in names)
        if not others:
            return last
        return self.say("names").join(others) + self.say("last name") + last

    def way(self, steps: str) -> str:
        """Return a relative without a label: "a spouse of a sibling"."""
        phrases = self.lexicon.phrases
        outer, *inner = steps.split(_WAY)
        called = phrases.say(outer) if phrases.knows(outer) else outer
        if inner:
            *others, last = (phrases.say(f"of {step}") for step in inner)
            for other in reversed(others):
                last = phrases.say("way", outer=other, inner=last)
            called = phrases.say("way", outer=called, inner=last)
        return called if steps == _NONE else phrases.say("a", r=called)

    def _name(self, name: str) -> _Name:
        return _Name(name, self.lexicon)
