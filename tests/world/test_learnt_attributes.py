"""Attributes of learnt worlds: one for a shape with many values, whatever their number."""

import clutrr


def test_a_shape_with_many_rare_values_is_one_attribute(tmp_path):
    """Forty towns, each named once or twice: nobody lives in two, so that it is one attribute."""
    towns = [f"Town{chr(65 + n % 26)}{chr(97 + n // 26)}" for n in range(40)]
    rows = []
    for number in range(60):
        town, other = towns[number % 40], towns[(number * 7 + 3) % 40]
        rows.append(
            {
                "story": f"[Bob] is [Ann]'s son. [Carl] is [Bob]'s brother. [Ann] is [Dan]'s wife. [Ann] lives in [{town}]. "
                f"[Carl] lives in [{other}].",
                "question": "What is Carl to Ann?",
                "answer": "son",
            }
        )
    learnt = clutrr.learn_world(rows, tmp_path / "world").to_json()
    living = [
        name for name, one in learnt["attributes"].items() if "lives in" in one["templates"][0]
    ]
    assert len(living) == 1
    assert len(learnt["attributes"][living[0]]["values"]) == 40


def test_values_that_somebody_has_two_of_stay_apart(tmp_path):
    """Everybody is into a sport and into a craft: two attributes with one shape."""
    sports, crafts = ["golf", "tennis", "rowing", "judo"], ["weaving", "pottery", "carving"]
    rows = []
    for number in range(120):
        into = [sports[number % 4], crafts[number % 3]]
        told = " ".join(f"[Ann] is into [{one}]." for one in into)
        rows.append(
            {
                "story": f"[Bob] is [Ann]'s son. [Carl] is [Bob]'s brother. [Ann] is [Dan]'s wife. {told}",
                "question": "What is Carl to Ann?",
                "answer": "son",
            }
        )
    learnt = clutrr.learn_world(rows, tmp_path / "world").to_json()
    values = sorted(sorted(one["values"]) for one in learnt["attributes"].values())
    assert values == sorted([sorted(sports), sorted(crafts)])
