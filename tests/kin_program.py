"""The semantics of kinship stories as an answer-set program, to hold the solver to.

It shares nothing with the package but the words of the 16 relations. An answer set is a *partial*
world: some people and couples, who is a partner in which couple, who is a child of which. A couple
has at most one partner of either sex; a person is a partner in at most one couple and a child of at
most one. People named in the story are distinct; the spare ones may be there or not.

Why partial worlds are enough. Any partial world grows into a whole one: give each couple the
partners that it lacks, and each person without parents a couple of new ones, and so on upwards. This
closes no cycle, since each newcomer hangs on by one thread; nor does it give two people an ancestor
in common who had none. And it changes no relation between those who were there before: the newcomers
are never a child of an old couple, and a new couple has one old child at most, so whoever goes
through a newcomer comes to nobody but newcomers.

Why as many spare people are enough for each fact as there are between its two ends, and as many for
the query. Take any world with the facts. Keep the people named, for each fact those between its two
ends, and those between the asked pair if they are so related; keep all couples, and forget everybody
else. What is left is a partial world. The facts and the asked relation still hold: nobody they need
is missing. A relation that did not hold before does not hold now: forgetting adds none. Couples that
no one left is a partner or a child of can go as well, so each of the rest can be named after one of
the people left: of(P) after its first partner, or above(P), if it has none, after its first child.
"""

from collections.abc import Iterable, Iterator

import clingo

PROGRAM = """
% What the words mean: what kind of relation, and the gender of the one so called.
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

% Given: fact(I, R, A, B), B is A's R by fact I; query(I, A, B), with I greater than any fact's;
% named(P); spare(P, I), P may be the person between the two of I. People are numbers.
exists(P) :- named(P).
{ exists(P) } :- spare(P, _).
1 { gender(P, male); gender(P, female) } 1 :- exists(P).

% Couples.
{ partner(P, of(Q)) : exists(Q), Q <= P } 1 :- exists(P).
{ child(P, of(Q)) : exists(Q); child(P, above(Q)) : exists(Q), Q <= P } 1 :- exists(P).
:- partner(_, of(Q)), not partner(Q, of(Q)).
:- child(_, of(Q)), not partner(Q, of(Q)).
:- child(_, above(Q)), not child(Q, above(Q)).
:- partner(P, C), partner(Q, C), P < Q, gender(P, G), gender(Q, G).

% Relations of one step: B is A's ...
step(child, A, B) :- partner(A, C), child(B, C).
step(parent, A, B) :- step(child, B, A).
step(spouse, A, B) :- partner(A, C), partner(B, C), A != B.
step(sibling, A, B) :- child(A, C), child(B, C), A != B.

% The pairs that count, and the relations that hold between them.
pair(I, A, B) :- fact(I, _, A, B).
pair(I, A, B) :- query(I, A, B).
via(I, grandchild, X) :- pair(I, A, B), step(child, A, X), step(child, X, B).
via(I, grandparent, X) :- pair(I, A, B), step(parent, A, X), step(parent, X, B).
via(I, child_in_law, X) :- pair(I, A, B), step(child, A, X), step(spouse, X, B).
via(I, parent_in_law, X) :- pair(I, A, B), step(spouse, A, X), step(parent, X, B).
via(I, nephew, X) :- pair(I, A, B), step(sibling, A, X), step(child, X, B).
via(I, uncle, X) :- pair(I, A, B), step(parent, A, X), step(sibling, X, B).
by_marriage(A, B, X, Y) :- step(spouse, A, X), step(sibling, X, Y), step(child, Y, B), by_marriage.
via(I, nephew, (X; Y)) :- pair(I, A, B), by_marriage(A, B, X, Y).
via(I, uncle, (X; Y)) :- pair(I, A, B), by_marriage(B, A, X, Y).
holds(I, K) :- pair(I, A, B), step(K, A, B).
holds(I, K) :- via(I, K, _).

% The facts hold. A spare person is there only if between the two of the pair they are for, and of
% no pair before it: this rules out no world, but its copies. (Not so by marriage: there two people can
% be related in two ways at once, and need the people of both.)
:- fact(I, R, _, B), word(R, K, G), not gender(B, G).
:- fact(I, R, _, _), word(R, K, _), not holds(I, K).
:- spare(P, I), exists(P), not via(I, _, P).
:- spare(P, I), via(J, _, P), J < I, not by_marriage.

% The answers.
answer(R) :- query(I, _, B), holds(I, K), word(R, K, G), gender(B, G).
answer("outside") :- not answer(R) : word(R, _, _).
#show answer/1.
"""

