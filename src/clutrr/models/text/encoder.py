"""A pretrained encoder of text, from a folder or by its name on the Hugging Face hub.

Needs the extra `text`. Nothing is downloaded unless the name is not a folder; what is downloaded is a folder
too. A run keeps the encoder's settings and its tokenizer; the weights are in the checkpoint with the others.

A folder may come from anybody. It is looked through before it is loaded, and tried before it is used: its
weights are read from safetensors alone, never from a pickle, which is a program; its settings may name no
other program, file or package; and what they ask for is no more than what the weights hold.
"""

import hashlib
import logging
import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import nn

from clutrr._io.files import file_digest
from clutrr._io.limits import (
    ENCODER_COUNT,
    ENCODER_FILE,
    ENCODER_LAYERS,
    ENCODER_WEIGHTS,
    RAISE,
    WORLD_FILE,
    limit,
)
from clutrr._io.records import read_json
from clutrr.errors import ClutrrError, ConfigError, short
from clutrr.models.passages import Piece

_MARKS = ("@", "#")  # stand around the mentions of the first and the second of a pair
_LONGEST = 256  # tokens of a window
_TOKENS = 16  # that a letter may become, at most
_SPARE = (
    1 << 24
)  # weights that a model may have beyond those in the files: a pooler that we do not use
_SETTINGS = "config.json"
_WEIGHTS, _PICKLE = "model.safetensors", "pytorch_model.bin"
# What settings may name besides sizes: kernels and other files to fetch and run, packages to unpack with.
_ELSEWHERE = re.compile(
    r"_?(?:attn|experts)_implementation(?:_internal)?|transformers_weights|quantization_config"
)
_LAYERS = re.compile(r"layers?$|groups?$|group_num$|experts$|blocks?$|depths?$")
_READ = (".json", ".txt", ".model", ".jinja")  # what a tokenizer is made of
_SUFFIXES = (*_READ, ".safetensors")  # what an encoder is made of


# The kinds of encoders of text that are loaded. Other kinds fetch parts of themselves from elsewhere.
_KINDS = frozenset(
    "albert bert big_bird camembert convbert deberta deberta-v2 distilbert electra ernie ibert longformer "
    "megatron-bert mobilebert modernbert mpnet nystromformer rembert roberta roberta-prelayernorm roformer "
    "squeezebert xlm-roberta xlm-roberta-xl xmod".split()
)
_TOKENIZER = "tokenizer.json"
# A tokenizer is tried on every letter in a process of its own, which it may end.
_TRIAL = """
import sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (1 << 32, 1 << 32))
except ImportError:
    pass
from tokenizers import Tokenizer
try:
    Tokenizer.from_file(sys.argv[1]).encode("".join(map(chr, (*range(32, 0xD800), *range(0xE000, 0xFFFE)))))
except Exception:
    pass  # this can be caught where it is used, too
"""
_PATIENCE = 60  # seconds for that


def load_tokens(name: str | Path) -> "Tokens":
    """Return the tokenizer of an encoder, by its name or its folder."""
    folder = _folder(name)
    _try_tokenizer(folder)
    return Tokens(_load("AutoTokenizer", "from_pretrained", folder))


def _try_tokenizer(folder: Path) -> None:
    """Refuse a tokenizer that ends the process it is loaded in, or makes texts ever longer."""
    if not (folder / _TOKENIZER).is_file():
        return
    for key, value in _entries(folder, _TOKENIZER):
        if isinstance(value, dict) and value.get("type") == "Replace" and key != "decoders":
            pattern, content = value.get("pattern"), value.get("content")
            found = pattern.get("String", "x") if isinstance(pattern, dict) else "x"
            if len(str(content)) > max(1, len(str(found))):
                raise _refused(
                    folder, f"{_TOKENIZER}: it replaces {short(found)} by more than that"
                )
    trial = [sys.executable, "-P", "-c", _TRIAL, str(folder / _TOKENIZER)]
    try:
        done = subprocess.run(
            trial, capture_output=True, text=True, errors="replace", timeout=_PATIENCE
        )
    except subprocess.TimeoutExpired:
        raise _refused(
            folder, f"{_TOKENIZER}: it takes more than {_PATIENCE} s for some letters"
        ) from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it ends the process"])[-1]
        raise _refused(folder, f"{_TOKENIZER} cannot be used: {short(last, quote=False)}")


