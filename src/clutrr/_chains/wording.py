"""An argument as text: each step in the words of a style.

The words are data, in `words/`. Worlds of English sentences have every style; others those that put claims in
signs, with the world's own labels.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from random import Random
from typing import Any

import yaml

from clutrr._chains.proofs import Argument, How, Move
from clutrr._lexicon import World
from clutrr._lexicon.saying import say_claim, say_given
from clutrr._puzzle import CANNOT_BE_TOLD
from clutrr._statement import Statement
from clutrr.theory.solver import Claim, Premise

_RESTATED, _SLIPS, _VARIED = 0.5, 0.3, 0.5  # how often


@dataclass(frozen=True)
class Styles:
    """What there is to word chains with, as `words/english.yaml` has it."""

    content: Mapping[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        """Every style."""
        return tuple(self.content["styles"])

    @property
    def signs(self) -> tuple[str, ...]:
        """The styles that put claims in signs."""
        return tuple(
            name for name, one in self.content["styles"].items() if one["notation"] != "words"
        )


@lru_cache(1)
def styles() -> Styles:
    """Return the styles."""
    text = files("clutrr._chains").joinpath("words", "english.yaml").read_text(encoding="utf-8")
    return Styles(yaml.safe_load(text))


def styles_of(world: World) -> tuple[str, ...]:
    """Return the styles in which chains of a world can be worded."""
    english = world.lexicon.language.split("-")[0] == "en"
    return styles().names if english else styles().signs


class Writer:
    """Words arguments about the puzzles of a world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._words = styles().content
        self._nouns = bool(world.forms)

    def steps(
        self,
        argument: Argument,
        style: str,
        answer: str,
        holds: Callable[[Claim], bool],
        slip: Callable[[Claim], Claim | None],
        rng: Random,
    ) -> list[str]:
        """Return the text of each step.

        Args:
            argument: the moves in their steps.
            style: one of `styles_of`.
            answer: what the argument ends with.
            holds: whether a claim is right: only such premises are said again.
            slip: a wrong claim about the same two entities, to be taken back.
            rng: what draws the words.
        """
        page = _Page(self, style, rng)
        steps_of = {move: number for number, step in enumerate(argument.steps) for move in step}
        slips = page.has("slip") and rng.random() < _SLIPS
        slipping = rng.randrange(len(argument.steps)) if slips else -1
        texts = []
        for number, step in enumerate(argument.steps):
            texts.append(
                self._step(page, argument.moves, step, number, steps_of, holds, slip, slipping)
            )
        texts[0] = page.style.get("head", "") + texts[0]
        said = self._words[CANNOT_BE_TOLD] if answer == CANNOT_BE_TOLD else answer
        texts[-1] += "\n" + page.style["answer"].format(answer=said)
        return texts

    def _step(
        self,
        page: "_Page",
        moves: Sequence[Move],
        step: tuple[int, ...],
        number: int,
        steps_of: Mapping[int, int],
        holds: Callable[[Claim], bool],
        slip: Callable[[Claim], Claim | None],
        slipping: int,
    ) -> str:
        *brought, last = (moves[one] for one in step)
        if slipping == number:
            wrong = slip(last.claim)
            if wrong is not None and not brought:
                return page.write("slip", number, last.claim, x=wrong)
        if last.how is How.FACT:
            return page.write("fact", number, last.premise)
        earlier = [one for one in last.premises if steps_of[one] != number]
        known = [moves[one].premise for one in earlier]
        true = all(holds(moves[one].claim) for one in earlier)
        again = true and len(known) <= 2 and page.rng.random() < _RESTATED
        premises = [one.premise for one in brought]
        if again and not brought:
            premises = known
        cited = sorted({steps_of[one] + 1 for one in earlier})
        return page.write("derive" if premises else "bare", number, last.claim, premises, cited)

    def clause(self, claim: Premise, notation: str, varied: Callable[[int], int]) -> str:
        """Return a claim as a clause. varied: which one of so many wordings."""
        if isinstance(claim, Statement):
            said = say_given(self._world, claim)
            return json.dumps(said, ensure_ascii=False) if notation == "record" else said
        if notation == "words":
            return self._in_words(claim, varied)
        forms = self._words["notations"][notation]
        relation = "/".join(claim.relations)
        word = "_or_".join(claim.relations).replace(" ", "_").replace("-", "_")
        pattern: str = forms["noun" if self._nouns else "other"]
        verbs = self._words["verbs"]
        v = "/".join(
            one if one in verbs else f"{self._words['is']} {one}" for one in claim.relations
        )
        a, b = claim.head, claim.tail
        if notation == "record":  # names stand in quotes
            a, b, relation = (json.dumps(one, ensure_ascii=False)[1:-1] for one in (a, b, relation))
        return pattern.format(a=a, b=b, r=relation, r_=word, v=v)

    def _in_words(self, claim: Claim, varied: Callable[[int], int]) -> str:
        head, relations, tail = claim
        if self._nouns:
            said = self._words["or"].join(relations)
            patterns = self._words["nouns" if len(relations) == 1 else "several_nouns"]
            pattern = patterns[varied(len(patterns))]
            an = f"{'an' if said[0] in 'aeiou' else 'a'} {said}"
            return str(pattern.format(a=head, b=tail, r=said, an=an))
        single = [self._clause(head, one, tail, varied) for one in relations]
        if len(single) == 1:
            return single[0]
        plain = [self._clause(head, one, tail, lambda many: 0) for one in relations]
        one = f"{', '.join(plain[:-1])}"
        return str(self._words["either"].format(one=one, other=plain[-1]))

    def _clause(self, head: str, relation: str, tail: str, varied: Callable[[int], int]) -> str:
        patterns = self._words["clauses"].get(relation)
        if patterns is None:
            return say_claim(self._world, Claim(head, (relation,), tail))
        point = relation.removesuffix(" of")
        pattern = patterns[varied(len(patterns))]
        return str(pattern.format(a=head, b=tail, r=relation, point=point))

    @property
    def words(self) -> Mapping[str, Any]:
        return self._words


