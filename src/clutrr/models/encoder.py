"""A pretrained encoder of text, from a folder or by its name on the Hugging Face hub.

Needs the extra `text`. Nothing is downloaded unless the name is not a folder. A run keeps the
encoder's settings and its tokenizer; the weights are in the checkpoint with the others.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from clutrr.errors import ConfigError
from clutrr.models.windows import Piece

_MARKS = ("@", "#")  # stand around the mentions of the first and the second of a pair
_LONGEST = 256  # tokens of a window


def load_tokens(name: str) -> "Tokens":
    """The tokenizer of an encoder."""
    return Tokens(_load("AutoTokenizer", "from_pretrained", name))


def load_encoder(name: str) -> nn.Module:
    """The encoder with its weights."""
    model: nn.Module = _load("AutoModel", "from_pretrained", name)
    return model.float()


def empty_encoder(folder: Path) -> nn.Module:
    """The encoder whose settings a run keeps, with random weights for a checkpoint to replace."""
    model: nn.Module = _load("AutoModel", "from_config", _load("AutoConfig", "from_pretrained", str(folder)))
    return model.float()


def keep_encoder(name: str, folder: Path) -> None:
    """Write the settings and the tokenizer, without the weights."""
    folder.mkdir(parents=True, exist_ok=True)
    _load("AutoConfig", "from_pretrained", name).save_pretrained(folder)
    _load("AutoTokenizer", "from_pretrained", name).save_pretrained(folder)


def _load(kind: str, how: str, what: Any) -> Any:
    try:
        import transformers
    except ImportError:
        raise ConfigError("encoder: needs transformers: pip install 'clutrr[text]'") from None
    is_name = isinstance(what, str)
    if is_name and not what:
        raise ConfigError("encoder: none is named; give --encoder FOLDER, or a name on the hub")
    if is_name and (what.startswith((".", "/", "~")) or os.sep * 2 in what) and not Path(what).is_dir():
        raise ConfigError(f"encoder: {what} is not a folder")
    if is_name and Path(what).is_dir() and not (Path(what) / "config.json").is_file():
        raise ConfigError(f"encoder: {what} holds no encoder (no config.json)")
    shown = transformers.utils.logging.is_progress_bar_enabled()
    transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        # Whatever a folder's settings say, no program in it is run, and nobody is asked whether to.
        return getattr(getattr(transformers, kind), how)(what, trust_remote_code=False)
    except Exception as error:  # a folder may hold anything, and be refused in as many ways
        reason = " ".join(str(error).split())[:200]
        raise ConfigError(f"encoder: {what} cannot be loaded: {reason}") from None
    finally:
        if shown:
            transformers.utils.logging.enable_progress_bar()  # type: ignore[no-untyped-call]


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
        self._begin, self._end, self.padding = ends

    def _numbers(self, text: str) -> list[int]:
        if text not in self._known:
            self._known[text] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return self._known[text]

    def window(
        self, pieces: Sequence[Piece], names: Sequence[str], first: int, second: int
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The tokens of a window, and for each whether it names the first (1), the second (2) or neither."""
        tokens, whose = [self._begin], [0]
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
    """Rows of unequal length as one tensor."""
    filled = np.full((len(rows), max(map(len, rows), default=1)), padding, np.int64)
    for number, row in enumerate(rows):
        filled[number, : len(row)] = row
    return torch.from_numpy(filled).to(device)
