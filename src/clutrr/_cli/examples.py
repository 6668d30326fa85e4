"""The two examples that the help of each command ends with. A test runs every one of them."""

EXAMPLES = {
    "generate": (
        "clutrr generate stories --k 2-4 --train 200 --test 50",
        "clutrr generate prose --k 3 --style prose --noise irrelevant=1 --train 100 --test 20",
    ),
    "book": (
        "clutrr book village --with ages,places --entities 60 --questions 50",
        "clutrr book map --world directions --with regions --entities 40 --hops 1-3 --questions 20",
    ),
    "convert": (
        "clutrr convert stories stories.csv",
        "clutrr convert stories entailed --only entailed --assume open",
    ),
    "learn-world": (
        "clutrr learn-world stories wording",
        "clutrr learn-world stories wording --force --json",
    ),
    "chains": (
        "clutrr chains stories chains",
        "clutrr chains stories judged --wrong 1 --errors misread,form --to processbench",
    ),
    "info": ("clutrr info stories", "clutrr info run"),
    "explore": (
        "clutrr explore stories --out stories.html --limit 100",
        "clutrr explore stories --out errors.html --run run --limit 100",
    ),
    "solve": (
        """clutrr solve --story "Bob is Ann's son. Eve is Bob's sister." --query Ann Eve""",
        """clutrr solve --story "Bob is Ann's son." --query Bob Ann --json""",
    ),
    "audit": (
        "clutrr audit stories",
        "clutrr audit stories --train-on 2-3 --rows findings.parquet",
    ),
    "train": (
        "clutrr train stories run --model composer --k 2-3 --epochs 3",
        "clutrr train stories lstm --model lstm --k 2 --epochs 2 --device cpu",
    ),
    "evaluate": ("clutrr evaluate run stories", "clutrr evaluate run stories --split train --json"),
    "score": (
        "clutrr score stories answers.jsonl --steps",
        "clutrr score stories answers.jsonl run --to side-by-side",
    ),
    "prompts": (
        "clutrr prompts stories --limit 10",
        "clutrr prompts stories --form choice --direct --shots 2 > prompts.jsonl",
    ),
    "ask": (
        "clutrr ask stories answers.jsonl --model NAME --limit 20",
        "clutrr ask stories more.jsonl --model NAME --base-url http://localhost:8000/v1 --limit 20",
    ),
    "tasks": (
        "ls $(clutrr tasks lm-eval)",
        "inspect eval $(clutrr tasks inspect) -T size=4 --model mockllm/model",
    ),
    "reproduce": (
        "clutrr reproduce mine --matrix mine.yaml",
        "clutrr reproduce more --matrix mine.yaml --models gnn --seeds 2",
    ),
    "report": ("clutrr report mine --to page", "clutrr report mine more --to both"),
    "paths": ("clutrr paths", "clutrr paths --levels 2 --max-edges 4"),
}


def ending(command: str) -> str:
    """Return the end of a command's help: paragraphs, since typer joins the lines of one."""
    return "\n\n".join(("Examples:", *(f"  {line}" for line in EXAMPLES[command])))
