"""The reward in TRL's own trainer, with a tiny model made on the spot."""

from pathlib import Path

import pytest

import clutrr
from clutrr.tasks import Questions

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
_CHAT = "{% for message in messages %}{{ message['role'] }} : {{ message['content'] }} {% endfor %}assistant :"


def tiny(texts):
    """A language model that knows the words of the texts, and nothing else."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    words = sorted({word for text in texts for word in text.replace("\n", " ").split()})
    known = {
        word: i
        for i, word in enumerate(["[PAD]", "[UNK]", "[END]", "assistant", "user", ":", *words])
    }
    tokenizer = Tokenizer(models.WordLevel(known, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", eos_token="[END]"
    )
    wrapped.chat_template = _CHAT
    config = LlamaConfig(
        vocab_size=len(known),
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=1024,
        pad_token_id=0,
        eos_token_id=2,
    )
    return LlamaForCausalLM(config), wrapped


def test_a_trainer_asks_for_the_reward(tmp_path):
    trl = pytest.importorskip("trl", reason="needs trl")
    data = Questions(clutrr.stream(preset="strict", k=(2, 3), distractors=0)).to_hf(8)
    rows = data.to_list()
    texts = [message["content"] for row in rows for message in row["prompt"]]
    answers = [f"Answer: {row['answer']}" for row in rows]
    model, tokenizer = tiny([*texts, *answers])
    seen = []

    def reward(completions, **columns):
        given = clutrr.reward(completions, **columns)
        said = [
            [{"role": "assistant", "content": f"Answer: {answer}"}] for answer in columns["answer"]
        ]
        seen.append((given, clutrr.reward(said, **columns)))
        return given

    trainer = trl.GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        reward_funcs=reward,
        train_dataset=data,
        args=trl.GRPOConfig(
            output_dir=str(tmp_path),
            max_steps=2,
            per_device_train_batch_size=4,
            num_generations=4,
            max_completion_length=8,
            report_to=[],
            use_cpu=True,
            save_strategy="no",
        ),
    )
    trainer.train()
    assert seen
    for given, right in seen:
        assert len(given) == len(right) == 4
        assert set(given) <= {0.0, 1.0}
        assert right == [1.0] * 4


def test_a_trainer_of_steps_learns_from_what_each_token_led_to(tmp_path, monkeypatch):
    """The first advantages of a batch, worked out anew from the steps of its replies."""
    pytest.importorskip("trl", reason="needs trl")
    import torch

    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "examples"))
    from train_by_steps import COLUMNS, PARTS, StepTrainer, trainer

    questions = Questions(clutrr.stream(preset="strict", k=(2, 3), distractors=0)).to_hf(16)
    texts = [message["content"] for row in questions.to_list() for message in row["prompt"]]
    said = "Bob is Ann's son. Answer: daughter"
    model, tokenizer = tiny([*texts, said])
    seen = []
    usual = StepTrainer._generate_and_score_completions

    def watched(self, inputs):
        made = usual(self, inputs)
        seen.append((inputs, made))
        return made

    monkeypatch.setattr(StepTrainer, "_generate_and_score_completions", watched)
    made = trainer(model, str(tmp_path), 2, processing_class=tokenizer, length=8)
    before = [weight.clone() for weight in model.parameters()]
    made.train()
    assert len(seen) == 2
    for inputs, batch in seen:
        ids, advantages = batch["completion_ids"], batch["advantages"]
        assert advantages.shape == ids.shape
        columns = {name: [row[name] for row in inputs] for name in COLUMNS if name in inputs[0]}
        replies = tokenizer.batch_decode(ids, skip_special_tokens=True)
        steps = clutrr.reward(replies, parts=PARTS, per_step=True, **columns)
        assert len(steps) == len(ids)
        assert torch.isfinite(advantages).all()
    assert any(
        not torch.equal(one, other) for one, other in zip(before, model.parameters(), strict=True)
    ) or all(not batch["advantages"].any() for _, batch in seen)
