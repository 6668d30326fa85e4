"""The page in a real browser: it opens, filters, walks through a proof, follows a link."""

import json
from collections import Counter

import pytest
from explore_files import write_data, write_page

from clutrr import explore, generate
from clutrr._measure import wilson
from clutrr._puzzle import CANNOT_BE_TOLD
from clutrr._reading import reader_of
from clutrr._solve import Judge

pytestmark = pytest.mark.process


def shown(page) -> str:
    """The id of the story that is open."""
    return page.inner_text("#story-title").removeprefix("Story ")


def matches(page) -> int:
    text = page.inner_text("#position")
    return 0 if text.startswith("No") else int(text.split(" of ")[1].replace(",", ""))


def wait_for(page, count: int) -> None:
    page.wait_for_function(
        f"() => document.querySelector('#position').textContent.endsWith(' of {count}')"
    )


def test_it_shows_the_story_and_the_question(browse, page_file, puzzles):
    page = browse(page_file)
    first = puzzles[0]
    assert shown(page) == first.id
    text = " ".join(page.text_content("#text").split())
    assert text == first.story.replace("[", "").replace("]", "")
    assert page.inner_text("#target") == first.target
    assert page.inner_text("#query").startswith(f"What is {first.query[1]} to {first.query[0]}?")
    names = page.eval_on_selector_all("#entities button", "all => all.map(one => one.textContent)")
    assert names == [person.name for person in first.entities]
    assert "All 36 stories" in page.inner_text("#about")
    assert page.locator("#drawing svg .question .label").text_content() == first.target
    assert page.locator("#drawing .entity.asked").count() == 2


def test_every_fact_is_a_sentence_and_a_curve(browse, page_file, puzzles, world):
    page = browse(page_file)
    first = puzzles[0]
    assert page.locator("#text .role-0").count() == first.k
    assert page.locator("#drawing .on-path .curve").count() == first.k
    sentences = reader_of(world).read(first.story).sentences
    assert page.locator("#text .role-2").count() == sum(not one.facts for one in sentences)
    page.check("#hide")
    assert page.locator("#text .role-2:visible").count() == 0
    assert page.locator("#text .role-0:visible").count() == first.k


def test_pointing_lights_both_ways(browse, page_file):
    page = browse(page_file)
    sentence = page.locator("#text .role-0").first
    fact = sentence.get_attribute("data-facts")
    sentence.hover()
    lit = page.eval_on_selector_all(
        "#drawing g.lit:has(.curve)", "all => all.map(g => g.dataset.fact)"
    )
    assert lit == [fact]
    page.locator("h1").hover()
    assert page.locator(".lit").count() == 0
    page.locator(f"#drawing g[data-fact='{fact}'] .label").hover()
    facts = page.eval_on_selector_all("#text .sentence.lit", "all => all.map(s => s.dataset.facts)")
    assert facts == [fact]
    button = page.locator("#entities button").first
    button.focus()
    person = button.get_attribute("data-entity")
    named = "all => all.map(s => s.dataset.entities.split(' '))"
    everybody = page.eval_on_selector_all("#text .sentence", named)
    lit = page.eval_on_selector_all("#text .sentence.lit", named)
    assert [people for people in everybody if person in people] == lit


def test_it_walks_through_a_proof(browse, page_file, puzzles, world):
    page = browse(page_file)
    first = puzzles[0]
    proof = Judge(world, "tree").solver.explain(first.facts, first.query).proof
    steps = page.locator(".steps button")
    assert steps.count() == len(proof.steps)
    for i, step in enumerate(proof.steps):
        page.click("#step")
        assert steps.nth(i).get_attribute("aria-pressed") == "true"
        ((head, (relation,), tail),) = step.premises
        assert steps.nth(i).inner_text().startswith(world.say(head, relation, tail))
        lit = page.locator("#text .sentence.lit")
        assert lit.count() == 1
        assert head in lit.inner_text()
        assert tail in lit.inner_text()
        assert page.locator("#drawing .lit .curve").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".lit").count() == 0


