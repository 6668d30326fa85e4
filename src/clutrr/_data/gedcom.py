"""Family files in GEDCOM: who is whose partner and child, without names, for scenes to generate from.

A theory of families holds everybody to be a child of one couple and a partner in one, husband and wife. What does
not fit is left out, link by link, and counted:

- families with one known partner, or with partners of one sex
- all marriages of a person but one: the one with the most children, or the first
- parents by adoption, fostering or a second marriage, and all parents but the first
- links that close a circle, as a marriage of cousins does
- people whose sex is neither told nor clear from a marriage

The families that are left are written as a text, person by person: "f1. m0. f.0" is a woman whose partner is
person 1, her husband, and their daughter (`.0`: a child of person 0 and of that person's partner).
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from clutrr._io.files import read_whole
from clutrr._io.locations import Location
from clutrr.errors import DataError

_MOST_BYTES = 64 << 20
_MOST_PEOPLE = 100  # of a family; a larger one is divided
_MOST_FAMILIES = 64
_LINE = re.compile(r"\s*(\d{1,2})\s+(?:(@[^@\s]+@)\s+)?([A-Za-z0-9_]+)(?: (.*))?")
_BY_BIRTH = {"", "birth", "natural", "biological", "unknown"}
_HOW = ("PEDI", "_FREL", "_MREL")
_FORMS = {"F": "f", "M": "m"}


@dataclass(frozen=True)
class FamilyFile:
    """The families of a file.

    - text: who is whose partner and child, family by family, separated by ";"
    - families, people: how many there are
    - left_out: what does not fit, in words, and how often
    """

    text: str
    families: int
    people: int
    left_out: Mapping[str, int]

    @property
    def note(self) -> str:
        """What was read and left out, in a line."""
        families = f"{self.families:,} famil{'ies' if self.families > 1 else 'y'}"
        found = f"{self.people:,} people in {families}"
        gone = ", ".join(f"{what} {count:,}" for what, count in self.left_out.items())
        return f"{found}; left out: {gone}" if gone else found


@dataclass
class _Record:
    """A person or a family as the file has it: what stands below it, by tag."""

    place: int  # line
    tag: str
    links: list[tuple[str, str, str]] = field(default_factory=list)  # tag, value, kind of link


Couple = tuple[str, str]  # wife, husband
Couples = dict[Couple, list[str]]  # with their children


def read_gedcom(path: Location) -> FamilyFile:
    """Return the families of a file. Raises DataError."""
    try:
        content = read_whole(path, _MOST_BYTES)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", place=path) from error
    except ValueError as error:
        raise DataError(str(error), place=path) from error
    records = _records(_text_of(content, path).splitlines(), path)
    left_out: Counter[str] = Counter()
    found = _families(_tree(records, left_out), left_out)
    if not found:
        raise DataError("no couple with a known wife, husband and a relative is in it", place=path)
    text = ";".join(_written(family, records) for family in found)
    people = sum(len(_people(family)) for family in found)
    gone = {what: count for what, count in sorted(left_out.items()) if count}
    return FamilyFile(text, len(found), people, gone)


def _text_of(content: bytes, path: Location) -> str:
    for code in ("utf-16", "utf-8-sig", "latin-1"):
        marked = content[:2] in (b"\xff\xfe", b"\xfe\xff")
        if marked == (code == "utf-16"):
            try:
                return content.decode(code)
            except UnicodeDecodeError:
                continue
    raise DataError("is not a text", place=path)


def _records(lines: Sequence[str], path: Location) -> dict[str, _Record]:
    """Return the people and families of a file, by their marks such as @I1@."""
    found: dict[str, _Record] = {}
    head, above = "", ""
    record: _Record | None = None
    for number, line in enumerate(lines, 1):
        if not line.strip("\x00\ufeff \t"):
            continue
        match = _LINE.fullmatch(line.lstrip("\ufeff"))
        if match is None:
            if head:  # a long note may go on in a line of its own
                continue
            raise DataError("is not GEDCOM, which begins with a line `0 HEAD`", place=path)
        level, mark, tag, value = int(match[1]), match[2], match[3].upper(), (match[4] or "")
        value = value.strip()
        if not head:
            if level or tag != "HEAD":
                raise DataError("is not GEDCOM, which begins with a line `0 HEAD`", place=path)
            head = tag
        if level == 0:
            record = None
            if mark and tag in ("INDI", "FAM"):
                if mark in found:
                    raise DataError(
                        f"line {number}: {mark} is already the mark of line {found[mark].place}",
                        place=path,
                    )
                record = found[mark] = _Record(number, tag)
        elif record is not None and level == 1:
            above = tag
            record.links.append((tag, value, ""))
        elif record is not None and level == 2 and above in ("FAMC", "CHIL"):
            by_birth = tag not in _HOW or value.lower() in _BY_BIRTH
            if not by_birth:
                record.links[-1] = (*record.links[-1][:2], value.lower())
    if not head:
        raise DataError("is not GEDCOM, which begins with a line `0 HEAD`", place=path)
    return found


def _tree(records: Mapping[str, _Record], left_out: Counter[str]) -> Couples:
    """Return the couples with their children, as far as they make trees."""
    married = dict(_couples(records, left_out))
    parents = _parents(records, married, left_out)
    children: dict[str, list[str]] = {family: [] for family in married}
    for child, family in parents.items():
        children[family].append(child)
    taken: set[str] = set()
    joined = _Joined()
    kept: dict[str, Couple] = {}
    for family in sorted(married, key=lambda one: (-len(children[one]), records[one].place)):
        if taken.isdisjoint(married[family]):
            taken.update(married[family])
            kept[family] = married[family]
            joined.join(*married[family])
        else:
            left_out["further marriages"] += 1
    found: Couples = {kept[one]: [] for one in married if one in kept}
    for child, family in parents.items():
        if family not in kept:
            continue
        if joined.join(child, kept[family][0]):
            found[kept[family]].append(child)
        else:
            left_out["links that close a circle"] += 1
    return found


def _couples(
    records: Mapping[str, _Record], left_out: Counter[str]
) -> Iterator[tuple[str, Couple]]:
    """Yield the families with a wife and a husband who are known."""
    for mark, record in records.items():
        if record.tag != "FAM":
            continue
        partners = [
            (value, _sex(records[value], tag))
            for tag, value, _ in record.links
            if tag in ("HUSB", "WIFE") and value in records and records[value].tag == "INDI"
        ]
        if len(partners) < 2:
            left_out["families with an unknown partner"] += 1
        elif len(partners) > 2 or partners[0][0] == partners[1][0]:
            left_out["families with more than two partners, or one twice"] += 1
        elif None in (partners[0][1], partners[1][1]):
            left_out["families with a partner of unknown sex"] += 1
        elif partners[0][1] == partners[1][1]:
            left_out["couples of one sex"] += 1
        else:
            (wife, _), (husband, _) = sorted(partners, key=lambda one: str(one[1]))
            yield mark, (wife, husband)


def _sex(person: _Record, role: str = "") -> str | None:
    """Return f or m. role: HUSB or WIFE, which tells it where the person's record does not."""
    told = next((value.upper() for tag, value, _ in person.links if tag == "SEX"), "")
    if told in ("", "U"):
        return {"WIFE": "f", "HUSB": "m"}.get(role)
    return _FORMS.get(told)


