"""Which families are possible: what every proof, verdict and data set rests on.

open    Everybody has one couple of parents and at most one spouse; spouses are of opposite sex; all
        children of a person are those of their one couple; nobody is their own ancestor; nobody
        marries somebody with whom they share an ancestor; the people named are distinct; further
        people may exist.
tree    All of that, and no marriage links two families that are already linked, directly or through
        other families: two brothers cannot marry two sisters.

What holds in every family of `open` holds in every family of `tree`, since `tree` has fewer.
"""

from enum import StrEnum

from clutrr.errors import ConfigError


class Assumption(StrEnum):
    """The families that are possible, by name."""

    TREE = "tree"
    OPEN = "open"

    @property
    def about(self) -> str:
        """What it says, in a few sentences for people."""
        return _ABOUT[self]

    @property
    def brief(self) -> str:
        """What distinguishes it from the other one, in half a sentence."""
        return _BRIEF[self]

    @classmethod
    def named(cls, name: str) -> "Assumption":
        """The assumption of this name, or an error that lists the names."""
        try:
            return cls(name)
        except ValueError:
            known = ", ".join(cls)
            raise ConfigError(f"assume: {name!r} is not one of {known}") from None


_OPEN = (
    "everybody has one couple of parents and at most one spouse; spouses are of opposite sex; all children "
    "of a person are those of their one couple; nobody is their own ancestor; nobody marries somebody with "
    "whom they share an ancestor; the people named are distinct, and further people may exist."
)
_TREE = (
    "Besides, no marriage links two families that are already linked, directly or through other families: "
    "two brothers cannot marry two sisters."
)
_BRIEF = {
    Assumption.TREE: "no marriage links two families that are already linked",
    Assumption.OPEN: "a marriage may link two families that are already linked",
}
_ABOUT = {Assumption.OPEN: _OPEN, Assumption.TREE: f"{_OPEN} {_TREE}"}