def test_alternatives_each_have_a_family(browse, page_file, puzzles, world):
    page = browse(page_file, "#verdict=undetermined")
    judge, reader = Judge(world, "tree"), reader_of(world)
    wavering = [p for p in puzzles if len(judge.solver.verdict(p.facts, p.query).relations) > 1]
    assert wavering
    assert matches(page) == len(wavering)
    assert shown(page) == wavering[0].id
    possible = judge.solver.verdict(
        reader.read(wavering[0].story).facts, wavering[0].query
    ).relations
    labels = page.eval_on_selector_all(
        "#alternatives figure .question .label", "all => all.map(t => t.textContent)"
    )
    assert set(possible) <= set(labels)


def test_a_question_that_cannot_be_told_says_what_is_possible(browse, tmp_path):
    puzzles = [
        p
        for p in generate("mixed", k=3, size=20, seed=1, assume="tree")
        if p.target == CANNOT_BE_TOLD
    ]
    page = browse(write_page(write_data(tmp_path, puzzles[:1]), tmp_path / "page.html"))
    first, last = puzzles[0].query
    said = page.inner_text("#verdict")
    assert f"more than one answer is possible: {last} can be {first}'s " in said
    assert all(relation in said for relation in puzzles[0].possible)


def test_filters_and_charts_agree_with_the_data(browse, page_file, puzzles):
    page = browse(page_file)
    page.select_option("select[name=subset]", "M4")
    wait_for(page, 24)
    assert shown(page) == next(p.id for p in puzzles if p.k == 4)
    target, count = Counter(p.target for p in puzzles if p.k == 4).most_common(1)[0]
    bar = (
        page.locator("#charts div", has_text="Labels")
        .locator("button")
        .filter(has_text=target)
        .first
    )
    bar.click()
    wait_for(
        page, sum(p.target == page.input_value("select[name=target]") for p in puzzles if p.k == 4)
    )
    assert matches(page) <= count
    page.click("#clear")
    wait_for(page, len(puzzles))
    assert page.is_disabled("#clear")


def test_free_text_is_found(browse, page_file, puzzles):
    page = browse(page_file)
    name = puzzles[20].entities[0].name
    page.keyboard.press("/")
    page.keyboard.type(name.upper())
    wait_for(page, sum(name.lower() in p.story.lower() for p in puzzles))
    page.fill("input[name=text]", "no story has these words")
    page.wait_for_function(
        "() => document.querySelector('#position').textContent === 'No story matches'"
    )
    assert page.is_hidden("#main")


def test_runs_stand_side_by_side(browse, page_file, puzzles):
    page = browse(page_file)
    rows = page.locator("#answers tr")
    assert rows.nth(1).inner_text().split("\t")[:4] == ["by3", "aunt", "75.0 %", "✗ wrong"]
    assert rows.nth(2).inner_text().split("\t")[:4] == ["by5", "aunt", "75.0 %", "✗ wrong"]
    page.select_option("select[name=run0]", "wrong")
    wait_for(page, sum(i % 3 == 0 for i in range(len(puzzles))))
    page.select_option("select[name=run1]", "right")
    wait_for(page, sum(i % 3 == 0 and i % 5 != 0 for i in range(len(puzzles))))
    page.click("#clear")
    page.select_option("select[name=runs]", "differ")
    wait_for(page, sum((i % 3 == 0) != (i % 5 == 0) for i in range(len(puzzles))))
    page.click("#clear")
    wait_for(page, len(puzzles))
    chart = page.locator("#charts > div").filter(has_text="Accuracy by length")
    right = sum(i % 3 != 0 for i, p in enumerate(puzzles) if p.k == 3)
    assert f"{100 * right / 12:.1f} %" in chart.locator("button").first.inner_text()
    curves = chart.locator(".curves .curve")
    assert curves.count() == chart.locator(".curves .band").count() == 2
    points = [point.split(",") for point in curves.first.get_attribute("points").split()]
    lengths = sorted({p.k for p in puzzles})
    assert len(points) == len(lengths)
    # At 0 and at 100 %.
    y = [float(chart.locator(".curves .rule").nth(n).get_attribute("y1")) for n in (0, 2)]
    assert float(points[0][1]) == pytest.approx(y[0] + (y[1] - y[0]) * right / 12, abs=0.1)
    edge = chart.locator(".curves .band").first.get_attribute("points").split()[0].split(",")
    low, _ = wilson(right, 12)
    assert float(edge[1]) == pytest.approx(y[0] + (y[1] - y[0]) * low / 100, abs=0.1)
    chart.locator("button").first.click()
    wait_for(page, 12)


