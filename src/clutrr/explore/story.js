// One story: its sentences, people, question, proof and alternatives; and what lights up with what.

const byId = (id) => document.getElementById(id);

function chip(story, person, name = "span") {
  const asked = story.query.includes(person);
  const properties = { class: `chip p${person % 12}${asked ? " asked" : ""}`, "data-person": person };
  if (name === "button") properties.type = "button";
  return el(name, properties, story.people[person]);
}

function showStory(stories, row, story) {
  const asked = stories.get(row, "target");
  const split = stories.get(row, "split");
  byId("story-title").textContent = `Story ${story.id}`;
  byId("facts-of-story").textContent = [stories.get(row, "subset"), split, `pattern ${stories.get(row, "pattern")}`].filter(Boolean).join(" · ");
  byId("people").replaceChildren(...story.people.map((_, person) => chip(story, person, "button")));
  byId("text").replaceChildren(...story.parts.flatMap((part) => [sentence(stories, story, part), " "]));
  const shown = story.shows === undefined || story.shows === asked ? asked : story.shows ? `${story.shows}, not ${asked}` : `not ${asked}`;
  byId("drawing").replaceChildren(drawFamily(story, story.family, shown));
  byId("words").replaceChildren(...story.family.knots.map((knot) => el("li", {}, coupleWords(story, story.family, knot) + ".")));
  showQuestion(stories, row, story, asked);
  showReadings(stories, story);
  showProof(story);
  showAlternatives(story);
}

function sentence(stories, story, part) {
  const [role, facts] = part;
  const pieces = stories.pieces(story, part);
  const shown = pieces.map((p) => typeof p === "string" ? p : "person" in p ? chip(story, p.person) : el("span", { class: "value" }, p.value));
  const people = pieces.filter((p) => p.person !== undefined).map((p) => p.person);
  return el("span", {
    class: `sentence role-${role}`, "data-facts": facts.join(" "), "data-people": [...new Set(people)].join(" "),
    tabindex: facts.length ? 0 : false,
  }, ...shown);
}

function showQuestion(stories, row, story, asked) {
  const [first, last] = story.query;
  byId("query").replaceChildren("What is ", chip(story, last), " to ", chip(story, first), "? ", el("strong", { id: "target" }, asked));
  const verdict = stories.get(row, "verdict");
  const mood = { proved: "good", undetermined: "unsure", unread: "unsure", "not decided": "unsure" }[verdict.split(",")[0]] ?? "bad";
  byId("verdict").replaceChildren(el("span", { class: `verdict ${mood}` }, verdict), " ", explanation(story, verdict, asked));
  const runs = stories.index.about.runs;
  const rows = runs.map((name, run) => {
    const given = stories.index.answers[run][row];
    const answer = given < 0 ? "no answer" : stories.index.names.target[given];
    const sure = stories.index.probabilities[run][row];
    const right = answer === asked;
    const mark = given < 0 ? "" : right ? "✓ right" : "✗ wrong";
    return el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, answer), el("td", {}, sure === null ? "" : `${(100 * sure).toFixed(1)} %`), el("td", { class: right ? "good" : "bad" }, mark));
  });
  const head = el("tr", {}, ...["run", "answer", "probability", ""].map((name) => el("th", { scope: "col" }, name)));
  byId("answers").replaceChildren(...(runs.length ? [el("table", {}, el("caption", { class: "properties" }, "What the models answered"), head, ...rows)] : []));
}

// What a model read, beside the facts of the data; the way it took; how it put that together.
function showReadings(stories, story) {
  const percent = (share) => `${(100 * share).toFixed(0)} %`;
  const shown = (story.read ?? []).flatMap((read, run) => {
    if (!read) return [];
    const head = el("tr", {}, ...["believed", "how surely", "a fact is stated", "fact of the data"].map((name) => el("th", { scope: "col" }, name)));
    const rows = read.believed.map(([one, relation, other, share, stated, fact]) => el("tr", {},
      el("td", {}, `${other} is ${one}'s ${relation}`), el("td", {}, percent(share)), el("td", {}, percent(stated)),
      el("td", { class: fact === null ? "" : fact === relation ? "good" : "bad" }, fact === null ? "none" : fact === relation ? `✓ ${fact}` : `✗ ${fact}`)));
    const way = read.way.length ? `Way taken: ${read.way.join(" → ")}.` : "No way between the two was found.";
    const steps = read.steps.map(([a, b, c, first, second, result]) =>
      el("li", {}, `${b} is ${a}'s ${first}, ${c} is ${b}'s ${second}; so ${c} is ${a}'s ${result}.`));
    return [
      el("h3", {}, `What ${stories.index.about.runs[run]} read`), el("table", {}, head, ...rows),
      el("p", { class: "way" }, way), ...(steps.length ? [el("ol", { class: "composed" }, ...steps)] : []),
    ];
  });
  byId("read").replaceChildren(...shown);
}

