"""The reader of claims: a reply as prose, read like a story, and then as an argument."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from clutrr._lexicon import World
from clutrr._puzzle import Fact
from clutrr._reading import reader_of
from clutrr._reading.reader import Reader
from clutrr._score.claims.branches import Branches
from clutrr._score.claims.discourse import statements_of
from clutrr._score.claims.notations import (
    ARROW,
    EITHER,
    Notation,
    NotationReader,
    without_therefore,
)
from clutrr._score.claims.prose import Line, Prose, ProseBuilder, lines, replaced
from clutrr._score.spelling import spellings
from clutrr._score.words import phrases
from clutrr._statement import Statement

_ITEM = re.compile(
    r"(?:\s*(?:[-\u2022+\u25e6\u25aa>\u2013\u2014]\s+|\(?\d{1,3}[.):](?!\d)\s*|\([a-z]\)\s+|[a-z][.)]\s+"
    r"|(?:step|fact|premise|line|claim|clue)\s*\d*\s*[.:)\u2013-]\s*"
    r"|(?:so|thus|hence|given|derived|facts?|conclusions?|reasoning|therefore|result|total|known|from the story"
    r"|according to the story|story|first|second|third|finally|next|check|summary)\s*:\s*))+",
    re.IGNORECASE,
)
_TREE = re.compile(r"[\u2500-\u257f]")
_WRONG = re.compile(
    r"[\u2717\u2718\u274c\u2716]|\((?:wrong|false|incorrect|no)\)\s*\.?\s*$", re.IGNORECASE
)
_STRUCK = re.compile(r"~~[^~]*~~")
# Square brackets that are no markup: [3] before a step, [Bob, son of, Ann].
_SQUARE = re.compile(r"(?m)^\[\d{1,3}\]|\[[^\[\],\n]+,[^\[\],\n]+,[^\[\],\n]+\]")
_KEYED = re.compile(r"""(\b[\w-]+)\[["']([^"'\[\]\n]+)["']\]""")  # mother["Bob"] = "Ann"
_TAG = re.compile(r"</?\w[^<>]{0,100}>|\\(?:text|mathrm|textbf|boxed)\s*\{|\[/?INST\]")
# Where a clause ends, and the next one begins behind words that only join them.
_JOINED = r"(?:so|and|but|hence|thus|therefore|then|which means(?: that)?|because|since|also|given|as|that)"
_BOUNDARY = re.compile(
    rf"(?:[.;:!?](?=\s|$)|,(?=\s+{_JOINED}\b)|\s(?=(?:so|hence|because|therefore)\s))\s*(?:{_JOINED}\b,?\s+)*"
    rf"|(?<![^\s])(?:So|Thus|Hence|Therefore|Since|And|But|Then)\b,?\s+(?:{_JOINED}\b,?\s+)*"
)
_FAR = 300  # characters
_EXAMPLE = re.compile(r",? as in this .*")  # a scene that only shows what is possible
_THAT_IS = re.compile(r"\bi\.\s?e\.,?")
_RULE = re.compile(r"[\s|:\-+=]+")
_STOP = re.compile(
    rf"\s*(?:{ARROW}|\u22a2|\u2234|\u2227|\s\+\s)\s*"
    r"|\s*(?:\.\.\.|\u2026|[-\u2013\u2014])\s*(?=(?:wait|no|scratch|hmm|oops|sorry|actually|correction)\b)",
    re.IGNORECASE,
)
# What stands in brackets and says nothing of anybody.
_ASIDE = re.compile(
    r"\s*\((?![^()]*\b(?:not|no|wrong|false|maybe|if|but|unless|might|may|perhaps)\b)[^()?]*\)"
)


class ClaimReader:
    """Finds the claims of replies to questions about stories of one world.

    Args:
        world: of the stories. Its own language is read, as in stories, and every notation.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._relations = spellings(world)
        self._variants = _variants(self._relations)
        self._spelt = {_letters(word): label for word, label in self._relations.items()}
        single = {kind.name: kind.words[0] for kind in world.kinds if len(kind.words) == 1}
        self._codes = single
        self._ordered = _ordered(world)
        self._clauses = not world.forms and world.lexicon.language.partition("-")[0] == "en"
        marks = "|".join(phrases("answer"))
        self._answer = re.compile(
            rf"[^\w\n]*(?:(?:so|thus|hence|therefore)\b[ ,]*)?(?:(?:the|my)\s+)?(?:final\s+|correct\s+)?"
            rf"(?:{marks})\s*(?:is\b|[:\uff1a])",
            re.IGNORECASE,
        )

    def find(
        self, reply: str, entities: Collection[str], forms: Mapping[str, str] | None = None
    ) -> list[Statement]:
        """Return what a reply says of these entities, in its order, each with its place in the reply.

        forms: of the entities, where they are known.
        """
        names = {name: name for name in entities if name}
        prose = self._prose(reply, names)
        read = reader_of(self._world, reasoning=True).read(prose.text, names, forms)
        found = []
        for one in statements_of(prose.text, read.sentences):
            if one.tail and {one.head, one.tail} <= names.keys():
                start, end = prose.place(*_clause(prose.text, one.start, one.end))
                found.append(replace(one, start=start, end=end))
        return sorted(found, key=lambda one: one.start)

    def about(self, text: str, query: Sequence[str]) -> list[Statement]:
        """Return what a text says of two entities."""
        return [one for one in self.among(text, query) if {one.head, one.tail} == {*query}]

    def among(self, text: str, query: Sequence[str]) -> list[Statement]:
        """Return what a text says of two entities and of others that it names beside them."""
        if found := self.find(text, query):
            return found
        reader = reader_of(self._world, reasoning=True)
        names = reader.names_in(text) if isinstance(reader, Reader) else []
        apart = [one for one in names if not any(one in other or other in one for other in query)]
        return self.find(text, [*query, *apart])

    def _prose(self, reply: str, names: Mapping[str, str]) -> Prose:
        notations = NotationReader(
            names, self._relations, self._codes, self._ordered, clauses=self._clauses
        )
        short = _abbreviations(reply, names)
        letters = re.compile(
            rf"(?<![\w'-])(?:{'|'.join(short) or '(?!)'})(?![\w-])(?!\s*=\s*(?:{_any(names)}))"
        )
        wrapped = re.compile(rf"\b(?:age|years?|a)\(\s*({_any(names)})\s*\)")
        built = ProseBuilder()
        header: list[str] = []
        branches = Branches(names, self._relations)
        plain = _STRUCK.sub(lambda one: " " * len(one[0]), reply)
        plain = _SQUARE.sub(lambda one: f"({one[0][1:-1]})", plain)
        plain = _KEYED.sub(lambda one: f"{one[1]}( {one[2]} )", plain)
        for line in lines(plain):
            line = replaced(line, self._variants, lambda one: self._spelt[_letters(one[0])])
            line = replaced(line, letters, lambda one: short[one[0]])
            line = replaced(line, wrapped, lambda one: one[1])
            line = replaced(line, _EXAMPLE, lambda one: "")
            line = replaced(line, _THAT_IS, lambda one: "that is")
            if line.text.count("|") > 1:
                header = self._row(line, header, notations, built)
                continue
            header = []
            if (branch := branches.next(line.text)) is not None:
                said = " ".join(f"{self._say(fact)}." for fact in branch.facts)
                built.put(said + branch.rest, line)
                built.stop()
                continue
            if not (self._answer.match(line.text) or _WRONG.search(line.text)):
                self._line(line, notations, built)
        return built.done()

    def _line(self, line: Line, notations: NotationReader, built: ProseBuilder) -> None:
        """Add a line: its notations as sentences, the rest as it is."""
        if _TREE.search(line.text):
            return  # its branches are read as a whole
        for piece in _without_tags(line):
            item = _ITEM.match(piece.text)
            piece = piece.cut(item.end() if item else 0)
            piece = piece.cut(without_therefore(piece.text))
            if piece.text.strip():
                piece = _without_asides(piece, notations)
                records = [*notations.record(piece.text)]
                for one in records:
                    built.put(self._say(one.facts[0]), piece.cut(one.start, one.end))
                    built.stop()
                if not records:
                    self._pieces(piece, notations.find(piece.text), built)
                    built.stop()

    def _say(self, fact: Fact) -> str:
        """Return a sentence for a fact; of several relations, one holds."""
        first, *others = fact.relation.split(EITHER)
        return EITHER.join([self._world.say(fact.head, first, fact.tail), *others])

    def _pieces(self, line: Line, found: Sequence[Notation], built: ProseBuilder) -> None:
        at = 0
        for one in found:
            _copy(line.cut(at, one.start), built)
            said = [self._say(fact) for fact in one.facts]
            built.put(". ".join(said), line.cut(one.start, one.end))
            at = one.end
        _copy(line.cut(at), built)

    def _row(
        self, line: Line, header: list[str], notations: NotationReader, built: ProseBuilder
    ) -> list[str]:
        """Add a row of a table; return the header of the rows that follow."""
        cells = [*_cells(line)]
        if _RULE.fullmatch(line.text):
            return header
        texts = [cell.text.strip() for cell in cells]
        fact = notations.row(header, texts) if header else None
        if fact is not None:
            built.put(self._say(fact), line)
            built.stop()
        elif header:
            for cell in cells:
                if cell.text.strip():
                    self._line(cell, notations, built)
        return header or texts