def test_a_link_leads_back(browse, page_file, puzzles):
    page = browse(page_file)
    page.select_option("select[name=subset]", "M4")
    wait_for(page, 24)
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('#position').textContent === '2 of 24'")
    address = page.get_attribute("#link", "href")
    assert page.url.endswith(address)
    again = browse(page_file, address)
    assert shown(again) == shown(page)
    assert again.inner_text("#position") == "2 of 24"
    assert again.input_value("select[name=subset]") == "M4"
    again.evaluate("location.hash = '#story=nobody&subset=M9&<b>=1&length=3&item=4&__proto__=5'")
    wait_for(again, len(puzzles))


def test_replies_are_read_one_after_the_other(browse, puzzles, tmp_path):
    line = {
        "sample": 0,
        "ask": "which",
        "relations": [],
        "messages": [{"role": "user", "content": "What?"}],
    }
    lines = [
        {
            **line,
            "id": one.id,
            "subset": f"M{one.k}",
            "target": one.target,
            "reply": f"Answer: {one.target}",
        }
        for one in puzzles
    ]
    (tmp_path / "said.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    data = write_data(tmp_path, puzzles)
    page = browse(write_page(data, tmp_path / "page.html", [tmp_path / "said.jsonl"]))
    assert page.locator("#answers th[scope=col]").all_inner_texts() == ["model", "answer", ""]
    assert not page.is_visible("details.reply pre")
    page.click("details.reply > summary")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "() => document.querySelector('#position').textContent.startsWith('2 of')"
    )
    assert page.inner_text("details.reply > pre") == f"Answer: {puzzles[1].target}"
    assert not page.is_visible("details.reply details pre")
    page.click("details.reply details summary")
    assert page.inner_text("details.reply details pre") == "What?"


def test_hostile_text_is_text(browse, hostile_page, hostile):
    page = browse(hostile_page)
    assert page.title() == "Data set <i>data.jsonl"
    assert page.inner_text("#data-name") == "<i>data.jsonl"
    assert shown(page) == hostile["id"]
    text = " ".join(page.text_content("#text").split())
    assert text == hostile["story"].replace("[", "").replace("]", "")
    assert (
        page.locator(
            "#columns img, #columns script, #columns i, #columns u, #columns [onload]"
        ).count()
        == 0
    )
    assert page.locator("#entities button").first.inner_text() == hostile["query"][0]


def test_a_sample_says_so(browse, tmp_path):
    puzzles = [p for k in (3, 4, 5, 6) for p in generate("published", k=k, size=40, seed=1)]
    page = browse(write_page(write_data(tmp_path, puzzles), tmp_path / "page.html", limit=110))
    assert "A sample: 110 of 160 stories" in page.inner_text("#about")
    page.fill("input[name=text]", puzzles[-1].entities[0].name)
    page.wait_for_function("() => !document.querySelector('#position').textContent.endsWith('110')")


def test_a_phone_need_not_scroll_sideways_and_paper_shows_the_story_alone(browse, page_file):
    page = browse(page_file)
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.set_viewport_size({"width": 1440, "height": 1000})
    page.emulate_media(media="print", color_scheme="dark")
    assert [page.is_visible(part) for part in ("#filters", "#charts", "#text")] == [
        False,
        False,
        True,
    ]
    assert (
        page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        == "rgb(255, 255, 255)"
    )
    page.emulate_media(media="screen", color_scheme="light")


