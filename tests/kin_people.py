"""The semantics of statements about families as an answer-set program of people only, to hold the solver to.

It shares nothing with the package, and has no couples: somebody has a mother and a father, and perhaps a
spouse. An answer set is a *partial* world: those who are named, some who stand between two people, and mothers
and fathers. Of each person either both parents are there or neither; parents of one child are spouses.

Why partial worlds are enough. Any partial world grows into a whole one: give everybody without parents two new
ones, and so on upwards. These newcomers have one child each and no siblings, so they are related to nobody who
was there before, but to their descendants and these people's spouses: as parents, grandparents and
parents-in-law. Nothing but a closure can mind, and it is asked about them, too (`newcomer`).

Why these people are enough. Take any world with all that is stated. Keep those named, for each relation of two
steps that a statement or the question needs the one between its two ends, and the parents of all whose parents
any relation passes. Forget everybody else. What is needed still holds, and no relation is new. Newcomers take
the place of parents whom the world had: whatever a closure says of one of them it said of the other, and those
whom it excepts are named, and kept with those between. A parent kept for nothing else needs no parents, and is
called ma(P) or pa(P) after the least child; who is between two people of several pairs is called by the first,
except where aunts and uncles are so by marriage, too, and two people can be related in two ways at once.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import clingo

PROGRAM = """
word("son", child, male).                  word("daughter", child, female).
word("father", parent, male).              word("mother", parent, female).
word("husband", spouse, male).             word("wife", spouse, female).
word("brother", sibling, male).            word("sister", sibling, female).
word("grandson", grandchild, male).        word("granddaughter", grandchild, female).
word("grandfather", grandparent, male).    word("grandmother", grandparent, female).
word("son-in-law", child_in_law, male).    word("daughter-in-law", child_in_law, female).
word("father-in-law", parent_in_law, male). word("mother-in-law", parent_in_law, female).
word("nephew", nephew, male) :- aunts.     word("niece", nephew, female) :- aunts.
word("uncle", uncle, male) :- aunts.       word("aunt", uncle, female) :- aunts.

% People as numbers: named(P); spare(P, I), who may be between the two of pair(I, A, B).
core(P) :- named(P).
{ core(P) } :- spare(P, _).
:- spare(P, I), core(P), pair(I, A, B), not via(A, B, P).
:- spare(P, I), core(P), pair(J, A, B), J < I, via(A, B, P), not by_marriage.
1 { sex(P, male); sex(P, female) } 1 :- core(P).

% Parents and spouses.
{ born(P) : core(P) }.
1 { mother(P, M) : sex(M, female), core(M), M != P; mother(P, ma(Q)) : core(Q), Q <= P } 1 :- born(P).
1 { father(P, F) : sex(F, male), core(F), F != P; father(P, pa(Q)) : core(Q), Q <= P } 1 :- born(P).
:- mother(_, ma(Q)), not mother(Q, ma(Q)).
:- father(_, pa(Q)), not father(Q, pa(Q)).
there(P) :- core(P).
there(M) :- mother(_, M).    sex(M, female) :- mother(_, M).
there(F) :- father(_, F).    sex(F, male) :- father(_, F).
weds(F, M) :- mother(P, M), father(P, F).
{ weds(F, M) : core(F), sex(F, male), core(M), sex(M, female) }.
:- weds(F, M), weds(F, N), M < N.
:- weds(F, M), weds(G, M), F < G.

% Nobody is their own ancestor, and spouses share none.
up(P, P) :- there(P).
up(P, A) :- up(P, Q), mother(Q, A).
up(P, A) :- up(P, Q), father(Q, A).
:- mother(P, M), up(M, P).
:- father(P, F), up(F, P).
:- weds(F, M), up(F, A), up(M, A).

% B is A's ...
is(parent, A, B) :- mother(A, B).          is(parent, A, B) :- father(A, B).
is(child, A, B) :- is(parent, B, A).
is(spouse, A, B) :- weds(A, B).            is(spouse, A, B) :- weds(B, A).
is(sibling, A, B) :- mother(A, M), mother(B, M), father(A, F), father(B, F), A != B.
by(grandchild, A, X, B) :- is(child, A, X), is(child, X, B).
by(grandparent, A, X, B) :- is(parent, A, X), is(parent, X, B).
by(child_in_law, A, X, B) :- is(child, A, X), is(spouse, X, B).
by(parent_in_law, A, X, B) :- is(spouse, A, X), is(parent, X, B).
by(nephew, A, X, B) :- is(sibling, A, X), is(child, X, B), aunts.
by(uncle, A, X, B) :- is(parent, A, X), is(sibling, X, B), aunts.
around(A, X, Y, B) :- is(spouse, A, X), is(sibling, X, Y), is(child, Y, B), by_marriage.
by(nephew, A, (X; Y), B) :- around(A, X, Y, B).
by(uncle, B, (X; Y), A) :- around(A, X, Y, B).
is(K, A, B) :- by(K, A, _, B).
via(A, B, X) :- by(_, A, X, B).
holds(R, A, B) :- is(K, A, B), word(R, K, G), sex(B, G).

