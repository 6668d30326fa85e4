"""The checked-in gallery and picture are what the tool writes."""

import pytest

from clutrr.api import generate
from clutrr.world import load_world
from gallery import SEED, pipeline_example, write_gallery
from pipeline import pipeline_svg


@pytest.mark.slow
def test_the_gallery_is_current(tmp_path, repository):
    written = list(write_gallery(tmp_path))
    assert [path.name for path in written] == ["gallery.md", "pipeline.svg"]
    for path in written:
        assert path.read_text() == (repository / "docs" / path.name).read_text()


@pytest.mark.parametrize(
    ("preset", "k"),
    [
        *(("published", k) for k in (3, 4, 5, 6)),
        *(("described", k) for k in range(1, 7)),
        *(("sound", k) for k in range(1, 7)),
    ],
)
def test_the_samples_are_current(repository, preset, k):
    page = (repository / "docs/gallery.md").read_text()
    section = page.split(f"## `{preset}`\n")[1].split("\n## ")[0]
    puzzle = generate(preset, k=k, size=1, seed=SEED, distractors=1)[0]
    assert f"\n> {puzzle.story}\n" in section
    assert f"**{puzzle.target}**: {puzzle.abstract}" in section


def test_the_picture_is_current(repository):
    assert pipeline_svg(pipeline_example(), load_world()) == (repository / "docs/pipeline.svg").read_text()
