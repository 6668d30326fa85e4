"""What statements leave possible in the theories given by models, by answer-set programs: nothing composes kinds.

Order: numbers. Time: pairs of numbers. Directions: points of a grid; as many rows as places are enough, since
rows in which nothing lies can be left out. Regions: sets of cells in spots; a spot is a border of two cells, and
there is one for everything that some statement says there is, where all that is forbidden is kept.
"""

from collections.abc import Iterator, Sequence

import clingo
from by_meaning import INTERVALS

from clutrr._puzzle import Fact
from clutrr._statement import Statement, StatementKind
from clutrr.theory.given import Given

# One of the relations holds that are left to a pair; and of the queried pair, that one is asked for.
CHOSEN = """
1 { holds(A, B, K) : left(S, K) } 1 :- stated(S, A, B).
1 { asked(K) : kind(K) } 1.
holds(A, B, K) :- query(A, B), asked(K).
#show asked/1.
"""
POINTS = """
1 { at(P, V) : V = 1..most } 1 :- point(P).
lies(P, Q, below) :- at(P, V), at(Q, W), V < W.
lies(P, Q, same) :- at(P, V), at(Q, V).
lies(P, Q, above) :- at(P, V), at(Q, W), V > W.
point((E, X)) :- entity(E), part(X).
% Of kind K: how point Y of the second entity lies to point X of the first.
:- holds(A, B, K), means(K, Y, SIGN, X), not lies((B, Y), (A, X), SIGN).
:- entity(E), part(s), not lies((E, s), (E, e), below).
#defined part/1.
"""
# Where every fact and every alternative is one step: by how much the second entity lies further.
STEPS = """
1 { step(S, K) : left(S, K) } 1 :- said(S, A, B).
:- said(S, A, B), step(S, K), shift(K, X, D), at((A, X), V), at((B, X), W), W != V + D.
1 { holds(A, B, K) : left(S, K) } 1 :- denied(S, A, B).
#defined said/3. #defined denied/3.
"""
REGIONS = """
cell(S, (1; 2)) :- spot(S).
{ in(R, S, C) : region(R) } :- cell(S, C).
region(R) :- entity(R).
spot(here(R)) :- region(R).
spot(between(A, B, (1; 2; 3))) :- holds(A, B, _).
:- region(R), not in(R, here(R), 1).
% The second one lies inside the first, or the other way round.
inside(B, A, K) :- holds(A, B, K), K = ("TPP"; "NTPP"; "EQ").
inside(A, B, "TPP") :- holds(A, B, "TPPI").
inside(A, B, "NTPP") :- holds(A, B, "NTPPI").
inside(A, B, "EQ") :- holds(A, B, "EQ").
:- inside(P, W, _), in(P, S, C), not in(W, S, C).
:- inside(P, W, "NTPP"), in(P, S, C), cell(S, D), not in(W, S, D).
part(P, W, A, B) :- inside(P, W, K), K != "EQ", P = A, holds(A, B, _), W = B.
part(P, W, A, B) :- inside(P, W, K), K != "EQ", P = B, holds(A, B, _), W = A.
:- part(P, W, A, B), not in(W, between(A, B, 1), 1).
:- part(P, W, A, B), in(P, between(A, B, 1), 1).
edge(P, W, A, B) :- part(P, W, A, B), inside(P, W, "TPP").
:- edge(P, W, A, B), not in(P, between(A, B, 2), 1).
:- edge(P, W, A, B), in(W, between(A, B, 2), 2).
:- holds(A, B, "DC"), in(A, S, _), in(B, S, _).
:- holds(A, B, "EC"), in(A, S, C), in(B, S, C).
:- holds(A, B, "EC"), not in(A, between(A, B, 1), 1).
:- holds(A, B, "EC"), not in(B, between(A, B, 1), 2).
:- holds(A, B, "PO"), not in(A, between(A, B, 1), 1).
:- holds(A, B, "PO"), not in(B, between(A, B, 1), 1).
:- holds(A, B, "PO"), not in(A, between(A, B, 2), 1).
:- holds(A, B, "PO"), in(B, between(A, B, 2), 1).
:- holds(A, B, "PO"), in(A, between(A, B, 3), 1).
:- holds(A, B, "PO"), not in(B, between(A, B, 3), 1).
"""
_SIGNS = {"<": "below", "=": "same", ">": "above"}
_AXES = (("x", "W", "E"), ("y", "S", "N"))


def possible(
    name: str, assume: str, given: Sequence[Given], query: tuple[str, str], kinds: Sequence[str]
) -> set[str]:
    """Return every kind that can hold between the queried entities; relations of statements are kinds."""
    control = clingo.Control(["--enum-mode=brave", "0"])
    program = REGIONS if name == "regions" else POINTS + "\n".join(_meanings(name, kinds))
    if assume == "unit":
        program += STEPS
    control.add(CHOSEN + program + "\n".join(_given(assume, given, query, kinds)))
    control.ground()
    found: set[str] = set()
    with control.solve(yield_=True) as models:
        for model in models:  # each is the union of those before
            found = {symbol.arguments[0].string for symbol in model.symbols(shown=True)}
    return found


def _shift(kind: str, low: str, high: str) -> int:
    return 0 if kind == "Eq" else (high in kind) - (low in kind)


def _meanings(name: str, kinds: Sequence[str]) -> Iterator[str]:
    """How the points of the second entity lie to those of the first."""
    if name == "order":
        yield "part(x)."
        yield from (f'means("{kind}", x, {_SIGNS[kind]}, x).' for kind in kinds)
    elif name == "time":
        yield "part(s). part(e)."
        for kind, said in INTERVALS.items():
            for one, sign, other in said.split():
                yield f'means("{kind}", {one}, {_SIGNS[sign]}, {other}).'
    else:
        yield "part(x). part(y)."
        for kind in kinds:
            for axis, low, high in _AXES:
                far = _shift(kind, low, high)
                sign = ("below", "same", "above")[far + 1]
                yield f'means("{kind}", {axis}, {sign}, {axis}). shift("{kind}", {axis}, {far}).'


def _given(
    assume: str, given: Sequence[Given], query: tuple[str, str], kinds: Sequence[str]
) -> Iterator[str]:
    entities: dict[str, int] = {}
    yield "#defined stated/3."
    for s, one in enumerate(given):
        a, b = (entities.setdefault(name, len(entities)) for name in (one.head, one.tail))
        relations = one.relations if isinstance(one, Statement) else (one.relation,)
        denied = not isinstance(one, Fact) and one.kind is StatementKind.DENIAL
        left = [kind for kind in kinds if (kind in relations) != denied]
        how = "stated" if assume != "unit" else "denied" if denied else "said"
        yield f"{how}({s}, {a}, {b})."
        yield from (f'left({s}, "{kind}").' for kind in left)
    yield from (f"entity({number})." for number in entities.values())
    yield from (f'kind("{kind}").' for kind in kinds)
    yield f"query({entities[query[0]]}, {entities[query[1]]})."
    yield f"#const most = {2 * len(entities)}."
