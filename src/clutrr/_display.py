"""Results that print as tables, in a terminal and in a notebook; and bars that show how far something is."""

import html
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

_QUIET, _OFTEN = 2.0, 0.2  # seconds before a bar appears, and between two changes


class Shown(ABC):
    """Something that is shown as a table."""

    @abstractmethod
    def rows(self) -> Iterator[list[str]]:
        """Yield the header, and then the rows."""

    @property
    def caption(self) -> str:
        """A line above the table."""
        return ""

    def __str__(self) -> str:
        table = list(self.rows())
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in table)
        return "\n".join([self.caption] * bool(self.caption) + list(lines))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        header, *rows = ([html.escape(cell) for cell in row] for row in self.rows())
        lines = [f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in rows]
        above = f"<caption>{html.escape(self.caption)}</caption>"
        return f"<table>{above}<tr><th>{'</th><th>'.join(header)}</th></tr>{''.join(lines)}</table>"


def card(title: str, parts: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return a card for a notebook: a title, and parts with lines of HTML under a heading each."""
    told = "".join(
        f"<p><b>{html.escape(heading)}</b><br>{'<br>'.join(lines)}</p>"
        for heading, lines in parts
        if lines
    )
    return (
        '<div style="border:1px solid #8886;border-radius:6px;padding:.2em 1em;max-width:52em">'
        f"<p><b>{html.escape(title)}</b></p>{told}</div>"
    )


def in_notebook() -> bool:
    """Return whether this runs in a notebook, which shows HTML."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def notebook_bar(label: str) -> Callable[[int, int, str], None]:
    """Return what shows in a notebook how much is done, of how much, with a note; elsewhere it does nothing.

    The bar appears after two seconds.
    """
    if not in_notebook():
        return lambda done, total, note: None
    from IPython.display import HTML, display

    started, last = time.monotonic(), 0.0
    shown: Any = None

    def tell(done: int, total: int, note: str) -> None:
        nonlocal last, shown
        now = time.monotonic()
        if now - started < _QUIET or (now - last < _OFTEN and done < total):
            return
        last = now
        bar = HTML(
            f"{html.escape(label)} <progress value='{done}' max='{total}'></progress> "
            f"{done:,} of {total:,} {html.escape(note)}"
        )
        if shown is None:
            shown = display(bar, display_id=True)
        else:
            shown.update(bar)

    return tell