def load_encoder(name: str) -> nn.Module:
    """Return the encoder with its weights, all of them numbers."""
    folder = _folder(name)
    check_size(folder, _weights_in(folder))
    model, info = _load(
        "AutoModel", "from_pretrained", folder, use_safetensors=True, output_loading_info=True
    )
    missing = sorted(key for key in info["missing_keys"] if "pooler" not in key)
    if info["mismatched_keys"]:
        raise ConfigError(
            f"{name}: the weights in its files are of another shape", setting="encoder"
        )
    if missing:
        raise ConfigError(
            f"{name}: {len(missing)} weights are not in its files, such as {missing[0]}",
            setting="encoder",
        )
    if not all(bool(weights.isfinite().all()) for weights in model.parameters()):
        raise ConfigError(f"{name}: some of its weights are not numbers", setting="encoder")
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
            f"{folder}: {_SETTINGS} asks for {wanted:,} weights, and there are {held:,}",
            setting="encoder",
        )


def check_together(encoder: nn.Module, tokens: "Tokens") -> None:
    """Try the encoder on the longest window there can be."""
    embeddings = encoder.get_input_embeddings()  # type: ignore[operator]
    known = getattr(embeddings, "num_embeddings", 0)
    if not known > tokens.largest:
        raise ConfigError(
            f"its tokenizer has {tokens.largest + 1:,} tokens, and it has vectors for {known:,}",
            setting="encoder",
        )
    tried = torch.full((1, _LONGEST), tokens.begin)
    try:
        with torch.no_grad():
            words = encoder.eval()(
                input_ids=tried, attention_mask=torch.ones_like(tried)
            ).last_hidden_state
        fits = words.shape == (1, _LONGEST, encoder.config.hidden_size)  # type: ignore[union-attr]
    except Exception as error:  # it may be of any kind, for pictures or sounds
        raise ConfigError(
            f"it cannot read {_LONGEST} tokens: {_reason(error)}", setting="encoder"
        ) from None
    if not fits:
        raise ConfigError(
            "it does not give each token a state of its hidden size", setting="encoder"
        )


def try_encoder(name: str) -> None:
    """Refuse an encoder that a training cannot begin with, before anything of the training is written."""
    check_together(load_encoder(name), load_tokens(name))


def kept_files(name: str) -> dict[str, bytes]:
    """Return the settings and the tokenizer, by file, without the weights."""
    return {file.name: file.read_bytes() for file in _files(_folder(name)) if file.suffix in _READ}


def _load(kind: str, how: str, what: Any, **more: Any) -> Any:
    """Let transformers load it. what: a folder, or settings."""
    named = str(what) if isinstance(what, Path) else "what its settings say"
    with _loading(named):
        import transformers

        # Whatever a folder's settings say, no program in it is run, nobody is asked whether to, and nothing
        # is fetched.
        files = {"local_files_only": True} if isinstance(what, Path) else {}
        return getattr(getattr(transformers, kind), how)(
            what, trust_remote_code=False, **files, **more
        )


def _folder(name: str | Path) -> Path:
    """Return the folder of an encoder, checked. A name that is no folder is looked up on the hub; a path is
    not."""
    if not name:
        raise ConfigError(
            "none is named", setting="encoder", hint="give a folder, or a name on the hub"
        )
    folder = Path(name)
    if not folder.is_dir():
        if isinstance(name, Path) or name.startswith((".", "/", "~")) or os.sep * 2 in name:
            raise ConfigError(f"{name} is not a folder", setting="encoder")
        with _loading(name):
            from huggingface_hub import snapshot_download

            wanted = [f"*{suffix}" for suffix in _SUFFIXES]
            folder = Path(snapshot_download(name, allow_patterns=wanted, ignore_patterns="*/*"))
    if not (folder / _SETTINGS).is_file():
        raise ConfigError(f"{name} holds no encoder (no {_SETTINGS})", setting="encoder")
    _check_folder(folder)
    return folder


@contextmanager
def _loading(named: str) -> Iterator[None]:
    """While transformers loads or downloads: what is wrong is said in our words alone."""
    try:
        from transformers.utils import logging as logs
    except ImportError:
        raise ConfigError(
            "needs transformers", setting="encoder", hint="pip install 'clutrr[text]'"
        ) from None
    shown, said = logs.is_progress_bar_enabled(), logs.get_verbosity()
    logs.disable_progress_bar()  # type: ignore[no-untyped-call]
    logs.set_verbosity(logging.CRITICAL)
    try:
        yield
    except (KeyboardInterrupt, SystemExit, ClutrrError):
        raise
    except (
        BaseException
    ) as error:  # a folder may hold anything; panics of its tokenizer are no Exception
        raise ConfigError(
            f"{named} cannot be loaded: {_reason(error)}", setting="encoder"
        ) from None
    finally:
        logs.set_verbosity(said)
        if shown:
            logs.enable_progress_bar()  # type: ignore[no-untyped-call]


# The folder of an encoder


def encoder_digest(name: str) -> str | None:
    """Return a checksum of the files that an encoder is made from; None for one that is not a folder here."""
    if not name or not Path(name).is_dir():
        return None
    found = hashlib.sha256()
    for file in _files(Path(name)):
        found.update(f"{file.name} {file_digest(file)}\n".encode())
    return found.hexdigest()