def test_everything_has_a_name_for_a_screen_reader(browse, page_file):
    page = browse(page_file)
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, select, input, a, svg, section, aside, nav")]
        .filter((e) => !(e.textContent.trim() || e.getAttribute("aria-label") || e.labels?.length))
        .map((e) => e.outerHTML)"""
    )
    assert nameless == []
    assert page.get_attribute("#position", "aria-live") == "polite"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"


def test_facts_off_the_path_are_drawn_apart(browse, tmp_path):
    noise = {"supporting": 2, "irrelevant": 1, "disconnected": 1}
    (first,) = generate("sound", k=3, size=1, seed=3, noise=noise)
    page = browse(write_page(write_data(tmp_path, [first]), tmp_path / "page.html"))
    assert (
        page.locator("#drawing .on-path .curve").count()
        == page.locator("#text .role-0").count()
        == 3
    )
    off = page.locator("#drawing .fact:not(.on-path) .curve")
    assert off.count() == page.locator("#text .role-1").count() == 4

    def look(curve, what):
        return curve.evaluate(f"one => getComputedStyle(one).{what}")

    on = page.locator("#drawing .on-path .curve")
    for what in ("strokeDasharray", "stroke"):
        assert look(on.first, what) != look(off.first, what)
    for key in ("#legend", ".key"):
        assert "fact off the path" in page.inner_text(key)


def test_denials_are_struck_and_statements_listed(browse, tmp_path):
    story = "[Dan] is a child of [Ann]. [Dan] is not [Ann]'s son. [Ann] has no sisters."
    row = {"id": "one", "story": story, "query": ["Ann", "Dan"], "target": "daughter"}
    (tmp_path / "data.jsonl").write_text(json.dumps(row) + "\n")
    page = browse(write_page(tmp_path / "data.jsonl", tmp_path / "page.html"))
    listed = page.locator("#statements li").all_inner_texts()
    assert [" ".join(one.split()) for one in listed] == [
        "alternatives Dan is Ann's daughter or son.",
        "denial Dan is not Ann's son.",
        "closure Ann has no sisters.",
    ]
    denied = page.locator("#drawing .fact.denied")
    assert denied.locator(".label").text_content() == "not son"
    assert denied.locator(".strike").count() == 1
    assert page.locator("#drawing .fact.vague .label").text_content() == "daughter or son"
    assert page.is_visible("#key-denied")
    assert page.is_visible("#key-vague")
    page.locator("#statements .stated").nth(1).hover()
    lit = page.locator("#text .sentence.lit").all_inner_texts()
    assert lit == ["Dan is not Ann's son."]


def test_a_denial_is_struck_in_a_drawing_to_scale(browse, tmp_path):
    story = "[Beck] lies north of [Ayford]. [Cole] lies east of [Beck]. [Cole] does not lie south of [Ayford]."
    row = {"id": "one", "story": story, "query": ["Ayford", "Cole"], "target": "north-east of"}
    (tmp_path / "data.jsonl").write_text(json.dumps(row) + "\n")
    data, world = tmp_path / "data.jsonl", "directions"
    page = browse(explore(data, out=tmp_path / "page.html", world=world).page)
    assert page.locator("#drawing .fact.denied .strike").count() == 1
    assert page.locator("#drawing .fact.denied title").text_content() == "not south of"


def test_buttons_and_keys_move(browse, page_file, puzzles):
    page = browse(page_file)
    assert page.is_disabled("#previous")
    page.click("#next")
    for number, key in ((1, "ArrowRight"), (2, "ArrowLeft"), (1, "Escape")):
        title = (
            f"document.querySelector('#story-title').textContent.endsWith('{puzzles[number].id}')"
        )
        page.wait_for_function(f"() => {title}")
        page.keyboard.press(key)