def _any(words: Collection[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True))) or "(?!)"


def _copy(line: Line, built: ProseBuilder) -> None:
    """Add words of the reply; arrows that join clauses end a sentence."""
    at = 0
    for match in _STOP.finditer(line.text):
        if line.text[at : match.start()].strip():
            built.copy(line.cut(at, match.start()))
        built.stop()
        at = match.end()
    if line.text[at:].strip():
        built.copy(line.cut(at))


def _clause(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the place of the clause around the words that state something."""
    before = [match.end() for match in _BOUNDARY.finditer(text, max(0, start - _FAR), start)]
    after = _BOUNDARY.search(text, end, end + _FAR)
    first = before[-1] if before else max(0, start - _FAR) if start > _FAR else 0
    while first < start and text[first].isspace():
        first += 1
    return first, after.start() if after else min(len(text), end + _FAR)


def _without_asides(line: Line, notations: NotationReader) -> Line:
    """Return a line without brackets that name nobody: "(given)"."""
    for match in reversed([*_ASIDE.finditer(line.text)]):
        if not notations.names_somebody(match[0]):
            kept = line.cut(0, match.start()), line.cut(match.end())
            line = Line("".join(one.text for one in kept), kept[0].at + kept[1].at)
    return line


def _cells(line: Line) -> Iterator[Line]:
    start = 0
    for number, char in enumerate(f"{line.text}|"):
        if char == "|":
            if number > start:
                yield line.cut(start, number)
            start = number + 1


def _without_tags(line: Line) -> Iterator[Line]:
    """Yield the parts of a line between tags and commands."""
    at = 0
    for match in _TAG.finditer(line.text):
        if match.start() > at:
            yield line.cut(at, match.start())
        at = match.end()
    yield line.cut(at)


def _abbreviations(reply: str, names: Mapping[str, str]) -> dict[str, str]:
    """Return the letters that a reply defines: "let A = Ann", "Ann (A)"."""
    name = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    if not name:
        return {}
    found: dict[str, str] = {}
    patterns = (
        (
            rf"\b(?i:let\s+)?(?P<short>[A-Z]{{1,3}})\s*(?:=|:=|\bbe\b|\bdenotes\b)\s*(?P<name>{name})\b(?!['\u2019])"
        ),
        rf"\b(?P<name>{name})\s*(?:\((?P<short>[A-Z]{{1,3}})\)|=\s*(?P<other>[A-Z]{{1,3}})\b(?!['\u2019]))",
    )
    for pattern in patterns:
        for match in re.finditer(pattern, reply):
            short = match.groupdict().get("short") or match.groupdict().get("other")
            if short and short not in names:
                found.setdefault(short, match["name"])
    return found


def _variants(relations: Mapping[str, str]) -> re.Pattern[str]:
    """Return what finds hyphenated relations in other spellings: "mom in law", "son_in_law"."""
    parts = [
        re.split("-", word) for word in relations if "-" in word and not word.startswith("is-")
    ]
    spelt = [r"[-_ ]".join(map(re.escape, one)) for one in parts]
    return re.compile(
        rf"\b(?:{'|'.join(sorted(spelt, key=len, reverse=True)) or '(?!)'})(?!\w|-\w)",
        re.IGNORECASE,
    )


def _letters(word: str) -> str:
    return re.sub("[-_ ]", "", word).lower()


def _ordered(world: World) -> tuple[str, str, str] | None:
    """Return the labels of >, < and = where the theory's kinds are these."""
    if not {">", "<", "="} <= {*world.index}:
        return None
    return tuple(world.kind(sign).words[0] for sign in "><=")  # type: ignore[return-value]
