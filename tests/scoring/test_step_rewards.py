"""Rewards by step: their places, their values, and that they add up to the reward."""

import pytest

import clutrr
from clutrr.errors import ArgumentError

FACTS = [["Ann", "son", "Bob"], ["Bob", "brother", "Carl"], ["Carl", "daughter", "Dora"]]
COLUMNS = {"query": [["Ann", "Dora"]], "facts": [FACTS], "world": "kinship"}
RIGHT = "Bob is Ann's son. Carl is Bob's brother, so Carl is Ann's son. So Dora is Ann's granddaughter.\nAnswer: granddaughter"
WRONG = "Carl is Ann's brother. Carl is Ann's son. Dora is Ann's sister.\nAnswer: daughter"


def by_words(reply: str, **settings) -> dict[str, float]:
    (steps,) = clutrr.reward(
        [reply], ["granddaughter"], parts=("answer", "steps"), per_step=True, **COLUMNS, **settings
    )
    return {reply[one.start : one.end]: one.value for one in steps}


def test_what_each_claim_earns():
    """Two steps are needed; answer and steps weigh alike."""
    found = by_words(RIGHT)
    assert found.pop("Answer: granddaughter") == 0.5
    assert [value for value in found.values() if value] == [0.25, 0.25]
    assert all(value == 0 for words, value in found.items() if words.startswith("Bob is"))
    found = by_words(WRONG)
    assert [round(value, 2) for value in found.values()] == [-0.25, 0.25, -0.25, 0]


@pytest.mark.parametrize(
    "reply",
    [RIGHT, "Carl is Ann's son. Dora is Ann's daughter.", "Answer: granddaughter", "", "No."],
)
def test_values_add_up_to_the_reward(reply):
    asked = {"answer": ["granddaughter"], "parts": ("answer", "kind", "steps"), **COLUMNS}
    (total,) = clutrr.reward([reply], **asked)
    (steps,) = clutrr.reward([reply], per_step=True, **asked)
    assert sum(one.value for one in steps) == pytest.approx(total)
    assert all(0 <= one.start <= one.end <= len(reply) for one in steps)


def test_messages_of_a_chat_and_other_parts():
    said = [{"role": "assistant", "content": "Answer: son"}]
    (steps,) = clutrr.reward([said], ["son"], per_step=True)
    assert [(one.start, one.end, one.value, one.tokens) for one in steps] == [(0, 11, 1.0, None)]


def test_places_in_tokens():
    transformers = pytest.importorskip("transformers", reason="needs the extra `text`")
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = RIGHT.replace("\n", " ").split()
    made = Tokenizer(
        models.WordLevel({word: i for i, word in enumerate(dict.fromkeys(words))}, unk_token="Ann")
    )
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=made)
    (steps,) = clutrr.reward(
        [RIGHT],
        ["granddaughter"],
        parts=("answer", "steps"),
        per_step=True,
        tokenizer=tokenizer,
        **COLUMNS,
    )
    for one in steps:
        first, last = one.tokens
        assert RIGHT[one.start : one.end].strip(" .,") in " ".join(words[first:last])
    assert steps[-1].tokens == (len(words) - 2, len(words))
    with pytest.raises(ArgumentError, match="no fast tokenizer"):
        clutrr.reward([RIGHT], ["granddaughter"], per_step=True, tokenizer=lambda text: text)