class _Page:
    """The style of one chain, and its turns of phrase."""

    def __init__(self, writer: Writer, style: str, rng: Random) -> None:
        self._writer, self.rng = writer, rng
        self.style: Mapping[str, Any] = writer.words["styles"][style]
        self._usual = rng.random()  # most sentences of a writer are alike

    def has(self, text: str) -> bool:
        return text in self.style

    def write(
        self,
        kind: str,
        number: int,
        claim: Premise,
        premises: Sequence[Premise] = (),
        cited: Sequence[int] = (),
        x: Claim | None = None,
    ) -> str:
        """Return the text of a step.

        - kind: fact, derive, bare or slip
        - claim: what it concludes
        - premises: what it brings in, or says again
        - cited: the numbers of the steps that it rests on, from 1
        - x: what it says and takes back
        """
        words = self._writer.words
        pattern = self.style[kind][self._varied(len(self.style[kind]))]
        ordinals = words["ordinals"]
        and_ = words["and"]
        if self.style["notation"] != "words":
            and_ = words["notations"][self.style["notation"]]["and"]
        c, p = self._clause(claim), and_.join(map(self._clause, premises))
        if "{refs}" in pattern and not cited:
            pattern = self.style["bare"][0]
        return str(
            pattern.format(
                c=c,
                C=_capital(c),
                p=p,
                P=_capital(p),
                n=number + 1,
                Nth=ordinals[number] if number < len(ordinals) else words["next"],
                refs=self._refs(cited),
                x="" if x is None else self._clause(x),
            )
        )

    def _clause(self, claim: Premise) -> str:
        return self._writer.clause(claim, self.style["notation"], self._varied)

    def _varied(self, many: int) -> int:
        """Return which of so many wordings: this writer's usual one, or another."""
        if self.rng.random() < _VARIED:
            return int(self._usual * many)
        return self.rng.randrange(many)

    def _refs(self, cited: Sequence[int]) -> str:
        words = self._writer.words
        if not cited:
            return ""
        *others, last = map(str, cited)
        if not others:
            return f"{words['step']} {last}"
        return f"{words['steps']} {', '.join(others)}{words['and']}{last}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
