"""The clauses of a sentence of reasoning that is not understood as a whole.

"Ann can't be his aunt, because Eve is (as the story says), so she is his mother" is three clauses. Each may be
understood alone, where nothing in the sentence makes a condition or a supposition of what follows.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from clutrr._reading.tokens import Token

_MARKS = frozenset((";", ":", "(", ")", "\u2014", "\u2013", "--"))
_AFTER_COMMA = frozenset(
    "so hence thus therefore because since for but and which meaning making as then".split()
)
_ALONE = frozenset("so hence thus therefore because since".split())
_JOINING = frozenset("so hence thus therefore because since for but and as then yet".split())
_CONDITIONS = frozenset(
    "if unless whether suppose supposing supposed assume assuming assumed imagine hypothetically lest ?".split()
)
_INVERTED = frozenset("were had should did could".split())  # "Were it so that ..."
_TURNS = frozenset("but however actually yet".split())
_SAID = ("attitude", "thought", "say", "fiction", "unreal")
_DENIED = frozenset("false untrue wrong incorrect".split())


def pieces(
    row: Sequence[Token], classes: Mapping[str, Collection[str]], at_words: bool = True
) -> list[list[Token]]:
    """Return the clauses of a sentence; the sentence alone where it must not be taken apart.

    at_words: whether it is taken apart at words that join clauses, too, and not only at semicolons.

    What follows a clause that tells of something said or thought is left out, up to one that turns against it.
    """
    if not at_words:
        return list(_at_semicolons(row))
    conditional = any(token.norm in _CONDITIONS and not token.name for token in row)
    if conditional or row[0].norm in _INVERTED:
        return [list(row)]
    found: list[list[Token]] = []
    doubted = False
    for piece in _cut(row):
        if piece[0].norm in _TURNS:
            doubted = False
        if not doubted and (inner := _without_joint(piece)):
            found.append(inner)
        doubted = doubted or any(_is_said(token, classes) for token in piece)
    return found


def _at_semicolons(row: Sequence[Token]) -> Iterator[list[Token]]:
    piece: list[Token] = []
    for token in row:
        if token.norm != ";":
            piece.append(token)
        elif piece:
            yield piece
            piece = []
    if piece:
        yield piece


def _cut(row: Sequence[Token]) -> Iterator[list[Token]]:
    piece: list[Token] = []
    for at, token in enumerate(row):
        after = row[at + 1].norm if at + 1 < len(row) else ""
        before = row[at - 1].norm if at else ""
        ends = token.norm in _MARKS or (token.norm == "," and after in _AFTER_COMMA)
        alone = token.norm in _ALONE and after != "that"
        begins = alone and before not in ("and", "or", ",") and not token.name
        if (ends or begins) and piece:
            yield piece
            piece = []
        if not ends:
            piece.append(token)
    if piece:
        yield piece


def _without_joint(piece: list[Token]) -> list[Token]:
    """Return a clause without the words that only join it."""
    at = 0
    while at < len(piece) and piece[at].norm in _JOINING and not piece[at].name:
        at += 1
    return piece[at:]


def _is_said(token: Token, classes: Mapping[str, Collection[str]]) -> bool:
    if token.name:
        return False
    return token.norm in _DENIED or any(token.norm in classes[name] for name in _SAID)
