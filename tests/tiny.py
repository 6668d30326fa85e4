"""A BERT of a few thousand weights, made on the spot: what `--encoder` needs, without a download."""

import re
from collections.abc import Iterable
from pathlib import Path

import torch


def tiny_encoder(folder: Path, texts: Iterable[str], seed: int = 0) -> Path:
    """Write an encoder with random weights whose vocabulary is the words of the texts."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "@", "#"]
    words = sorted(
        {word for text in texts for word in re.findall(r"\w+|[^\w\s]", text.lower())} - set(special)
    )
    tokenizer = Tokenizer(
        models.WordLevel({word: i for i, word in enumerate([*special, *words])}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    ).save_pretrained(folder)
    torch.manual_seed(seed)
    settings = BertConfig(
        vocab_size=len(special) + len(words),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=256,
    )
    BertModel(settings).save_pretrained(folder)
    return folder
