"""What the names of training sets and of subsets say: their lengths, and their style.

M3        stories of three facts          prose M2-3    of two and three facts, told in prose
1.3       CLUTRR v1.0: without noise, three facts       2.3    with supporting facts
"""

import re
from collections.abc import Sequence

from clutrr._measure import counted, numbers


def style_of(name: str) -> str:
    """Return the style of a training set or a subset, such as `prose` of `prose M2-3`."""
    found = re.fullmatch(r"(.+) M[\d,-]+", name)
    return found[1] if found else ""


def trained_lengths(train: str) -> tuple[int, ...]:
    """Return the lengths in the name of a training set."""
    name = train.removeprefix(style_of(train)).strip()
    return numbers(name[1:], "train") if re.fullmatch(r"M[\d,-]+", name) else ()


def own_subsets(train: str) -> list[str]:
    """Return the subsets with the style and a length of a training set."""
    return [f"{style_of(train)} M{k}".strip() for k in trained_lengths(train)]


def length_row(k: int) -> str:
    """Return the name of the questions of one length, where the subsets are no lengths."""
    return counted(k, "fact")


def series(subsets: Sequence[str]) -> dict[str, dict[int, str]]:
    """Return the subsets by length, for each style or kind of noise ("" if there is only one).

    CLUTRR v1.0 calls its subsets by the kind of noise and the length: 1.3 has no noise, 2.3 supporting facts.
    """
    found: dict[str, dict[int, str]] = {}
    for form in (r"(?:(.*) )?M(\d{1,9})", r"(?:1|(\d))\.(\d{1,9})"):
        for subset in subsets if not found else ():
            if match := re.fullmatch(form, subset):
                found.setdefault(match[1] or "", {})[int(match[2])] = subset
    return {label: dict(sorted(group.items())) for label, group in found.items()}