% What is given: of statement S, relation R may hold; denied; closed with exceptions; somebody's sex.
:- some(S, A, B), not holds(R, A, B) : choice(S, R).
:- denied(R, A, B), holds(R, A, B).
:- closed(S, R, A), holds(R, A, B), not except(S, B).
:- form(P, G), not sex(P, G).

% Everybody has parents, whether or not they are there.
newcomer(parent, A) :- there(A), not mother(A, _).
newcomer(grandparent, A) :- newcomer(parent, A).
newcomer(grandparent, A) :- is(parent, A, X), newcomer(parent, X).
newcomer(parent_in_law, A) :- is(spouse, A, X), newcomer(parent, X).
:- closed(_, R, A), word(R, K, _), newcomer(K, A).

answer(R) :- query(A, B), holds(R, A, B).
answer("outside") :- query(_, _), not answer(R) : word(R, _, _).
#show answer/1.
#defined aunts/0. #defined by_marriage/0. #defined some/3. #defined choice/2. #defined denied/3. #defined closed/3.
#defined except/2. #defined form/2. #defined spare/2. #defined pair/3.
"""

TREE = """
% No two families are linked twice. Those of one household (a wife, her husband, their children) hold together;
% no circle leads through different people and different households.
in(P, M) :- mother(P, M).
in(F, M) :- weds(F, M).
in(M, M) :- weds(_, M).
1 { hangs(p(P), h(M)); hangs(h(M), p(P)) } 1 :- in(P, M).
:- hangs(X, Y), hangs(X, Z), Y < Z.
#edge (X, Y) : hangs(X, Y).
"""

# Of each world: what to add to the program, and how many people stand between the two of a relation.
WORLDS = {
    "kinship": ("", 1),
    "kinship-v1": ("aunts.\n", 1),
    "kinship-v1-by-marriage": ("aunts. by_marriage.\n", 2),
}
_ONE_STEP = "son daughter father mother husband wife brother sister".split()


class Said(NamedTuple):
    """A statement: "some" of the relations hold, none ("denied"), of nobody else ("closed"), or a "form"."""

    kind: str
    head: str
    relations: tuple[str, ...]
    tails: tuple[str, ...] = ()


def answers(
    said: Iterable[Said], query: tuple[str, str], assume: str = "tree", world: str = "kinship"
) -> frozenset[str]:
    """What the second of the query is to the first in some world; "outside" stands for no label of `world`."""
    control = clingo.Control(["--enum-mode=brave", "--configuration=trendy", "0"])
    more, between = WORLDS[world]
    program = PROGRAM + (TREE if assume == "tree" else "") + more
    control.add(program + "\n".join(_given(list(said), query, between)))
    control.ground()
    found: frozenset[str] = frozenset()
    with control.solve(yield_=True) as models:
        for model in models:  # each is the union of those before
            found = frozenset(symbol.arguments[0].string for symbol in model.symbols(shown=True))
    return found


def _given(said: list[Said], query: tuple[str, str], between: int) -> Iterator[str]:
    names = dict.fromkeys([*query, *(name for one in said for name in (one.head, *one.tails))])
    number = {name: i for i, name in enumerate(names)}
    pairs = [
        (number[one.head], number[tail])
        for one in said
        if one.kind in ("some", "closed") and not set(one.relations) <= set(_ONE_STEP)
        for tail in one.tails
    ]
    asked = number[query[0]], number[query[1]]
    pairs = [*dict.fromkeys(pairs), asked]  # which may be related in two ways at once
    yield f"named(0..{len(number) - 1}). query({asked[0]}, {asked[1]})."
    for i, (head, tail) in enumerate(pairs):
        yield f"pair({i}, {head}, {tail})."
        first = len(number) + between * i
        yield from (f"spare({first + j}, {i})." for j in range(between))
    for s, one in enumerate(said):
        head = number[one.head]
        if one.kind == "form":
            yield f"form({head}, {one.relations[0]})."
        for tail in one.tails:
            if one.kind == "denied":
                yield from (f'denied("{r}", {head}, {number[tail]}).' for r in one.relations)
            else:
                yield f"some({s}, {head}, {number[tail]})."
        if one.kind in ("some", "closed"):
            yield from (f'choice({s}, "{r}").' for r in one.relations)
        if one.kind == "closed":
            yield from (f'closed({s}, "{r}", {head}).' for r in one.relations)
            yield from (f"except({s}, {number[tail]})." for tail in one.tails)
