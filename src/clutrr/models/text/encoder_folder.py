"""The folder of an encoder, looked through before anything in it is loaded.

It may come from anybody. Its weights are read from safetensors alone, never from a pickle, which is a
program; its settings may name no other program, file or package; and what they ask for is no more than
what the weights hold.
"""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from clutrr.errors import ConfigError, short
from clutrr.files import file_digest, read_json
from clutrr.limits import (
    ENCODER_COUNT,
    ENCODER_FILE,
    ENCODER_LAYERS,
    ENCODER_WEIGHTS,
    RAISE,
    WORLD_FILE,
    limit,
)

SETTINGS = "config.json"
_WEIGHTS, _INDEX = "model.safetensors", "model.safetensors.index.json"
_PICKLE = "pytorch_model.bin"
# What settings may name besides sizes: kernels and other files to fetch and run, packages to unpack with.
_ELSEWHERE = re.compile(
    r"_?(?:attn|experts)_implementation(?:_internal)?|transformers_weights|quantization_config"
)
_LAYERS = re.compile(r"layers?$|groups?$|group_num$|experts$|blocks?$|depths?$")
_READ = (".json", ".txt", ".model", ".jinja")  # what a tokenizer is made of
FILES = tuple(f"*{suffix}" for suffix in (*_READ, ".safetensors"))  # what an encoder is made of


def encoder_digest(name: str) -> str | None:
    """Return a checksum of the files that an encoder is made from; None for one that is not a folder here."""
    folder = Path(name)
    if not name or not folder.is_dir():
        return None
    found = hashlib.sha256()
    for file in sorted(folder.iterdir()):
        if file.suffix in (*_READ, ".safetensors") and file.is_file():
            found.update(f"{file.name} {file_digest(file)}\n".encode())
    return found.hexdigest()


def check_folder(folder: Path) -> None:
    """Refuse settings and files of a tokenizer that no encoder needs."""
    for file in folder.iterdir():
        most = limit(WORLD_FILE if file.name == SETTINGS else ENCODER_FILE)
        if file.suffix in _READ and file.is_file() and file.stat().st_size > most:
            raise _refused(folder, f"{file.name} is larger than {most >> 20} MB; {RAISE}")
    if (folder / "adapter_config.json").exists():
        raise _refused(folder, "it is an adapter of another model: merge the two, and save the whole")
    layers = 1
    for key, value in _settings(folder):
        if value is not None and _ELSEWHERE.fullmatch(key):
            raise _refused(folder, f"{SETTINGS}: {key} is not supported: leave it out")
        if isinstance(value, int) and abs(value) > limit(ENCODER_COUNT):
            raise _refused(folder, f"{SETTINGS}: {short(key)}: {short(value)} is too much; {RAISE}")
        if _LAYERS.search(key) and isinstance(value, int) and value > 1:
            layers *= value
    if layers > limit(ENCODER_LAYERS):
        raise _refused(folder, f"{SETTINGS}: {short(layers)} layers are too many; {RAISE}")


def weights_in(folder: Path) -> int:
    """Return how many weights the files of a folder hold."""
    count = 0
    try:
        for file in _files(folder):
            with safe_open(file, "pt") as opened:
                for name in opened.keys():  # noqa: SIM118  it is no mapping
                    size = 1
                    for length in opened.get_slice(name).get_shape():
                        size *= length
                    count += size
    except (SafetensorError, OSError, ValueError) as error:
        raise _refused(folder, f"its weights cannot be read: {' '.join(str(error).split())[:100]}") from None
    if count > limit(ENCODER_WEIGHTS):
        raise _refused(folder, f"{count:,} weights are more than {limit(ENCODER_WEIGHTS):,}; {RAISE}")
    return count


def _files(folder: Path) -> list[Path]:
    """Return the files with the weights."""
    if (folder / _WEIGHTS).is_file():
        return [folder / _WEIGHTS]
    if not (folder / _INDEX).is_file():
        why = f"no {_WEIGHTS} in it"
        if (folder / _PICKLE).exists():
            why += (
                f"; {_PICKLE} is a pickle, which can run programs, and is not loaded: save it as safetensors"
            )
        raise _refused(folder, why)
    placed = _object(folder, _INDEX).get("weight_map")
    names = set(placed.values()) if isinstance(placed, dict) and all(map(_plain, placed.values())) else set()
    if not names:
        raise _refused(folder, f"{_INDEX} names no safetensors files of this folder")
    return [folder / name for name in sorted(names)]


def _plain(name: Any) -> bool:
    return isinstance(name, str) and Path(name).name == name and name.endswith(".safetensors")


def _settings(folder: Path) -> Iterator[tuple[str, Any]]:
    """Return every entry of the settings, however deep; entries of a list under the name of the list."""
    inner: list[tuple[str, Any]] = [("", _object(folder, SETTINGS))]
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
        raise _refused(folder, f"{name} cannot be read: {' '.join(str(error).split())[:100]}") from None
    if not isinstance(content, dict):
        raise _refused(folder, f"{name} is not an object of JSON")
    return content


def _refused(folder: Path, why: str) -> ConfigError:
    return ConfigError(f"encoder: {folder}: {why}")
