"""clutrr prompts: puzzles as chat messages."""

from clutrr import api
from clutrr.cli.options import Data, Direct, Form, Limit, Omit, Questions, Shots, words
from clutrr.cli.show import print_json
from clutrr.config import PromptConfig


def prompts(
    data: Data,
    split: Questions = "test",
    limit: Limit = None,
    form: Form = PromptConfig.form,
    direct: Direct = PromptConfig.direct,
    shots: Shots = PromptConfig.shots,
    omit: Omit = None,
) -> None:
    """Print the questions of a data set as chat messages for a language model, one JSON object per line.

    Each has id, subset, k, messages, the right answer, the form of the question, and the version of the
    wording.
    """
    left_out = () if omit is None else words(omit, "omit")
    for prompt in api.prompts(
        data, split=split, limit=limit, form=form, direct=direct, shots=shots, omit=left_out
    ):
        print_json(prompt.to_dict())