TREE = """
% No cycle of people and couples. A graph has none where each of its edges can hang one end from the
% other such that nothing hangs from two, nor from itself by way of others.
:- partner(P, C), child(P, C).
joined(P, C) :- partner(P, C).
joined(P, C) :- child(P, C).
1 { hangs(P, C); hangs(C, P) } 1 :- joined(P, C).
:- hangs(X, Y), hangs(X, Z), Y < Z.
#edge (X, Y) : hangs(X, Y).
"""

OPEN = """
% Nobody is their own ancestor, nor do two partners share one: descends(P, C), P descends from C.
descends(P, C) :- child(P, C).
descends(P, C) :- step(parent, P, Q), descends(Q, C).
:- partner(P, C), descends(P, C).
:- step(spouse, P, Q), P < Q, descends(P, C), descends(Q, C).
"""

# Of each world: what to add to the program, and how many people stand between the two of a relation.
WORLDS = {
    "kinship": ("", 1),
    "kinship-v1": ("aunts.", 1),
    "kinship-v1-by-marriage": ("aunts. by_marriage.", 2),
}
_TWO_STEPS = ("grand", "-in-law")
_AUNTS = ("aunt", "uncle", "niece", "nephew")


def answers(
    facts: Iterable[tuple[str, str, str]],
    query: tuple[str, str],
    bystanders: int = 0,
    assume: str = "tree",
    world: str = "kinship",
) -> frozenset[str]:
    """What the second of the query is to the first in some world with the facts (head, relation, tail).

    "outside" stands for none of the relations of `world`; empty if there is no world with the facts.
    bystanders: so many people more than needed.
    """
    more, between = WORLDS[world]
    control = clingo.Control(["--enum-mode=brave", "--configuration=trendy", "0"])
    given = _given(list(facts), query, bystanders, between)
    control.add(PROGRAM + {"tree": TREE, "open": OPEN}[assume] + more + "\n".join(given))
    control.ground()
    found: frozenset[str] = frozenset()
    with control.solve(yield_=True) as models:
        for model in models:  # each is the union of those before
            found = frozenset(symbol.arguments[0].string for symbol in model.symbols(shown=True))
    return found


def _given(
    facts: list[tuple[str, str, str]], query: tuple[str, str], bystanders: int, between: int
) -> Iterator[str]:
    names = dict.fromkeys([*query, *(name for head, _, tail in facts for name in (head, tail))])
    number = {name: i for i, name in enumerate(names)}
    people = len(number) + bystanders
    yield "#defined aunts/0. #defined by_marriage/0."
    yield f"named(0..{people - 1})."
    pairs = [
        i
        for i, (_, relation, _) in enumerate(facts)
        if any(part in relation for part in _TWO_STEPS)
    ]
    pairs += [i for i, (_, relation, _) in enumerate(facts) if relation in _AUNTS] * between
    for spare, i in enumerate([*pairs, *[len(facts)] * between], start=people):
        yield f"spare({spare}, {i})."
    for i, (head, relation, tail) in enumerate(facts):
        yield f'fact({i}, "{relation}", {number[head]}, {number[tail]}).'
    yield f"query({len(facts)}, {number[query[0]]}, {number[query[1]]})."
