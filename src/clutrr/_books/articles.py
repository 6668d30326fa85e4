"""Articles: what each entity's article tells, in sentences or prose."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from clutrr._books.scene import LISTED, OWN, SHARD, Edge, LinkTable, Scene
from clutrr._books.sentences import CLOSURE, FACT, Sayer, Told, silent
from clutrr._books.vocabulary import PREFACE

Said = tuple[str, Told | None]  # a sentence, and what it states
_PRONOUNS = {"person": ("she", "he"), "place": ("it",), "region": ("it",), "event": ("it",)}
_PREFACE_LINES = {  # what is said where, by the parts that a book has
    "families": ("families", "blood", "in-law"),
    "places": ("places",),
    "regions": ("regions",),
    "events": ("events",),
}


@dataclass(frozen=True)
class Article:
    """An article. statements: what it states, in the order of its sentences; places are in `text`."""

    id: str
    title: str
    text: str
    statements: tuple[Told, ...]


class Writer:
    """Writes the articles of a scene."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._rng = Random()
        self._base = scene.number("articles")
        self._sayer = Sayer(scene, self._rng)
        self._tables = {
            sort: [
                (name, scene.links(name))
                for name in scene.link_names
                if scene.words.links[name].of == sort
            ]
            for sort in scene.sizes
        }
        self._parts: dict[str, list[str]] = {}
        for part in scene.parts:
            if part.name != "families":
                self._parts.setdefault(part.sort, []).append(part.name)
        self._silent = {
            part.sort: silent(scene.worlds[part.name], scene.words) for part in scene.parts
        }
        self._group: dict[str, tuple[int, int, dict[int, list[Edge]]]] = {}

    @property
    def shards(self) -> int:
        """How many files of articles there are."""
        return -(-self.scene.total // SHARD)

    def shard(self, number: int) -> list[Article]:
        """Return the articles of a file, in the order of their ids; the preface comes first of all."""
        scene = self.scene
        first = number * SHARD
        articles = [self.article(one) for one in range(first, min(first + SHARD, scene.total))]
        articles.sort(key=lambda article: article.id)
        return [self.preface(), *articles] if number == 0 else articles

    def preface(self) -> Article:
        """Return the preface: what holds in the whole book."""
        scene, lines = self.scene, self.scene.words.preface
        names = ["silence", "names"]
        for part in scene.parts:
            names += _PREFACE_LINES.get(part.name, ())
        if "home" in scene.link_names:
            names.append("everybody")
        if "region" in scene.link_names:
            names.append("towns")
        names += [
            name for name, link in (("one", "job"), ("hosts", "venue")) if link in scene.link_names
        ]
        text, statements = "", []
        for name in names:
            start = len(text) + bool(text)
            text += " " * bool(text) + lines[name]
            if name in ("everybody", "towns"):
                statements.append(Told(name, CLOSURE, "", (name,), "", (), start, len(text)))
        return Article(PREFACE, "Preface", text, tuple(statements))

    def article(self, entity: int) -> Article:
        """Return the article of an entity: always the same, whatever was written before."""
        scene = self.scene
        rng = self._rng
        rng.seed(self._base + entity)
        sort = scene.sort(entity)
        at, name = entity - scene.offset[sort], scene.name(entity)
        said: list[Said] = []
        if sort == "person" and scene.families is not None:
            said += self._family(at, name)
        for link, table in self._tables[sort]:
            said += self._links(link, table, at, name)
        for part in self._parts.get(sort, ()):
            said += self._relations(part, entity)
        said += self._nothing(sort, name)
        rng.shuffle(said)
        if scene.config.style == "prose":
            said = list(self._prose(said, sort, at, name))
        return _put_together(scene.article(entity), name, said)

    def _family(self, person: int, name: str) -> Iterator[Said]:
        scene, told, say = self.scene, self.scene.told, self._sayer
        families, labels = scene.families, say.labels
        assert families is not None
        couple, born, female = families.own[person], families.born[person], families.female
        if couple < 0:
            if told.single[person]:
                both = (labels.wife, labels.husband)
                yield say.single(name), Told("single", CLOSURE, name, both, "", ())
        else:
            if told.married[couple] == (1 if female[person] else 2):
                other, label = (
                    families.spouse(person),
                    labels.husband if female[person] else labels.wife,
                )
                yield self._kin("spouse", name, label, scene.name(other))
            if scene.teller(couple) == person and told.listed[couple]:
                first = families.first[couple]
                children = range(first, first + families.children[couple])
                for key, label, closed, form in (
                    ("daughters", labels.daughter, told.daughters[couple], 1),
                    ("sons", labels.son, told.sons[couple], 0),
                ):
                    names = [scene.name(one) for one in children if female[one] == form]
                    if closed:
                        fact = Told(key, CLOSURE, name, (label,), "", tuple(names))
                        yield say.all_children(key, name, names), fact
                    else:
                        for number, child in enumerate(names, 1):
                            yield self._kin(f"{key}-{number}", name, label, child)
        if born >= 0 and not told.listed[born]:
            parent = scene.teller(born)
            label = labels.mother if female[parent] else labels.father
            yield self._kin("parent", name, label, scene.name(parent))

    def _kin(self, key: str, a: str, label: str, b: str) -> Said:
        text = self._sayer.relation("families", a, label, b)
        return text, Told(key, FACT, a, (label,), b, ())

    def _links(self, name: str, table: LinkTable, at: int, a: str) -> Iterator[Said]:
        scene, link, say, told = self.scene, table.link, self._sayer, table.told[at]
        if not told and not link.many:
            return
        if link.to:
            offset = scene.offset[link.to]
            names = [scene.name(offset + one) for one in table.row(at)]
        else:
            names = [link.values[one] for one in table.row(at)]
        if link.many:
            if told:
                fact = Told(name, CLOSURE, a, (name,), "", tuple(names))
                yield say.all_links(name, a, names), fact
            elif not link.inverse:
                for number, b in enumerate(names, 1):
                    yield say.link(name, a, b), Told(f"{name}-{number}", FACT, a, (name,), b, ())
        elif told == OWN and names:
            yield say.link(name, a, names[0]), Told(name, FACT, a, (name,), names[0], ())
        elif told != LISTED and not names:
            yield say.all_links(name, a, ()), Told(name, CLOSURE, a, (name,), "", ())

    def _relations(self, part: str, entity: int) -> Iterator[Said]:
        scene, say = self.scene, self._sayer
        known = self._group.get(part)
        if known is None or not known[0] <= entity < known[1]:
            start, stop = scene.group(part, entity)
            owned: dict[int, list[Edge]] = {}
            for edge in scene.edges(part, start, stop):
                owned.setdefault(edge.owner, []).append(edge)
            known = self._group[part] = start, stop, owned
        for edge in known[2].get(entity, ()):
            a, b, label = scene.name(edge.a), scene.name(edge.b), say.kinds[part][edge.kind]
            fact = Told(f"{part}-{edge.number}", FACT, a, (label,), b, ())
            yield say.relation(part, a, label, b), fact

    def _nothing(self, sort: str, name: str) -> Iterator[Said]:
        known, rng = self._silent[sort], self._sayer.rng
        assert rng is not None
        for attribute in rng.sample(known, min(len(known), self.scene.config.distractors)):
            value = attribute.values[int(rng.random() * len(attribute.values))]
            yield self._sayer.choose(attribute.pieces).fill(name, value), None

    def _prose(self, said: Sequence[Said], sort: str, at: int, name: str) -> Iterator[Said]:
        """Yield the sentences with pronouns for the entity of the article, two of them in one now and then."""
        pronouns = _PRONOUNS[sort]
        if sort == "person":
            if self.scene.families is None:
                yield from said
                return
            pronoun = pronouns[0 if self.scene.families.female[at] else 1]
        else:
            pronoun = pronouns[0]
        rng = self._sayer.rng
        assert rng is not None
        begins, follows, joined = (
            f"{name} ",
            False,
            False,
        )  # who is meant is clear after a sentence about it
        for text, fact in said:
            about = text.startswith(begins)
            plain, short = text, ":" not in text
            if about and follows:
                rest = text[len(begins) :]
                if not joined and short and rng.random() < 0.4:
                    yield f"\0, and {pronoun} {rest}", fact
                    joined = True
                    continue
                plain = f"{pronoun.capitalize()} {rest}"
            yield plain, fact
            follows, joined = about, not (about and short)


def _put_together(number: str, title: str, said: Sequence[Said]) -> Article:
    """Return an article. A sentence that begins with a null goes on with the one before."""
    text, statements = "", []
    for sentence, fact in said:
        if sentence.startswith("\0"):
            text = text[:-1]
            start = len(text) + len(", and ")
            text += sentence[1:]
        else:
            start = len(text) + bool(text)
            text += " " + sentence if text else sentence
        if fact is not None:
            statements.append(fact._replace(start=start, end=len(text)))
    return Article(number, title, text, tuple(statements))
