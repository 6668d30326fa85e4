"""Results that print as tables, in a terminal and in a notebook."""

import html
from abc import ABC, abstractmethod
from collections.abc import Iterator


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
