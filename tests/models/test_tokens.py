"""What a batch says of every token: its number as a word, and whom it mentions."""

import re

import torch
from kin_models import fixed, stories_of
from torch import nn

from clutrr.models import Sizes, encode, learn_vocabulary
from clutrr.models.vocabulary import BYSTANDER


def test_a_plain_embedding_of_the_words_takes_every_token(world):
    table = stories_of("sound", 3, 40)
    vocabulary = learn_vocabulary([table], world)
    batch = fixed(encode(table, vocabulary))
    embedding = nn.Embedding(Sizes.of(vocabulary).words, 8)
    assert embedding(batch.tokens).shape == (*batch.tokens.shape, 8)


def test_mentions_are_those_of_the_text(world):
    """Counted in the text itself, name by name in the order in which they appear."""
    table = stories_of("sound", 3, 40)
    batch = fixed(encode(table, learn_vocabulary([table], world)))
    for row, story in enumerate(table["story"].to_pylist()):
        named = re.findall(r"\[(.+?)\]", story)
        mentions = [m for m in batch.mentions[row].tolist() if m >= 0]
        assert len(mentions) == len(named)
        assert len(set(zip(named, mentions, strict=True))) == len(set(named)) == len(set(mentions))
    assert ((batch.tokens == BYSTANDER) == (batch.mentions >= 0)).all()


def test_embedded_words_are_learnt_and_people_are_fresh(world):
    table = stories_of("sound", 3, 10)
    vocabulary = learn_vocabulary([table], world)
    batch = fixed(encode(table, vocabulary))
    words = nn.Embedding(Sizes.of(vocabulary).words, 5)
    embedded = batch.embed(words)
    is_word = batch.mentions < 0
    torch.testing.assert_close(embedded[is_word], words(batch.tokens)[is_word])
    fresh = batch.fresh(batch.stories.entities, 5)
    for row in range(len(batch)):
        people = batch.mentions[row][~is_word[row]]
        torch.testing.assert_close(embedded[row][~is_word[row]], fresh[row][people])
