"""The eval.yaml of a generated data set, by which the Hub and Inspect run it: `inspect eval hf/OWNER/NAME`.

These offer only their own solvers and scorers, so the task takes the stories as they are, with their square
brackets, and compares the line that starts with "Answer:" with the target. `clutrr/kinship`, with the
package installed, reads replies with more care.
"""

import yaml

from clutrr.generator.config import Config
from clutrr.puzzle import CANNOT_BE_TOLD
from clutrr.world import World
from clutrr.world.in_words import assumed, meant

NAME = "eval.yaml"
FORMATS = ("parquet", "jsonl")  # the formats in which a query is a list


def evaluation(config: Config, world: World) -> str:
    """The file, with one task per subset."""
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
        "name": f"Kinship stories, preset {config.preset}",
        "description": "Who is who in a family, from a story: answers proved.",
        "evaluation_framework": "inspect-ai",
        "tasks": tasks,
    }
    return yaml.safe_dump(about, sort_keys=False, allow_unicode=True, width=110)


def _template(config: Config, world: World) -> str:
    answers = f"One of these relations holds between them: {', '.join(world.relations)}."
    if config.benchmark.mixed:
        answers += f' If the story leaves several possible, the answer is "{CANNOT_BE_TOLD}".'
    text = (
        f"Read the story, then answer the question about two of its people. {answers} Names and values stand "
        f"in square brackets.\n\nTake this for granted. {assumed(config.assumption)} {meant(world)}"
    )
    asked = "What is {query[1]} to {query[0]}? Complete the sentence: {query[1]} is the ... of {query[0]}."
    return (
        text.replace("{", "{{").replace("}", "}}") + f"\n\nStory: {{prompt}}\n\nQuestion: {asked}\n\n"
        "Reason step by step. Then end your reply with one line in this form:\nAnswer: <the relation>"
    )
