"""Names of a world that draws what another world draws: numbers of that world's names stand for its own."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from clutrr._lexicon import World
from clutrr.errors import ConfigError
from clutrr.theory.questions import Cast, Ints, QuestionBlock


class OwnNames:
    """Turns numbers of names that were drawn into those of a world's own names, no two of a story the same."""

    def __init__(self, world: World) -> None:
        lexicon = world.lexicon
        self._world, self._drawn = world.name, lexicon.drawn
        self._own = tuple(map(len, lexicon.names))
        self._first_drawn, self._first = (
            np.cumsum([0, *sizes]) for sizes in (self._drawn, self._own)
        )

    def of_block(self, questions: QuestionBlock) -> QuestionBlock:
        """Return the questions with own names, which may differ from question to question of a scene."""
        if self._own == self._drawn:
            return questions
        cast, entities = questions.cast, questions.entities
        names = np.empty(entities.shape, np.int16)
        for place in range(entities.shape[1]):
            drawn, form = questions.names[:, place], questions.forms[:, place]
            names[:, place] = self._free(drawn, form, names[:, :place])
        own = Cast(
            names.reshape(-1),
            questions.forms.reshape(-1).astype(np.int8),
            cast.traits[entities.reshape(-1)],
            cast.each,
        )
        return replace(questions, cast=own, entities=np.arange(names.size).reshape(entities.shape))

    def of_story(self, names: Sequence[int], forms: Sequence[int]) -> list[int]:
        """Return own names for the entities of one story."""
        if self._own == self._drawn:
            return list(names)
        found: list[int] = []
        for name, form in zip(names, forms, strict=True):
            taken = np.array([found], np.int64)
            found += self._free(np.array([name]), np.array([form]), taken).tolist()
        return found

    def _free(self, drawn: Ints, form: Ints, taken: Ints) -> Ints:
        """Return the own name for each that was drawn, or the next one that is not taken: (rows, names)."""
        size, first = np.take(self._own, form), self._first.take(form)
        if taken.shape[1] >= min(self._own):
            raise ConfigError(
                f"it has too few names for a story of more than {min(self._own)} entities",
                setting="world",
                value=self._world,
            )
        number: Ints = (drawn - self._first_drawn.take(form)) * size // np.take(self._drawn, form)
        while (met := (taken == (first + number)[:, None]).any(axis=1)).any():
            number = np.where(met, (number + 1) % size, number)
        own: Ints = first + number
        return own