def _files(folder: Path) -> list[Path]:
    """Return what an encoder is made from, by name."""
    return [
        file for file in sorted(folder.iterdir()) if file.suffix in _SUFFIXES and file.is_file()
    ]


def _check_folder(folder: Path) -> None:
    """Refuse settings and files of a tokenizer that no encoder needs."""
    for file in _files(folder):
        most = limit(WORLD_FILE if file.name == _SETTINGS else ENCODER_FILE)
        if file.suffix in _READ and file.stat().st_size > most:
            raise _refused(folder, f"{file.name} is larger than {most >> 20} MB; {RAISE}")
    if (folder / "adapter_config.json").exists():
        raise _refused(
            folder, "it is an adapter of another model: merge the two, and save the whole"
        )
    if (kind := _object(folder, _SETTINGS).get("model_type")) not in _KINDS:
        raise _refused(folder, f"{_SETTINGS}: {short(kind)} is none of the encoders that are read")
    layers = 1
    for key, value in _entries(folder, _SETTINGS):
        if value is not None and _ELSEWHERE.fullmatch(key):
            raise _refused(folder, f"{_SETTINGS}: {key} is not supported: leave it out")
        if isinstance(value, int) and abs(value) > limit(ENCODER_COUNT):
            raise _refused(
                folder, f"{_SETTINGS}: {short(key)}: {short(value)} is too much; {RAISE}"
            )
        if _LAYERS.search(key) and isinstance(value, int) and value > 1:
            layers *= value
    if layers > limit(ENCODER_LAYERS):
        raise _refused(folder, f"{_SETTINGS}: {short(layers)} layers are too many; {RAISE}")


def _weights_in(folder: Path) -> int:
    """Return how many weights the file of a folder holds."""
    if not (folder / _WEIGHTS).is_file():
        why = f"no {_WEIGHTS} in it"
        if (folder / _PICKLE).exists():
            why += f"; {_PICKLE} is a pickle, which can run programs, and is not loaded: save it as safetensors"
        raise _refused(folder, why)
    try:
        with safe_open(folder / _WEIGHTS, "pt") as opened:
            names = opened.keys()
            count: int = sum(math.prod(opened.get_slice(name).get_shape()) for name in names)
    except (SafetensorError, OSError, ValueError) as error:
        raise _refused(folder, f"its weights cannot be read: {_reason(error)}") from None
    if count > limit(ENCODER_WEIGHTS):
        raise _refused(
            folder, f"{count:,} weights are more than {limit(ENCODER_WEIGHTS):,}; {RAISE}"
        )
    return count


def _entries(folder: Path, name: str) -> Iterator[tuple[str, Any]]:
    """Return every entry of a file, however deep; entries of a list under the name of the list."""
    inner: list[tuple[str, Any]] = [("", _object(folder, name))]
    while inner:
        key, value = inner.pop()
        yield key, value
        if isinstance(value, dict):
            inner += value.items()
        elif isinstance(value, list):
            inner += [(key, one) for one in value]


def _object(folder: Path, name: str) -> dict[str, Any]:
    try:
        content = read_json(folder / name)
    except (OSError, ValueError) as error:
        raise _refused(folder, f"{name} cannot be read: {_reason(error)}") from None
    if not isinstance(content, dict):
        raise _refused(folder, f"{name} is not an object of JSON")
    return content


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]


def _refused(folder: Path, why: str) -> ConfigError:
    return ConfigError(f"{folder}: {why}", setting="encoder")


# Windows as tokens


class Tokens:
    """Numbers for windows. Words and names are looked up apart, so that a name can change at no cost."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._known: dict[str, list[int]] = {}
        ends = (tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.pad_token_id)
        if None in ends:
            raise ConfigError(
                "its tokenizer marks no beginning, end or padding; take a BERT-like one",
                setting="encoder",
            )
        self.begin, self._end, self.padding = ends
        self.largest = max(
            (*ends, *tokenizer.get_vocab().values())
        )  # the largest number of a token

    def _numbers(self, text: str) -> list[int]:
        if text not in self._known:
            try:
                found = self._tokenizer(text, add_special_tokens=False)["input_ids"]
            except (KeyboardInterrupt, SystemExit, MemoryError):
                raise
            except (
                BaseException
            ) as error:  # as many kinds as there are tokenizers; panics are no Exception
                raise ConfigError(
                    f"its tokenizer fails at {short(text)}: {_reason(error)}", setting="encoder"
                ) from None
            if len(found) > _TOKENS * (len(text) + 1):
                raise ConfigError(
                    f"its tokenizer makes {len(found):,} tokens of {short(text)}", setting="encoder"
                )
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
