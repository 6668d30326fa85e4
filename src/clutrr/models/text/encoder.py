"""A pretrained encoder of text, from a folder or by its name on the Hugging Face hub.

Needs the extra `text`. Nothing is downloaded unless the name is not a folder; what is downloaded is a folder
too. A run keeps the encoder's settings and its tokenizer; the weights are in the checkpoint with the others.
What a folder holds is checked before it is loaded (see `encoder_folder`), and tried before it is used.
"""

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from clutrr.errors import ConfigError, short
from clutrr.models.text.encoder_folder import FILES, SETTINGS, check_folder, weights_in
from clutrr.models.text.passage import Piece

_MARKS = ("@", "#")  # stand around the mentions of the first and the second of a pair
_LONGEST = 256  # tokens of a window
_TOKENS = 16  # that a letter may become, at most
_SPARE = 1 << 24  # weights that a model may have beyond those in the files: a pooler that we do not use


def load_tokens(name: str | Path) -> "Tokens":
    """Return the tokenizer of an encoder, by its name or its folder."""
    return Tokens(_load("AutoTokenizer", "from_pretrained", _folder(name)))


def load_encoder(name: str) -> nn.Module:
    """Return the encoder with its weights, all of them numbers."""
    folder = _folder(name)
    check_size(folder, weights_in(folder))
    model, info = _load(
        "AutoModel", "from_pretrained", folder, use_safetensors=True, output_loading_info=True
    )
    missing = sorted(key for key in info["missing_keys"] if "pooler" not in key)
    if info["mismatched_keys"]:
        raise ConfigError(f"encoder: {name}: the weights in its files are of another shape")
    if missing:
        raise ConfigError(
            f"encoder: {name}: {len(missing)} weights are not in its files, such as {missing[0]}"
        )
    if not all(bool(weights.isfinite().all()) for weights in model.parameters()):
        raise ConfigError(f"encoder: {name}: some of its weights are not numbers")
    encoder: nn.Module = model.float()
    return encoder


def empty_encoder(folder: Path) -> nn.Module:
    """Return the encoder whose settings a run keeps, with random weights for a checkpoint to replace."""
    model: nn.Module = _load(
        "AutoModel", "from_config", _load("AutoConfig", "from_pretrained", _folder(folder))
    )
    return model.float()


def check_size(folder: Path, held: int) -> None:
    """Refuse settings that make more of an encoder than there are weights for. Nothing is allocated."""
    config = _load("AutoConfig", "from_pretrained", _folder(folder))
    with torch.device("meta"):
        model = _load("AutoModel", "from_config", config)
    wanted = sum(weights.numel() for weights in model.parameters())
    if wanted > held + _SPARE:
        raise ConfigError(
            f"encoder: {folder}: {SETTINGS} asks for {wanted:,} weights, and there are {held:,}"
        )


def check_together(encoder: nn.Module, tokens: "Tokens") -> None:
    """Try the encoder on the longest window there can be."""
    embeddings = encoder.get_input_embeddings()  # type: ignore[operator]
    known = getattr(embeddings, "num_embeddings", 0)
    if not known > tokens.largest:
        raise ConfigError(
            f"encoder: its tokenizer has {tokens.largest + 1:,} tokens, and it has vectors for {known:,}"
        )
    training = encoder.training
    tried = torch.full((1, _LONGEST), tokens.begin)
    try:
        with torch.no_grad():
            words = encoder.eval()(input_ids=tried, attention_mask=torch.ones_like(tried)).last_hidden_state
        fits = words.shape == (1, _LONGEST, encoder.config.hidden_size)  # type: ignore[union-attr]
    except Exception as error:  # it may be of any kind, for pictures or sounds
        reason = " ".join(str(error).split())[:200]
        raise ConfigError(f"encoder: it cannot read {_LONGEST} tokens: {reason}") from None
    finally:
        encoder.train(training)
    if not fits:
        raise ConfigError("encoder: it does not give each token a state of its hidden size")


def try_encoder(name: str) -> None:
    """Refuse an encoder that a training cannot begin with, before anything of the training is written."""
    check_together(load_encoder(name), load_tokens(name))


def keep_encoder(name: str, folder: Path) -> None:
    """Write the settings and the tokenizer, without the weights."""
    folder.mkdir(parents=True, exist_ok=True)
    made_from = _folder(name)
    kept = [_load(kind, "from_pretrained", made_from) for kind in ("AutoConfig", "AutoTokenizer")]
    try:
        for each in kept:
            each.save_pretrained(folder)
    except Exception as error:  # some of it is written by a library with errors of its own
        raise error if isinstance(error, OSError) else OSError(str(error)) from None


