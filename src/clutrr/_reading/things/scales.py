"""Values of time: days of the calendar, clock times, numbers of years."""

import re
from datetime import date

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NUMBERS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen""".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_CLOCK = re.compile(r"(\d{1,2})(?:[:.](\d\d))?(am|pm)?")
_DECADE = re.compile(r"\d{3}0s")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_WORDS = {"noon": 12.0, "midday": 12.0, "midnight": 24.0}
_FIRST_HOUR = 7  # of the day, as people mean it who say neither morning nor afternoon
_NO_YEAR = 2000  # a leap year

Span = tuple[float, float]


def number(word: str) -> int | None:
    """Return the number of a word or of digits."""
    if word.isdigit():
        return int(word)
    tens, _, ones = word.partition("-")
    if word in _NUMBERS:
        return _NUMBERS.index(word)
    if tens not in _TENS:
        return None
    more = _NUMBERS.index(ones) if ones in _NUMBERS[1:10] else None if ones else 0
    return None if more is None else 10 * (_TENS.index(tens) + 2) + more


def ordinal(word: str) -> int | None:
    """Return the number of "40th"."""
    match = _ORDINAL.fullmatch(word)
    return None if match is None else int(match[1])


def century_span(word: str) -> Span | None:
    """Return the first day of a century, "12th", and that of the next."""
    count = ordinal(word)
    first = year_span(f"{count - 1}01") if count is not None and 11 <= count <= 21 else None
    last = year_span(f"{count}00") if count is not None and first else None
    return (first[0], last[1]) if first and last else None


def in_years(unit: str) -> float:
    """Return what part of a year a month, a week or a day is."""
    return {"m": 1 / 12, "w": 7 / 365, "d": 1 / 365}[unit[0]]


def decade_span(word: str) -> Span | None:
    """Return the least age of "forties", and the least that is more."""
    stem = word.removesuffix("ies") + "y" if word.endswith("ies") else ""
    if word == "teens":
        return 13, 20
    if stem not in _TENS:
        return None
    low = 10 * (_TENS.index(stem) + 2)
    return low, low + 10


def year_span(word: str) -> Span | None:
    """Return the first day of a year and that of the next."""
    if _DECADE.fullmatch(word):
        first, last = (year_span(word[:3] + end) for end in "09")
        return (first[0], last[1]) if first and last else None
    if not (word.isdigit() and len(word) == 4 and int(word) > 0):
        return None
    return date(int(word), 1, 1).toordinal(), date(min(int(word) + 1, 9999), 1, 1).toordinal()


def day_span(day: str, month: str, year: str) -> Span | None:
    """Return a day and the next one; of a whole month where no day is told. year: "" where it is not told."""
    name = month[:3]
    if name not in _MONTHS or (year and year_span(year) is None):
        return None
    in_year, at = int(year or _NO_YEAR), _MONTHS.index(name) + 1
    if not day:
        after = date(in_year + at // 12, at % 12 + 1, 1)
        return date(in_year, at, 1).toordinal(), after.toordinal()
    digits = re.match(r"\d+", day)
    try:
        found = date(in_year, at, int(digits[0]) if digits else number(day) or 0).toordinal()
    except ValueError:
        return None
    return found, found + 1


def hour(word: str, half: str) -> float | None:
    """Return a clock time in hours. half: "am", "pm", or "" where it is not told."""
    if word in _WORDS:
        return _WORDS[word]
    match = _CLOCK.fullmatch(word)
    if match:
        at, half = int(match[1]) + int(match[2] or 0) / 60, match[3] or half
    else:
        whole = number(word)
        if whole is None:
            return None
        at = whole
    if at >= 13 or (match and len(match[1]) == 2 and match[1][0] == "0"):
        return at if at <= 24 and not half else None
    if half:
        return at % 12 + (12 if half == "pm" else 0) if 1 <= at < 13 else None
    return at if at >= _FIRST_HOUR else at + 12


def in_year_of(span: Span, day: float) -> Span:
    """Return days for which no year is told in the year of another day."""
    year = date.fromordinal(int(day)).year
    low, high = (date.fromordinal(int(one)) for one in span)
    later = year + high.year - low.year
    return low.replace(year=year).toordinal(), high.replace(year=later).toordinal()


def number_words() -> frozenset[str]:
    """Return the words of the numbers from one to ninety-nine."""
    tens = [f"{ten}-{one}" for ten in _TENS for one in _NUMBERS[1:10]]
    return frozenset([*_NUMBERS[1:], *_TENS, *tens])
