"""The stories of a seed stay what they were: checksums of content, taken from version 0.1."""

import hashlib

import pytest

from clutrr.generator import Config, Generator
from clutrr.generator.checksum import content_digest
from clutrr.world import load_world

CONTENT = {
    ("published", 3, "train"): "6e61406cb91c49e1342b4a7c3b00919e93417b3dca786f6df18a64164aef3bad",
    ("published", 3, "test"): "5aa3d750d061fec212a9e9fe5fd3e09af8fd04730d3b2e493f4514c74acafb4d",
    ("published", 6, "train"): "1c1a32ef5b9a66641584fd545a6a14c3a92fe346713217c5aa57bc9540ac8b33",
    ("described", 3, "train"): "9940a989012fd99273e84dba58bc8a0e327cd0050939c32f193f73d320569a85",
    ("described", 6, "test"): "c3246fdbb735290133b1ba5ffb94291894b4f2ac9f34a99aad2bdde6465e1c0c",
    ("sound", 2, "train"): "d527b8616e6fc740fa879afdcfb910fcb3d0840905121c058626dc55f5fdd1aa",
    ("sound", 3, "train"): "ccb8999f6b646d63a497ca3815456012dc6f89eba7f239ea70cb957f732fb382",
    ("sound", 3, "test"): "c5d132e6610b7ebb83cbd7243caf3e90737df6016b3aec05b1588327b5c07028",
    ("sound", 6, "train"): "1034dad480fe559238f1fa1df070243466299bf9e1f96de93b5ae5cd2ecdbbe6",
}
SIZES = {"train": 300, "test": 100}


@pytest.mark.parametrize(("preset", "k", "split"), CONTENT)
def test_the_stories_of_a_seed(preset, k, split):
    sizes = {"train": 100, "test": 50} if k == 2 else SIZES
    config = Config(preset=preset, k=(k,), train=sizes["train"], test=sizes["test"], seed=5)
    table = Generator(config, load_world()).block(split, k, 0).slice(0, sizes[split]).combine_chunks()
    assert hashlib.sha256(content_digest(table)).hexdigest() == CONTENT[preset, k, split]
