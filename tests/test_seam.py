"""What is peculiar to kinship stays in its theory and in its lexicons: read off the sources."""

import io
import re
import tokenize
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "clutrr"
KINSHIP = re.compile(
    r"gender|female|\bmale\b|spouse|couple|generations|marri|sibling|\bchains?\b|ancestor|famil(?!iar|y=)"
)
# Where such words belong: the theory itself, the paper's own figures, files in formats of kinship data.
ALLOWED = (
    "theory/kinship/",
    "world/kinship",
    "paper.py",
    "cli/paths.py",
    "data/v1.py",
    "data/published.py",
    "experiment/settings_v02.py",
)


def words(path: Path) -> set[str]:
    """The words of kinship in names, strings and comments of a module, or anywhere in another file."""
    text = path.read_text()
    if path.suffix == ".py":
        kinds = (
            (tokenize.NAME, tokenize.STRING, tokenize.COMMENT, tokenize.FSTRING_MIDDLE)
            if hasattr(tokenize, "FSTRING_MIDDLE")
            else (tokenize.NAME, tokenize.STRING, tokenize.COMMENT)
        )
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        text = "\n".join(token.string for token in tokens if token.type in kinds)
    text = text.lower().replace("itertools\nchain", "")
    return set(KINSHIP.findall(text))


def sources() -> list[str]:
    files = [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.js"), *SOURCE.rglob("*.jinja")]
    names = sorted(file.relative_to(SOURCE).as_posix() for file in files)
    return [name for name in names if not name.startswith(ALLOWED)]


@pytest.mark.parametrize("name", sources())
def test_no_word_of_kinship(name):
    assert not words(SOURCE / name), name


def test_the_test_sees_them():
    assert words(SOURCE / "theory/kinship/steps.py") >= {"couple", "sibling"}
