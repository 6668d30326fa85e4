"""Every answer key follows from the words of its prompt, whatever the form, the preset and the world."""

from itertools import product

import pytest

from clutrr.config import PromptConfig
from clutrr.errors import ConfigError
from clutrr.prompts.prompter import Prompter
from clutrr.world import builtin_worlds, load_world
from made import made
from solving_server import Mind

WORLDS = tuple(builtin_worlds())
CASES = [(world, preset.name) for world in WORLDS for preset in load_world(world).theory.presets]
FORMS = ("which", "yes-no", "choice")
OMITTED = ((), ("relations",), ("assumptions",), ("relations", "assumptions"))
# Where a prompt has to state more than it is asked to.
REFUSED = {
    "relations": {("kinship", "sound"), ("kinship", "mixed"), ("kinship", "described")},
    "assumptions": {("kinship", "sound"), ("kinship", "described"), ("kinship", "published")},
}


@pytest.mark.parametrize(("name", "preset"), CASES)
def test_every_key_is_proved_from_the_words_of_its_prompt(name, preset):
    """More than 3,000 keys in all, solved under exactly what the text of the prompt presupposes."""
    world = load_world(name)
    lengths = (3, 4, 5) if preset == "published" else (2, 3, 4)
    config = {"size": 8, "world": name, "distractors": 0, "routes": (1, 2) if "kinship" not in name else (1,)}
    puzzles = [puzzle for k in lengths for puzzle in made(preset, k=k, **config)]
    assume, several = world.theory.preset(preset).assume, preset in ("mixed", "described")
    mind, proved = Mind(world), 0
    for form, omit in product(FORMS, OMITTED):
        asked = PromptConfig(form=form, omit=omit)
        refused = [what for what in omit if (name.split("-")[0], preset) in REFUSED[what]]
        if refused and not (refused == ["relations"] and form == "choice"):
            with pytest.raises(ConfigError, match=f"omit: ({'|'.join(refused)}): "):
                [*map(Prompter(world, assume, asked, undetermined=several).prompt, puzzles)]
            continue
        for prompt in map(Prompter(world, assume, asked, undetermined=several).prompt, puzzles):
            told = prompt.messages[0]["content"]
            assert not mind.read(mind.question(told)[0]).unread
            assert mind.answer(told) == prompt.answer, told
            proved += 1
    assert proved >= 24 * (4 if "kinship" in name else 12)
