"""Theories given by models, as answer-set programs: an independent account of what facts leave possible.

Each program places the entities of a question among things of its own (numbers, intervals of numbers, points,
sets of points of a space) and says what each relation means there. What is possible is what holds in some
answer set. The programs share nothing with the package: no table, no closure, no state.
"""

from collections.abc import Sequence

import clingo

from clutrr.puzzle import Fact

# Order: a number for each entity.
_ORDER = """
1 { at(E, X) : X = 1..n } 1 :- entity(E).
rel(A, "<", B) :- at(A, X), at(B, Y), pair(A, B), Y < X.
rel(A, "=", B) :- at(A, X), at(B, X), pair(A, B).
rel(A, ">", B) :- at(A, X), at(B, Y), pair(A, B), Y > X.
"""

# Time: a start and a later end. Relations of b to a, as Allen defines them.
_TIME = """
1 { at(start(E), X) : X = 1..2*n } 1 :- entity(E).
1 { at(end(E), X) : X = 1..2*n } 1 :- entity(E).
:- at(start(E), X), at(end(E), Y), Y <= X.
compared(start(B), start(A)) :- pair(A, B).   compared(end(B), end(A)) :- pair(A, B).
compared(start(B), end(A)) :- pair(A, B).     compared(end(B), start(A)) :- pair(A, B).
before(P, Q) :- compared(P, Q), at(P, X), at(Q, Y), X < Y.
same(P, Q) :- compared(P, Q), at(P, X), at(Q, X).
after(P, Q) :- compared(P, Q), at(P, X), at(Q, Y), X > Y.
rel(A, "=", B)  :- same(start(B), start(A)), same(end(B), end(A)).
rel(A, "<", B)  :- before(end(B), start(A)).
rel(A, ">", B)  :- after(start(B), end(A)).
rel(A, "m", B)  :- same(end(B), start(A)).
rel(A, "mi", B) :- same(start(B), end(A)).
rel(A, "o", B)  :- before(start(B), start(A)), after(end(B), start(A)), before(end(B), end(A)).
rel(A, "oi", B) :- after(start(B), start(A)), before(start(B), end(A)), after(end(B), end(A)).
rel(A, "s", B)  :- same(start(B), start(A)), before(end(B), end(A)).
rel(A, "si", B) :- same(start(B), start(A)), after(end(B), end(A)).
rel(A, "f", B)  :- same(end(B), end(A)), after(start(B), start(A)).
rel(A, "fi", B) :- same(end(B), end(A)), before(start(B), start(A)).
rel(A, "d", B)  :- after(start(B), start(A)), before(end(B), end(A)).
rel(A, "di", B) :- before(start(B), start(A)), after(end(B), end(A)).
"""

# Directions: two numbers for each entity.
_DIRECTIONS = """
1 { x(E, X) : X = 1..n } 1 :- entity(E).
1 { y(E, Y) : Y = 1..n } 1 :- entity(E).
east(A, B, 1) :- pair(A, B), x(A, X), x(B, Y), Y > X.
east(A, B, 0) :- pair(A, B), x(A, X), x(B, X).
east(A, B, -1) :- pair(A, B), x(A, X), x(B, Y), Y < X.
north(A, B, 1) :- pair(A, B), y(A, X), y(B, Y), Y > X.
north(A, B, 0) :- pair(A, B), y(A, X), y(B, X).
north(A, B, -1) :- pair(A, B), y(A, X), y(B, Y), Y < X.
called(0, 1, "N"). called(1, 1, "NE"). called(1, 0, "E"). called(1, -1, "SE"). called(0, -1, "S").
called(-1, -1, "SW"). called(-1, 0, "W"). called(-1, 1, "NW"). called(0, 0, "Eq").
rel(A, R, B) :- east(A, B, X), north(A, B, Y), called(X, Y, R).
"""

# Regions: a space of spots, each a border between two cells; a region is a set of cells. It reaches a spot if
# it has one of the two cells there. Two regions are in contact where both reach the same spot.
_REGIONS = """
{ has(E, S, 1..2) : S = 1..spots } :- entity(E).
:- entity(E), not has(E, _, _).
reaches(E, S) :- has(E, S, _).
shared(A, B) :- pair(A, B), has(A, S, C), has(B, S, C).
contact(A, B) :- pair(A, B), reaches(A, S), reaches(B, S).
both(A, B) :- pair(A, B).
both(B, A) :- pair(A, B).
beyond(A, B) :- both(A, B), has(A, S, C), not has(B, S, C).
at_edge(A, B) :- both(A, B), reaches(A, S), not has(B, S, C), C = 1..2.
rel(A, "EQ", B) :- pair(A, B), not beyond(A, B), not beyond(B, A).
rel(A, "TPP", B) :- pair(A, B), not beyond(B, A), beyond(A, B), at_edge(B, A).
rel(A, "NTPP", B) :- pair(A, B), not beyond(B, A), beyond(A, B), not at_edge(B, A).
rel(A, "TPPI", B) :- pair(A, B), not beyond(A, B), beyond(B, A), at_edge(A, B).
rel(A, "NTPPI", B) :- pair(A, B), not beyond(A, B), beyond(B, A), not at_edge(A, B).
rel(A, "PO", B) :- pair(A, B), shared(A, B), beyond(A, B), beyond(B, A).
rel(A, "EC", B) :- pair(A, B), contact(A, B), not shared(A, B).
rel(A, "DC", B) :- pair(A, B), not contact(A, B).
"""

_PROGRAMS = {"order": _ORDER, "time": _TIME, "regions": _REGIONS, "directions": _DIRECTIONS}


def possible(theory: str, facts: Sequence[Fact], query: tuple[str, str]) -> set[str]:
    """Return every kind that can hold between the queried entities; none if the facts contradict each other.

    The relations of the facts are kinds.
    """
    names = list(dict.fromkeys(name for fact in facts for name in (fact.head, fact.tail)))
    number = {name: i for i, name in enumerate(names)}
    pairs = {(number[fact.head], number[fact.tail]) for fact in facts} | {
        (number[query[0]], number[query[1]])
    }
    lines = [f"entity(0..{len(names) - 1})."]
    lines += [f"pair({a}, {b})." for a, b in pairs]
    lines += [f':- not rel({number[a]}, "{kind}", {number[b]}).' for a, kind, b in facts]
    lines += [f"left(R) :- rel({number[query[0]]}, R, {number[query[1]]}).", "#show left/1."]
    spots = 3 * len(pairs)  # a witness for each thing that some relation says there is
    control = clingo.Control(
        ["-c", f"n={len(names)}", "-c", f"spots={spots}", "--enum-mode=brave"], message_limit=0
    )
    control.configuration.solve.models = 0  # type: ignore[union-attr]
    control.add("base", [], _PROGRAMS[theory] + "\n".join(lines))
    control.ground([("base", [])])
    found: set[str] = set()
    with control.solve(yield_=True) as handle:
        for model in handle:
            found = {symbol.arguments[0].string for symbol in model.symbols(shown=True)}
    return found
