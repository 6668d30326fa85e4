"""Strict, bounded YAML for untrusted files: small, plain, every key once."""

from importlib.resources.abc import Traversable
from typing import Any

import yaml

from clutrr._io.files import read_whole
from clutrr._io.limits import DEPTH, WORLD_FILE, limit
from clutrr.errors import ClutrrError, short

_DIGITS = 40  # of a number
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _refused(at: Any, reason: str) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=reason, problem_mark=at.start_mark)


class _UniqueLoader(_Loader):  # type: ignore[misc, valid-type]
    """Keys are words, and each appears only once."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise _refused(key_node, f"{short(key)} is not a word (quote it)")
            if key in seen:
                raise _refused(key_node, f"{short(key)} appears twice")
            seen.add(key)
        return super().construct_mapping(node, deep)


def _number(loader: Any, node: Any) -> Any:
    """Read a number; one of a thousand digits takes long, and 1:30 would be 90."""
    if len(node.value) > _DIGITS or ":" in node.value:
        raise _refused(node, f"{short(node.value)} is not a number (quote it)")
    return (loader.construct_yaml_int if node.tag.endswith("int") else loader.construct_yaml_float)(
        node
    )


for _kind in ("int", "float"):
    _UniqueLoader.add_constructor(f"tag:yaml.org,2002:{_kind}", _number)


def dump(content: Any) -> str:
    """Content in the order that it has, long lines left whole."""
    return str(yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=1000))


def read_text(path: Traversable, error: type[ClutrrError]) -> str:
    """Return the text of a file that is read whole; error: what to raise where it cannot be."""
    try:
        return read_whole(path, WORLD_FILE).decode("utf-8-sig")
    except FileNotFoundError:
        raise error(f"{path}: no such file") from None
    except UnicodeDecodeError as wrong:
        raise error(f"{path}: not UTF-8 text (byte {wrong.start + 1})") from None
    except OSError as wrong:
        raise error(f"{path}: cannot be read: {wrong.strerror or wrong}") from None
    except ValueError as wrong:
        raise error(f"{path}: {wrong}") from None


def read_yaml(path: Traversable, error: type[ClutrrError]) -> Any:
    """Return the content of a YAML file; error: what to raise where it cannot be read."""
    text = read_text(path, error)
    try:
        _check(text)
        return yaml.load(text, _UniqueLoader)
    except yaml.MarkedYAMLError as wrong:
        at = "" if wrong.problem_mark is None else f"line {wrong.problem_mark.line + 1}: "
        syntax = isinstance(wrong, yaml.parser.ParserError | yaml.scanner.ScannerError)
        raise error(f"{path}: {'not YAML: ' * syntax}{at}{wrong.problem}") from None
    except (
        yaml.YAMLError,
        ValueError,
        TypeError,
        OverflowError,
        LookupError,
        RecursionError,
    ) as wrong:
        reason = " ".join(str(wrong).split())
        raise error(f"{path}: not YAML: {reason[:300]}") from None


def _check(text: str) -> None:
    """Refuse what is short to write and huge to build: deeply nested lists, and copies of copies."""
    depth, deepest = 0, limit(DEPTH)
    for event in yaml.parse(text, _Loader):
        if isinstance(event, yaml.AliasEvent):
            raise _refused(event, f"an alias (*{short(event.anchor, quote=False)}): write it out")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(
            event, yaml.CollectionEndEvent
        )
        if depth > deepest:
            raise _refused(event, f"lists nested more than {deepest} deep")
