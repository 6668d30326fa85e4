"""WCAG 2 AA: text stands out by 4.5 to 1, controls and lines that matter by 3 to 1, light and dark."""

import re

import pytest

pytestmark = pytest.mark.process

_TEXT = [
    *((ink, ground) for ink in ("ink", "muted", "accent") for ground in ("bg", "panel")),
    *((f"{role}-ink", f"{role}-bg") for role in ("path", "other", "unread")),
    *((ink, "panel") for ink in ("path-ink", "other-ink", "asked", "right", "wrong")),
    *(("chip-ink", f"p{i}") for i in range(12)),
]
_LINES = [
    *((line, "bg") for line in ("control", "accent")),
    *(
        (line, "panel")
        for line in ("path", "other", "asked", "joint", *(f"run{i}" for i in range(4)))
    ),
]


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.fixture(scope="module")
def themes(repository):
    """The colours of each theme by name; a theme takes from the light one what it does not set."""
    style = (repository / "src/clutrr/_explore/page.css").read_text()
    light, dark, paper = (
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
        for block in re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    )
    assert light.keys() == dark.keys()
    return {"light": light, "dark": dark, "print": light | paper}


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_contrast(themes, theme):
    colours = themes[theme]
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    weak = {
        pair: round(contrast(*(colours[name] for name in pair)), 2) for pair in [*_TEXT, *_LINES]
    }
    assert {
        pair: ratio for pair, ratio in weak.items() if ratio < (4.5 if pair in _TEXT else 3)
    } == {}