def _parents(
    records: Mapping[str, _Record], married: Mapping[str, Couple], left_out: Counter[str]
) -> dict[str, str]:
    """Return the family of birth of everybody who has one: the first that is one."""
    told: dict[str, dict[str, str]] = {}  # child: family: how, "" for by birth
    for mark, record in records.items():
        for tag, value, how in record.links:
            pair = {"FAMC": (mark, value), "CHIL": (value, mark)}.get(tag)
            if pair is None or (record.tag == "FAM") != (tag == "CHIL"):
                continue
            child, family = pair
            if child in records and records[child].tag == "INDI":
                of_child = told.setdefault(child, {})
                of_child[family] = of_child.get(family) or how
    found: dict[str, str] = {}
    partners = {one: family for family, couple in married.items() for one in couple}
    for child, families in told.items():
        by_birth = [family for family, how in families.items() if not how]
        left_out["parents who are not so by birth"] += len(families) - len(by_birth)
        left_out["further parents"] += max(0, len(by_birth) - 1)
        if not by_birth or by_birth[0] not in married:
            continue
        if child not in partners and _sex(records[child]) is None:
            left_out["children of unknown sex"] += 1
        else:
            found[child] = by_birth[0]
    return found


class _Joined:
    """People who are linked in some way (union-find)."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def _top(self, one: str) -> str:
        while (above := self._above.get(one, one)) != one:
            self._above[one] = self._above.get(above, above)
            one = above
        return one

    def join(self, one: str, other: str) -> bool:
        """Link two people; return whether they were apart."""
        first, second = self._top(one), self._top(other)
        self._above[first] = second
        return first != second


def _families(born: Couples, left_out: Counter[str]) -> list[Couples]:
    """Return couples that are linked, large families divided, the largest families first."""
    of_person: dict[str, list[Couple]] = {}
    for couple, children in born.items():
        for person in (*couple, *children):
            of_person.setdefault(person, []).append(couple)
    found: list[Couples] = []
    seen: set[Couple] = set()
    for begin in born:
        if begin in seen:
            continue
        family: Couples = {}
        people: set[str] = set()
        waiting = [begin]
        for couple in waiting:
            more = {*couple, *born[couple]}
            if couple in seen or (family and len(people | more) > _MOST_PEOPLE):
                continue
            seen.add(couple)
            family[couple] = born[couple]
            people |= more
            waiting += [near for one in (*couple, *born[couple]) for near in of_person[one]]
        if len(people) > 2:
            found.append(family)
        else:
            left_out["couples without relatives"] += 1
    found.sort(key=lambda family: -len(_people(family)))
    if len(found) > _MOST_FAMILIES:
        left_out[f"families beyond the {_MOST_FAMILIES} largest"] += len(found) - _MOST_FAMILIES
    return found[:_MOST_FAMILIES]


def _people(family: Couples) -> list[str]:
    return list(dict.fromkeys(one for pair, born in family.items() for one in (*pair, *born)))


def _written(family: Couples, records: Mapping[str, _Record]) -> str:
    """Return who is whose partner and child, person by person."""
    number = {person: at for at, person in enumerate(_people(family))}
    partner: dict[str, str] = {}
    parents: dict[str, str] = {}
    sex: dict[str, str | None] = {person: _sex(records[person]) for person in number}
    for (wife, husband), children in family.items():
        partner |= {wife: husband, husband: wife}
        sex |= {wife: "f", husband: "m"}
        parents |= dict.fromkeys(children, wife)
    return " ".join(
        f"{sex[one] or 'f'}{number[partner[one]] if one in partner else ''}"
        f".{number[parents[one]] if one in parents else ''}"
        for one in number
    )