def _load(kind: str, how: str, what: Any, **more: Any) -> Any:
    """Let transformers load it. what: a folder, or settings."""
    named = str(what) if isinstance(what, Path) else "what its settings say"
    with _loading(named):
        import transformers

        # Whatever a folder's settings say, no program in it is run, and nobody is asked whether to.
        return getattr(getattr(transformers, kind), how)(what, trust_remote_code=False, **more)


def _folder(name: str | Path) -> Path:
    """Return the folder of an encoder, checked. A name that is no folder is looked up on the hub; a path is
    not."""
    if not name:
        raise ConfigError("encoder: none is named; give --encoder FOLDER, or a name on the hub")
    folder = Path(name)
    if not folder.is_dir():
        if isinstance(name, Path) or name.startswith((".", "/", "~")) or os.sep * 2 in name:
            raise ConfigError(f"encoder: {name} is not a folder")
        with _loading(name):
            from huggingface_hub import snapshot_download

            folder = Path(snapshot_download(name, allow_patterns=list(FILES), ignore_patterns="*/*"))
    if not (folder / SETTINGS).is_file():
        raise ConfigError(f"encoder: {name} holds no encoder (no {SETTINGS})")
    check_folder(folder)
    return folder


@contextmanager
def _loading(named: str) -> Iterator[None]:
    """While transformers loads or downloads: what is wrong is said in our words alone."""
    try:
        from transformers.utils import logging as logs
    except ImportError:
        raise ConfigError("encoder: needs transformers: pip install 'clutrr[text]'") from None
    shown, said = logs.is_progress_bar_enabled(), logs.get_verbosity()
    logs.disable_progress_bar()  # type: ignore[no-untyped-call]
    logs.set_verbosity(logging.CRITICAL)
    try:
        yield
    except Exception as error:  # a folder may hold anything, and be refused in as many ways
        reason = " ".join(str(error).split())[:200]
        raise ConfigError(f"encoder: {named} cannot be loaded: {reason}") from None
    finally:
        logs.set_verbosity(said)
        if shown:
            logs.enable_progress_bar()  # type: ignore[no-untyped-call]


class Tokens:
    """Numbers for windows. Words and names are looked up apart, so that a name can change at no cost."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._known: dict[str, list[int]] = {}
        ends = (tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.pad_token_id)
        if None in ends:
            raise ConfigError(
                "encoder: its tokenizer marks no beginning, end or padding; take a BERT-like one"
            )
        self.begin, self._end, self.padding = ends
        self.largest = max((*ends, *tokenizer.get_vocab().values()))  # the largest number of a token

    def _numbers(self, text: str) -> list[int]:
        if text not in self._known:
            try:
                found = self._tokenizer(text, add_special_tokens=False)["input_ids"]
            except Exception as error:  # as many kinds as there are tokenizers
                reason = " ".join(str(error).split())[:200]
                raise ConfigError(f"encoder: its tokenizer fails at {short(text)}: {reason}") from None
            if len(found) > _TOKENS * (len(text) + 1):
                raise ConfigError(f"encoder: its tokenizer makes {len(found):,} tokens of {short(text)}")
            self._known[text] = found
        return self._known[text]

    def window(
        self, pieces: Sequence[Piece], names: Sequence[str], first: int, second: int
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the tokens of a window, and for each whether it names the first (1), the second (2) or
        neither."""
        tokens, whose = [self.begin], [0]
        for piece in pieces:
            numbers = self._numbers(piece if isinstance(piece, str) else names[piece])
            side = 1 if piece == first else 2 if piece == second else 0
            if isinstance(piece, str) or not side:
                tokens += numbers
                whose += [0] * len(numbers)
                continue
            mark = self._numbers(_MARKS[side - 1])
            tokens += [*mark, *numbers, *mark]
            whose += [0] * len(mark) + [side] * len(numbers) + [0] * len(mark)
        return (*tokens[: _LONGEST - 1], self._end), (*whose[: _LONGEST - 1], 0)


def padded(rows: Sequence[Sequence[int]], padding: int, device: torch.device) -> Tensor:
    """Return rows of unequal length as one tensor."""
    filled = np.full((len(rows), max(map(len, rows), default=1)), padding, np.int64)
    for number, row in enumerate(rows):
        filled[number, : len(row)] = row
    return torch.from_numpy(filled).to(device)
