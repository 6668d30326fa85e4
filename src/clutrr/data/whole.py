"""A data set compared with its manifest."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clutrr.errors import DataError
from clutrr.files import MANIFEST, Seals, modified_files
from clutrr.storage import Where


def differences(folder: Where, manifest: dict[str, Any], read: bool = True) -> Iterator[tuple[str, str]]:
    """Yield the files that are not as the manifest says, each with what is wrong: "missing" or "changed".

    - read: whether to read every file, instead of looking only at sizes."""
    try:
        return modified_files(folder, _sealed(manifest), read)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise DataError(f"{folder / MANIFEST}: its list of files cannot be read") from None


def _sealed(manifest: dict[str, Any]) -> Seals:
    if "files" in manifest:
        sealed = {
            name: {"sha256": str(seal["sha256"]), "bytes": int(seal["bytes"])}
            for name, seal in manifest["files"].items()
        }
    else:  # before version 0.2, each split had the checksums of its own files
        sealed = {
            name: {"sha256": digest}
            for splits in manifest.get("subsets", {}).values()
            for split in splits.values()
            for name, digest in split["files"].items()
        }
    if any(Path(name).is_absolute() or ".." in Path(name).parts for name in sealed):
        raise ValueError("a file outside the folder")
    return sealed
