// One story: its sentences, entities, question, proof and alternatives; and what lights up with what.

const byId = (id) => document.getElementById(id);

function chip(story, entity, name = "span", text = story.entities[entity]) {
  const asked = story.query.includes(entity);
  const properties = { class: `chip p${entity % 12}${asked ? " asked" : ""}`, "data-entity": entity };
  if (name === "button") properties.type = "button";
  return el(name, properties, text);
}

function showStory(stories, row, story) {
  const asked = stories.get(row, "target");
  const split = stories.get(row, "split");
  byId("story-title").textContent = `Story ${story.id}`;
  byId("facts-of-story").textContent = [stories.get(row, "subset"), split, `pattern ${stories.get(row, "pattern")}`].filter(Boolean).join(" · ");
  byId("entities").replaceChildren(...story.entities.map((_, entity) => chip(story, entity, "button")));
  byId("text").replaceChildren(...story.parts.flatMap((part) => [sentence(stories, story, part), " "]));
  const shown = story.shows === undefined || story.shows === asked ? asked : story.shows ? `${story.shows}, not ${asked}` : `not ${asked}`;
  showStatements(story);
  byId("drawing").replaceChildren(drawScene(story, story.scene, shown));
  byId("joints").textContent = story.scene.key;
  const lines = byId("joints").closest("ul").children; // a drawing to scale has none
  const kinds = new Set((story.statements ?? []).map(([kind]) => kind));
  for (const line of lines) line.hidden = Boolean(story.scene.scale);
  byId("key-vague").hidden = !kinds.has("alternatives") || Boolean(story.scene.scale);
  byId("key-denied").hidden = !kinds.has("denial");
  byId("joints").parentElement.hidden = !story.scene.key;
  byId("joints").parentElement.firstElementChild.hidden = Boolean(story.scene.scale);
  byId("words").replaceChildren(...story.scene.junctions.map((junction) => el("li", {}, junctionWords(story, story.scene, junction) + ".")));
  byId("in-words").hidden = !story.scene.junctions.length;
  showQuestion(stories, row, story, asked);
  showProof(story);
  showAlternatives(story);
}

// What the story states that is no fact, beside its text.
function showStatements(story) {
  const known = story.facts.length, statements = story.statements ?? [];
  byId("statements").replaceChildren(...statements.map(([kind, , , , , words], i) => el("li", {},
    el("span", { class: `kind ${kind}` }, kind), " ", el("span", { "data-facts": known + i, tabindex: 0, class: "stated" }, `${words}.`))));
  byId("besides").hidden = byId("key-stated").hidden = !statements.length;
}

function sentence(stories, story, part) {
  const [role, facts] = part;
  const pieces = stories.pieces(story, part);
  const shown = pieces.map((p) => typeof p === "string" ? p : "entity" in p ? chip(story, p.entity, "span", p.text) : el("span", { class: "value" }, p.value));
  const entities = pieces.filter((p) => p.entity !== undefined).map((p) => p.entity);
  return el("span", {
    class: `sentence role-${role}`, "data-facts": facts.join(" "), "data-entities": [...new Set(entities)].join(" "),
    tabindex: facts.length ? 0 : false,
  }, ...shown);
}

