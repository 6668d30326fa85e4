"""What is peculiar to kinship stays in its theory and in its lexicons: read off the sources."""

import re
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "clutrr"
KINSHIP = re.compile(
    r"gender|female|\bmale\b|spouse|couple|generations|marri|sibling|ancestor|famil(?!iar|y=|ies|y file)"
)
# Where such words belong: the theory itself, the paper's own figures, files in formats of kinship data.
ALLOWED = (
    "theory/kinship/",
    "theory/registry.py",  # names of worlds
    "_lexicon/worlds/kinship",
    "_books/",  # of families, among others
    "_cli/book.py",
    "_paper.py",
    "_cli/paths.py",
    "_paths.py",
    "_data/gedcom.py",
    "_data/v1.py",
    "_data/published.py",
    "_data/v1_writer.py",
    "_lexicon/speech.py",
    "_reading/",  # English, whose words and examples are of kin
    "_score/claims/",
    "_score/replies/",
    "_train/matrix.py",
)


def words(path: Path) -> set[str]:
    """The words of kinship in a file."""
    return set(KINSHIP.findall(path.read_text().lower().replace("itertools.chain", "")))


def test_no_word_of_kinship():
    files = [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.js"), *SOURCE.rglob("*.jinja")]
    names = {file.relative_to(SOURCE).as_posix(): file for file in files}
    found = {name: words(file) for name, file in names.items() if not name.startswith(ALLOWED)}
    assert len(found) > 100
    assert {name: said for name, said in found.items() if said} == {}


def test_the_test_sees_them():
    assert words(SOURCE / "theory/kinship/steps.py") >= {"couple", "sibling"}
