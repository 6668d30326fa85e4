"""Which families are possible: what every proof, verdict and data set rests on.

open    Everybody has one couple of parents and at most one spouse; spouses are of opposite sex; all
        children of a person are those of their one couple; nobody is their own ancestor; nobody
        marries somebody with whom they share an ancestor; the people named are distinct; further
        people may exist.
tree    All of that, and no marriage links two families that are already linked, directly or through
        other families: two brothers cannot marry two sisters.

What holds in every family of `open` holds in every family of `tree`, since `tree` has fewer.
"""

from clutrr.theory.theory import Assumption

_OPEN = (
    "everybody has one couple of parents and at most one spouse; spouses are of opposite sex; all children "
    "of a person are those of their one couple; nobody is their own ancestor; nobody marries somebody with "
    "whom they share an ancestor; the people named are distinct, and further people may exist."
)
_TREE = (
    "Besides, no marriage links two families that are already linked, directly or through other families: "
    "two brothers cannot marry two sisters."
)
_OPEN_PROMPT = (
    "Everybody has exactly one mother and one father, who are married to each other, and at most one spouse. "
    "Spouses are a woman and a man. Nobody is their own ancestor, and nobody marries a blood relative. "
    "Different names are different people. There may be people whom the story does not mention. "
    "Somebody's sex is known only from what the story says."
)
_TREE_PROMPT = (
    "No marriage links two families that are already linked, directly or through other families: "
    "for example, two brothers never marry two sisters."
)

TREE = Assumption(
    "tree",
    "no marriage links two families that are already linked",
    about=f"{_OPEN} {_TREE}",
    prompt=f"{_OPEN_PROMPT} {_TREE_PROMPT}",
)
OPEN = Assumption(
    "open",
    "a marriage may link two families that are already linked",
    about=_OPEN,
    prompt=_OPEN_PROMPT,
)
ASSUMPTIONS = (TREE, OPEN)