function showQuestion(stories, row, story, asked) {
  const [first, last] = story.query;
  const asks = story.asks ? [story.asks] : WORDS.question.split(/(\{[ab]\})/).map((piece) => ({ "{a}": chip(story, first), "{b}": chip(story, last) })[piece] ?? piece);
  byId("query").replaceChildren(...asks, " ", el("strong", { id: "target" }, asked));
  const verdict = stories.get(row, "verdict");
  const mood = { proved: "good", undetermined: "unsure", unread: "unsure", "not decided": "unsure" }[verdict.split(",")[0]] ?? "bad";
  byId("verdict").replaceChildren(el("span", { class: `verdict ${mood}` }, verdict), " ", explanation(story, verdict, asked));
  const runs = stories.index.about.runs;
  const surely = stories.index.probabilities.flat().some((sure) => sure !== null);
  const rows = runs.map((name, run) => {
    const given = stories.index.answers[run][row];
    const answer = given < 0 ? "no answer" : stories.index.names.target[given];
    const sure = stories.index.probabilities[run][row];
    const state = stories.index.states[run][row];
    const right = state === "right";
    const mark = given < 0 ? "" : right ? "✓ right" : `✗ ${state}`;
    return el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, answer), ...(surely ? [el("td", {}, sure === null ? "" : `${(100 * sure).toFixed(1)} %`)] : []), el("td", { class: right ? "good" : "bad" }, mark));
  });
  const head = el("tr", {}, ...["model", "answer", ...(surely ? ["probability"] : []), ""].map((name) => el("th", { scope: "col" }, name)));
  byId("answers").replaceChildren(...(runs.length ? [el("table", {}, el("caption", { class: "properties" }, "What the models answered"), head, ...rows), ...replies(runs, story)] : []));
}

// What each model was told and what it said, its claims coloured by what the story says to them.
function replies(runs, story) {
  const open = document.querySelector("details.reply[open]") ? "" : false; // whoever reads one reads the next
  return (story.replies ?? []).flatMap((found, run) => found ? [el("details", { class: "reply", open }, el("summary", {}, `The reply of ${runs[run]}`),
    ...[["Reasoning", ...found.reasoning], ["Reply", ...found.reply]].flatMap(([title, text, claims]) =>
      text ? [el("h3", {}, title), el("pre", {}, ...claimed(text, claims))] : []),
    ...(found.prompt ? [el("details", {}, el("summary", {}, "The prompt"), el("pre", {}, found.prompt))] : []))] : []);
}

function claimed(text, claims) {
  const pieces = [];
  const letters = [...text]; // places count characters, not halves of them
  let at = 0;
  for (const [start, end, standing, wrong] of claims) {
    if (start < at) continue;
    pieces.push(letters.slice(at, start).join(""), el("mark", { class: `claim ${standing}${wrong ? " wrong" : ""}`, title: standing }, letters.slice(start, end).join("")));
    at = end;
  }
  return [...pieces, letters.slice(at).join("")];
}

function explanation(story, verdict, asked) {
  const [first, last] = story.query.map((entity) => story.entities[entity]);
  const can = story.answers && story.answers.length ? `${last} can be ${related(first, list(story.answers, "or"))}` : `none of the labels fits what ${last} is to ${first}`;
  const texts = {
    "proved, entailed": "The facts prove the target; nothing else is possible.",
    "proved, not entailed": "The target is the only relation of the label set that is possible; outside of it something else is, as shown below.",
    "proved from what was read": "What was read proves the target; a sentence was not understood.",
    undetermined: `More than one answer is possible: ${can}.`,
    refuted: `The facts rule the target ${asked} out: ${can}.`,
    contradictory: "The facts contradict each other.",
    "not decided": "The solver stopped at its limit before it knew what is possible.",
    unread: story.unasked ? "Nothing follows: the facts do not name both entities of the question, or the two are one." : "A sentence about relations was not understood; the rest is by the facts that the data lists.",
  };
  const open = verdict.startsWith("proved") && story.answers.length > 1;
  return open ? `The target is right, since more than one answer is possible: ${can}.` : texts[verdict];
}