function explanation(story, verdict, asked) {
  const [first, last] = story.query.map((person) => story.people[person]);
  const can = story.answers && story.answers.length ? `${last} can be ${first}'s ${list(story.answers, "or")}` : `${last} can be nothing of the label set to ${first}`;
  const texts = {
    "proved, entailed": "The facts prove the target; nothing else is possible.",
    "proved, not entailed": "The target is the only relation of the label set that is possible; outside of it something else is, as shown below.",
    undetermined: `More than one answer is possible: ${can}.`,
    refuted: `The facts rule the target ${asked} out: ${can}.`,
    contradictory: "The facts contradict each other.",
    "not decided": "The solver stopped at its limit before it knew what is possible.",
    unread: story.unasked ? "Nothing follows: the facts do not name both people of the question, or the two are one person." : "A sentence on kinship was not understood; the rest is by the facts that the data lists.",
  };
  return texts[verdict];
}

function showProof(story) {
  const [first] = story.query;
  const name = (person) => story.people[person];
  const facts = (numbers) => el("ul", { class: "plain" }, ...numbers.map((n) => el("li", {}, el("span", { "data-facts": n, tabindex: 0, class: "stated" }, said(story, story.facts[n]) + "."))));
  const shown = [];
  if (story.conflict) shown.push(el("h3", {}, "These facts cannot all hold"), facts(story.conflict));
  if (story.proof) {
    const steps = story.proof.steps.map(([fact, person, relations, other], i) => {
      let text = said(story, story.facts[fact]);
      if (i > 0 || story.facts[fact][0] !== first) {
        const can = relations.length ? [`${name(first)}'s ${list(relations, "or")}`] : [];
        if (other) can.push(`a ${other} of ${name(first)}`);
        text += `; so ${name(person)} is ${can.join(", or ")}`;
      }
      return el("li", {}, el("button", { type: "button", "data-facts": fact, "data-step": i, "aria-pressed": "false" }, text + "."));
    });
    shown.push(el("h3", {}, "Proof, step by step ", el("button", { type: "button", id: "step" }, "Next step")), el("ol", { class: "steps" }, ...steps));
    if (story.proof.besides.length) shown.push(el("h3", {}, "Besides"), facts(story.proof.besides));
    if (story.proof.ruled.length) {
      shown.push(el("h3", {}, "Why nothing else"), el("ul", { class: "plain" }, ...story.proof.ruled.map(([relation, why]) =>
        el("li", {}, `Not ${relation}: it would contradict `, el("span", { "data-facts": why.join(" "), tabindex: 0, class: "stated" }, why.map((n) => said(story, story.facts[n])).join("; ") + ".")))));
    }
  }
  byId("proof").replaceChildren(...shown);
}

function showAlternatives(story) {
  const alternatives = story.alternatives ?? [];
  const [first, last] = story.query.map((person) => story.people[person]);
  const figures = alternatives.map(([relation, family]) => {
    const known = story.answers.includes(relation);
    const called = known ? `${last} as ${first}'s ${relation}` : `${last} as a ${relation} of ${first}`;
    const picture = el("div", { class: "drawing" }, drawFamily(story, family, relation));
    return el("figure", {}, el("figcaption", {}, called + (known ? "" : ", outside the label set")), picture);
  });
  const title = story.proof || !story.answers?.length ? "Possible outside the label set" : "Possible answers, each with a family that shows it";
  byId("alternatives").replaceChildren(...(figures.length ? [el("h3", {}, title), el("div", { class: "alternatives" }, ...figures)] : []));
}

// Light facts and people by number. A person alone lights every sentence that names them.
function light(facts, people) {
  const has = (text, set) => (text ?? "").split(" ").some((n) => n !== "" && set.has(Number(n)));
  document.body.classList.toggle("lighting", facts.size > 0 || people.size > 0);
  for (const curve of document.querySelectorAll("svg [data-fact]")) curve.classList.toggle("lit", facts.has(Number(curve.dataset.fact)));
  for (const node of document.querySelectorAll("svg .person")) node.classList.toggle("lit", people.has(Number(node.dataset.person ?? -1)));
  for (const span of document.querySelectorAll(".sentence")) {
    span.classList.toggle("lit", has(span.dataset.facts, facts) || (people.size === 1 && has(span.dataset.people, people)));
  }
}

// What lights up with an element: its facts and their people, or a person and their facts.
function lightOf(story, element) {
  const found = element.closest("[data-fact], [data-facts], [data-person]");
  if (!found || !story) return [new Set(), new Set()];
  if (found.dataset.person !== undefined) {
    const person = Number(found.dataset.person);
    const facts = story.facts.flatMap(([head, , tail], n) => (head === person || tail === person ? [n] : []));
    return [new Set(facts), new Set([person])];
  }
  const numbers = (found.dataset.fact ?? found.dataset.facts).split(" ").filter((n) => n !== "").map(Number);
  const people = numbers.flatMap((n) => (n < 0 ? story.query : [story.facts[n][0], story.facts[n][2]]));
  return [new Set(numbers), new Set(people)];
}
