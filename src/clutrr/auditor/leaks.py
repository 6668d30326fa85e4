"""What the rows give away: to those who know the training rows, and by themselves."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from clutrr.auditor.rows import Row
from clutrr.measure import percent


@dataclass(frozen=True)
class Leaks:
    """Shares of the rows, in percent; None if the data does not say.

    Of rows that are tested: which have their story, query and answer, scene, pattern, both queried names,
    or the pair of these in train. Of all: stories that appear twice; the queried relation stated by a fact;
    the answer's word in the text; a way between the two queried entities that is shorter than the route.
    """

    story_in_train: float | None
    query_and_answer_in_train: float | None
    scene_in_train: float | None
    pattern_in_train: float | None
    names_in_train: float | None
    name_pair_in_train: float | None
    story_twice: float
    answer_stated: float
    answer_word_in_story: float
    shorter_path: float


class Train:
    """What the training rows hold, to look for in others."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._some = bool(rows)
        self._seen = {name: {key(row) for row in rows} - {None} for name, key in _KEYS.items()}
        self._names = {name for row in rows for name in row.puzzle.query}

    def leaks(self, rows: Sequence[Row], tested: bool) -> Leaks:
        """What these rows give away. tested: False for training rows, which are not looked for in train."""

        def share(name: str) -> float | None:
            if not self._some or not tested:
                return None
            keys = [_KEYS[name](row) for row in rows]
            told = [key for key in keys if key is not None]
            return percent(sum(key in self._seen[name] for key in told), len(told)) if told else None

        stories = {row.puzzle.story for row in rows}
        return Leaks(
            share("story"),
            share("query and answer"),
            share("scene") if self._seen["scene"] else None,
            share("pattern"),
            percent(sum(self._names.issuperset(row.puzzle.query) for row in rows), len(rows))
            if self._some and tested
            else None,
            share("pair"),
            percent(len(rows) - len(stories), len(rows)),
            percent(sum(row.stated for row in rows), len(rows)),
            percent(sum(row.said for row in rows), len(rows)),
            percent(sum(row.shortest is not None and row.shortest < row.puzzle.k for row in rows), len(rows)),
        )


_KEYS: dict[str, Callable[[Row], Hashable]] = {
    "story": lambda row: row.puzzle.story,
    "query and answer": lambda row: (row.puzzle.query, row.target),
    "scene": lambda row: row.puzzle.scene or None,
    "pattern": lambda row: row.puzzle.pattern,
    "pair": lambda row: row.puzzle.query,
}