function showProof(story) {
  const name = (entity) => story.entities[entity];
  const facts = (numbers) => el("ul", { class: "plain" }, ...numbers.map((n) => el("li", {}, el("span", { "data-facts": n, tabindex: 0, class: "stated" }, item(story, n) + "."))));
  const shown = [];
  if (story.conflict) shown.push(el("h3", {}, story.statements ? "These statements cannot all hold" : "These facts cannot all hold"), facts(story.conflict));
  if (story.proof) {
    const steps = story.proof.steps.map(([facts, premises, claim, other], i) => {
      const before = i > 0 && String(story.proof.steps[i - 1][2]);
      let text = premises.filter((premise) => String(premise) !== before).map((premise) => typeof premise === "number" ? item(story, premise) : said(story, premise)).join(", and ");
      if (!premises.map(String).includes(String(claim))) {
        const can = claim[1].length ? [said(story, claim)] : [];
        if (other) can.push(`${can.length ? "" : `${name(claim[2])} is `}${unlabelled(other)} of ${name(claim[0])}`);
        text += `; so ${can.join(", or ")}`;
      }
      return el("li", {}, el("button", { type: "button", "data-facts": facts.join(" "), "data-step": i, "aria-pressed": "false" }, text + "."));
    });
    shown.push(el("h3", {}, "Proof, step by step ", el("button", { type: "button", id: "step" }, "Next step")), el("ol", { class: "steps" }, ...steps));
    if (story.proof.further.length) shown.push(el("h3", {}, "Besides"), facts(story.proof.further));
    if (story.proof.ruled.length) {
      shown.push(el("h3", {}, "Why nothing else"), el("ul", { class: "plain" }, ...story.proof.ruled.map(([relation, why]) =>
        el("li", {}, `Not ${relation}: it would contradict `, el("span", { "data-facts": why.join(" "), tabindex: 0, class: "stated" }, why.map((n) => item(story, n)).join("; ") + ".")))));
    }
  }
  byId("proof").replaceChildren(...shown);
}

function showAlternatives(story) {
  const alternatives = story.alternatives ?? [];
  const [first, last] = story.query.map((entity) => story.entities[entity]);
  const figures = alternatives.map(([relation, scene]) => {
    const known = story.answers.includes(relation);
    const called = known ? `${last}: ${related(first, relation)}` : `${last}: ${unlabelled(relation)} of ${first}`;
    const picture = el("div", { class: "drawing" }, drawScene(story, scene, relation));
    return el("figure", {}, el("figcaption", {}, called + (known ? "" : ", outside the label set")), picture);
  });
  const title = story.proof || !story.answers?.length ? "Possible outside the label set" : `Possible answers, each with a ${WORDS.scene} that shows it`;
  byId("alternatives").replaceChildren(...(figures.length ? [el("h3", {}, title), el("div", { class: "alternatives" }, ...figures)] : []));
}

// Light facts and entities by number. An entity alone lights every sentence that names it.
function light(facts, entities) {
  const has = (text, set) => (text ?? "").split(" ").some((n) => n !== "" && set.has(Number(n)));
  document.body.classList.toggle("lighting", facts.size > 0 || entities.size > 0);
  for (const curve of document.querySelectorAll("svg [data-fact]")) curve.classList.toggle("lit", facts.has(Number(curve.dataset.fact)));
  for (const node of document.querySelectorAll("svg .entity")) node.classList.toggle("lit", entities.has(Number(node.dataset.entity ?? -1)));
  for (const span of document.querySelectorAll(".sentence")) {
    span.classList.toggle("lit", has(span.dataset.facts, facts) || (entities.size === 1 && has(span.dataset.entities, entities)));
  }
}

// What lights up with an element: its facts and their entities, or an entity and its facts.
function lightOf(story, element) {
  const found = element.closest("[data-fact], [data-facts], [data-entity]");
  if (!found || !story) return [new Set(), new Set()];
  if (found.dataset.entity !== undefined) {
    const entity = Number(found.dataset.entity);
    const stated = [...story.facts, ...(story.statements ?? [])].map((_, n) => n);
    return [new Set(stated.filter((n) => about(story, n).includes(entity))), new Set([entity])];
  }
  const numbers = (found.dataset.fact ?? found.dataset.facts).split(" ").filter((n) => n !== "").map(Number);
  const entities = numbers.flatMap((n) => about(story, n));
  return [new Set(numbers), new Set(entities)];
}
