"""The folder of an encoder may come from anybody: nothing in it is run, and what is wrong is one line."""

import json
import os
import pickle
import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from clutrr._generate import Config
from clutrr._train.config import TrainConfig
from clutrr._train.job import TrainJob, run_training
from clutrr._train.matrix import Generated, Matrix
from clutrr._train.reproduce import _claim
from clutrr._train.run import load_run
from clutrr.errors import ConfigError, DataError, OutputError
from clutrr.models.text.encoder import try_encoder

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from safetensors.torch import load_file, save_file  # noqa: E402

from commands import refused  # noqa: E402
from tiny import tiny_encoder  # noqa: E402

WEIGHTS = "model.safetensors"


@pytest.fixture(scope="module")
def sound(data, tmp_path_factory) -> Path:
    from clutrr._data import open_dataset

    stories = [
        text for part in open_dataset(data).parts() for text in part.table["story"].to_pylist()
    ]
    return tiny_encoder(tmp_path_factory.mktemp("encoder"), stories)


@pytest.fixture
def folder(sound, tmp_path) -> Path:
    return shutil.copytree(sound, tmp_path / "encoder")


def settings(name: str = "config.json", **changes: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        content = json.loads((folder / name).read_text())
        (folder / name).write_text(json.dumps(content | changes))

    return change


tokens = partial(settings, "tokenizer.json")


def weights(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    def changed(folder: Path) -> None:
        held = load_file(folder / WEIGHTS)
        change(held)
        save_file(held, folder / WEIGHTS)

    return changed


def job(data: Path, run: Path, encoder: Path | str) -> TrainJob:
    config = TrainConfig("pairs", (2,), epochs=1, encoder=str(encoder))
    return TrainJob(data, run, config, torch.device("cpu"))


def text(name: str, content: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_text(content)


def only_a_pickle(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Harmful(folder)))


class Harmful:
    def __init__(self, folder: Path) -> None:
        self.mark = folder.with_name("was-run")

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


def a_pickle_by_an_index(folder: Path) -> None:
    only_a_pickle(folder)
    placed = {"weight_map": {"embeddings.word_embeddings.weight": "pytorch_model.bin"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(placed))


def other_files_by_an_index(folder: Path) -> None:
    (folder / WEIGHTS).rename(folder.with_name("other.safetensors"))
    placed = {"weight_map": {"embeddings.word_embeddings.weight": "../other.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(placed))


def its_own_program(folder: Path) -> None:
    """Under a kind of model that transformers does not know."""
    settings(
        model_type="mine",
        auto_map={"AutoConfig": "mine.C", "AutoModel": "mine.M", "AutoTokenizer": "mine.T"},
    )(folder)
    (folder / "mine.py").write_text(f"import os\nos.mkdir({str(folder.with_name('was-run'))!r})\n")


def cut(folder: Path) -> None:
    whole = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(whole[: len(whole) // 2])


def a_huge_header(folder: Path) -> None:
    (folder / WEIGHTS).write_bytes((1 << 62).to_bytes(8, "little") + b"{}")


def more_than_the_files_hold(folder: Path) -> None:
    settings(vocab_size=1_000_000, hidden_size=1_000_000, num_attention_heads=1)(folder)


def without(key: str) -> Callable[[dict[str, Any]], Any]:
    return lambda held: held.pop(key)


def a_link_to_no_end(folder: Path) -> None:
    (folder / "config.json").unlink()
    (folder / "config.json").symlink_to("/dev/zero")


QUERY = "encoder.layer.0.attention.self.query.weight"
SPOILED: dict[str, tuple[Callable[[Path], Any], str]] = {
    "a pickle": (only_a_pickle, "is a pickle, which can run programs"),
    "a pickle by an index": (a_pickle_by_an_index, "is a pickle, which can run programs"),
    "files of another folder": (other_files_by_an_index, "no model.safetensors in it"),
    "its own program": (its_own_program, "none of the encoders"),
    "a kernel to fetch": (
        settings(attn_implementation="somebody/kernel"),
        "attn_implementation is not",
    ),
    "other weights": (
        settings(transformers_weights="x.safetensors"),
        "transformers_weights is not",
    ),
    "packed weights": (
        settings(quantization_config={"quant_method": "hqq"}),
        "quantization_config is not",
    ),
    "an adapter": (text("adapter_config.json", '{"base_model_name_or_path": "x/y"}'), "an adapter"),
    "no JSON": (text("config.json", "[" * 100_000), "config.json cannot be read"),
    "not an object": (text("config.json", "[]"), "not an object"),
    "5,000 digits": (
        text("config.json", '{"a": ' + "9" * 5000 + "}"),
        "config.json cannot be read",
    ),
    "large settings": (text("config.json", '{"a": "' + "x" * (1 << 23) + '"}'), "larger than 4 MB"),
    "no kind": (settings(model_type=3), "none of the encoders"),
    "a kind for pictures": (settings(model_type="vit"), "encoder: "),
    "an endless file": (a_link_to_no_end, "holds no encoder"),
    "a million layers": (settings(num_hidden_layers=1_000_000), "layers are too many"),
    "groups of layers": (
        settings(model_type="albert", num_hidden_groups=10_000, inner_group_num=10_000),
        "layers are too many",
    ),
    "a thousand million labels": (settings(num_labels=10**9), "too much"),
    "more than there is": (more_than_the_files_hold, "asks for"),
    "another size": (settings(hidden_size=64), "encoder: "),
    "no size": (settings(hidden_size=0), "encoder: "),
    "few places": (settings(max_position_embeddings=100), "encoder: "),
    "cut weights": (cut, "its weights cannot be read"),
    "a huge header": (a_huge_header, "its weights cannot be read"),
    "no header": (text(WEIGHTS, ""), "its weights cannot be read"),
    "no numbers": (weights(lambda held: held[QUERY].fill_(float("nan"))), "not numbers"),
    "a missing weight": (weights(without(QUERY)), "1 weights are not in its files"),
    "a wrong shape": (weights(lambda held: held.update({QUERY: torch.zeros(3, 3)})), "encoder: "),
    "no tokenizer": (text("tokenizer.json", "{}"), "encoder: "),
    "a tokenizer that is no JSON": (text("tokenizer.json", "[" * 100_000), "encoder: "),
    "a large tokenizer": (text("tokenizer.json", " " * (1 << 27)), "larger than 64 MB"),
    "other tokens": (
        tokens(model={"type": "WordLevel", "vocab": {"[UNK]": 99_999_999}, "unk_token": "[UNK]"}),
        "encoder: its tokenizer has",
    ),
    "a tokenizer of its own": (
        lambda folder: (
            text(
                "tokenizer_config.json",
                '{"tokenizer_class": "T", "auto_map": {"AutoTokenizer": ["m.T", "m.T"]}}',
            )(folder),
            text("m.py", f"import os\nos.mkdir({str(folder.with_name('was-run'))!r})\n")(folder),
            (folder / "tokenizer.json").unlink(),
        ),
        "encoder: ",
    ),
}


@pytest.fixture
def on_the_hub(tmp_path, monkeypatch) -> Callable[[Path], str]:
    """Puts an encoder where a download from the hub would have put it; nothing else can be reached."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.chdir(tmp_path)

    def download(folder: Path) -> str:
        kept, commit = tmp_path / "hub/models--some--encoder", "0" * 40
        snapshot = kept / "snapshots" / commit
        for place in (snapshot, kept / "blobs", kept / "refs"):
            place.mkdir(parents=True)
        (kept / "refs/main").write_text(commit)
        for file in folder.iterdir():
            blob = file.rename(kept / "blobs" / file.name)
            (snapshot / file.name).symlink_to(Path("../../blobs") / blob.name)
        return "some/encoder"

    return download


FROM_THE_HUB = ("its own program", "an adapter", "a million layers", "cut weights")


@pytest.mark.parametrize(
    ("case", "hub"),
    [*((case, False) for case in SPOILED), *((case, True) for case in FROM_THE_HUB)],
)
def test_a_spoiled_encoder(folder, on_the_hub, case, hub):
    """One from the hub is no better known than a folder: the same is refused, in the same words."""
    spoil, says = SPOILED[case]
    spoil(folder)
    name, started = on_the_hub(folder) if hub else str(folder), time.process_time()
    with pytest.raises(ConfigError, match=says) as caught:
        try_encoder(name)
    assert time.process_time() - started < 60
    assert "\n" not in str(caught.value)
    assert not folder.with_name("was-run").exists()


def test_an_encoder_from_the_hub(data, folder, on_the_hub, tmp_path):
    by_name = run_training(
        job(data, tmp_path / "run", on_the_hub(shutil.copytree(folder, tmp_path / "copy")))
    )
    by_folder = run_training(job(data, tmp_path / "other", folder))
    assert [epoch.loss for epoch in by_name.epochs] == [epoch.loss for epoch in by_folder.epochs]
    load_run(tmp_path / "run")


@pytest.mark.parametrize("name", ["nobody/nothing", "no such name", "a/b/c"])
def test_an_encoder_that_is_not_on_the_hub(on_the_hub, name):
    with pytest.raises(ConfigError, match=f"encoder: {name} cannot be loaded: ") as caught:
        try_encoder(name)
    assert "\n" not in str(caught.value)


def test_a_run_without_its_encoder_asks_nobody(trained, on_the_hub, tmp_path, monkeypatch):
    """The path of what a run keeps may look like a name on the hub."""
    import huggingface_hub

    asked: list[str] = []
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda name, **_: asked.append(name))
    shutil.rmtree(shutil.copytree(trained, tmp_path / "run") / "encoder")
    with pytest.raises(DataError, match="not a folder"):
        load_run(Path("run"))
    assert asked == []


def test_a_refused_encoder_leaves_nothing(data, folder, tmp_path):
    SPOILED["no numbers"][0](folder)
    out = tmp_path / "run"
    asked = ["train", data, out, "--model", "pairs", "--k", "2", "--encoder", folder]
    assert "not numbers" in refused(*asked)
    assert not out.exists() or not list(out.iterdir())


def test_a_program_beside_a_known_kind_is_not_run(folder):
    its_own_program(folder)
    settings(model_type="bert")(folder)
    try_encoder(str(folder))
    assert not folder.with_name("was-run").exists()


def test_an_encoder_is_known_by_its_content(data, folder, tmp_path):
    first = run_training(job(data, tmp_path / "run", folder))
    again = job(data, tmp_path / "run", folder.rename(folder.with_name("moved")))
    assert run_training(again).epochs == first.epochs
    weights(lambda held: held[QUERY].add_(1.0))(folder.with_name("moved"))
    with pytest.raises(OutputError, match="another encoder"):
        run_training(again)


def test_an_experiment_knows_its_encoder_by_its_content(folder, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    generated = Generated(Config("described", (2,), test=0))
    matrix = Matrix((generated,), ((2,),), models=("pairs",), how=TrainConfig(encoder=str(folder)))
    _claim(matrix, out)
    _claim(matrix, out)
    weights(lambda held: held[QUERY].add_(1.0))(folder)
    with pytest.raises(OutputError, match=r"another content of .*encoder"):
        _claim(matrix, out)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (settings(vocab_size=1_000_000, hidden_size=100_000), "asks for"),
        (settings(num_hidden_layers=1_000_000), "layers are too many"),
        (settings(num_hidden_layers=3), "does not fit its model"),
        (text("config.json", "{"), "cannot be read"),
        (its_own_program, "none of the encoders"),
        (lambda folder: shutil.rmtree(folder), "not a folder"),
    ],
)
def test_what_a_run_keeps_of_its_encoder(trained, tmp_path, spoil, says):
    run = shutil.copytree(trained, tmp_path / "run")
    load_run(run)
    spoil(run / "encoder")
    with pytest.raises(DataError, match=says):
        load_run(run)
    assert not (run / "was-run").exists()


@pytest.fixture(scope="module")
def trained(data, sound, tmp_path_factory) -> Path:
    run = tmp_path_factory.mktemp("trained") / "run"
    run_training(job(data, run, sound))
    return run


GROWING = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "spoilt",
    [
        tokens(normalizer={"type": "Sequence", "normalizers": [GROWING] * 40}),
        tokens(padding={"strategy": {"Fixed": 1 << 60}, "direction": "Right", "pad_to_multiple_of": None,
                           "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"}),
        tokens(truncation={"max_length": 0, "stride": 1 << 40, "strategy": "LongestFirst",
                              "direction": "Right"}),
        tokens(normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA"}),
        tokens(model={"type": "Unigram", "unk_id": 99, "vocab": [["a", 0.0]]}),
        tokens(model={"type": "WordLevel", "vocab": {"[UNK]": 0, "a": 1}, "unk_token": "[nothing]"}),
        tokens(normalizer=GROWING | {"content": "a " * 5000}),
        *(settings(model_type=kind, backbone="resnet50", use_timm_backbone=True, use_pretrained_backbone=True)
          for kind in ("detr", "dpt", "upernet", "llava", "encoder-decoder")),
    ],
)  # fmt: skip
def test_a_tokenizer_ends_no_process_and_nothing_is_fetched(
    data, folder, tmp_path, monkeypatch, capfd, spoilt
):
    """Whatever a library does with such a folder, it is one line, and nobody is contacted."""

    def contacted(*_: Any, **__: Any) -> None:
        raise AssertionError("the network")

    monkeypatch.setattr("socket.socket.connect", contacted)
    spoilt(folder)
    with pytest.raises(ConfigError, match="encoder: ") as refusal:
        run_training(job(data, tmp_path / "run", folder))
    assert "\n" not in str(refusal.value)
    assert "the network" not in str(refusal.value)
    assert not (tmp_path / "run" / "checkpoint.safetensors").exists()
    assert capfd.readouterr().err.count("\n") <= 3
