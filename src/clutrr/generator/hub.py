"""The eval.yaml of a generated data set, by which the Hub and Inspect run it: `inspect eval hf/OWNER/NAME`.

These offer only their own solvers and scorers, so the task takes the stories as they are, with their square
brackets, and compares the line that starts with "Answer:" with the target. The package's own task reads
replies with more care.
"""

import yaml

from clutrr.config import Config
from clutrr.puzzle import CANNOT_BE_TOLD
from clutrr.world import World

NAME = "eval.yaml"
FORMATS = ("parquet", "jsonl")  # the formats in which a query is a list


def evaluation(config: Config, world: World) -> str:
    """Return the file, with one task per subset."""
    tasks = [
        {
            "id": f"M{k}",
            "config": f"M{k}",
            "split": "test",
            "field_spec": {"input": "story", "target": "target", "metadata": ["query", "k"]},
            "solvers": [
                {"name": "prompt_template", "args": {"template": _template(config, world)}},
                {"name": "generate"},
            ],
            "scorers": [{"name": "answer", "args": {"pattern": "line"}}],
        }
        for k in config.k
    ]
    about = {
        "name": f"{world.name.capitalize()} stories, preset {config.preset}",
        "description": "What two entities of a story are to each other: answers proved.",
        "evaluation_framework": "inspect-ai",
        "tasks": tasks,
    }
    return yaml.safe_dump(about, sort_keys=False, allow_unicode=True, width=110)


def _template(config: Config, world: World) -> str:
    theory, phrases = world.theory, world.lexicon.phrases
    answers = f"One of these relations holds between them: {', '.join(world.relations)}."
    if theory.preset(config.preset).keeps == "mixed":
        answers += f' If the story leaves several possible, the answer is "{CANNOT_BE_TOLD}".'
    text = (
        f"Read the story, then answer the question about two of its names. {answers} Names and values are "
        f"in square brackets.\n\nTake this for granted. {theory.assumption(config.assume).prompt} "
        f"{theory.meanings(world.labels)}"
    )
    ends = {"a": "{query[0]}", "b": "{query[1]}"}
    asked = (
        f"{phrases.question.format(**ends)} Complete the sentence: {phrases.complete.format(**ends, r='...')}"
    )
    return (
        text.replace("{", "{{").replace("}", "}}") + f"\n\nStory: {{prompt}}\n\nQuestion: {asked}\n\n"
        "Reason step by step. Then end your reply with one line in this form:\nAnswer: <the relation>"
    )
