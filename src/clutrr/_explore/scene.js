// The drawing of a scene: rows of entities, lines that join them, and the facts as curves over them; or points,
// bars and boxes whose places and sizes mean something.

const WIDE = 112, HIGH = 34, ROW = 118, MARGIN = 10;
const CORNERS = [HIGH / 2, 4]; // radius of a box by the number of the entity's form
const ANY_CORNER = 10;

function drawScene(story, scene, asked) {
  if (!scene.nodes.length) return el("p", { class: "properties" }, "No fact to draw.");
  if (scene.scale) return drawToScale(story, scene, asked);
  const nodes = scene.nodes.map(([entity, x, row, form]) => ({
    entity, row, form,
    x: x * WIDE,
    y: row * ROW,
    half: (entity < 0 ? 26 : 100) / 2,
  }));
  const at = new Map(nodes.filter((n) => n.entity >= 0).map((n) => [n.entity, n]));
  const sketch = { nodes: nodes.map(boxOf), labels: [], points: [] };
  const [first, last] = story.query;
  const curves = story.facts.map(([head, relation, tail], fact) => {
    return { from: at.get(head), to: at.get(tail), label: relation, fact, kind: story.path.includes(fact) ? "fact on-path" : "fact" };
  });
  curves.push(...stated(story).map(({ from, to, ...rest }) => ({ ...rest, from: at.get(from), to: at.get(to) })));
  const label = asked.length > 36 ? "outside the labels" : asked;
  curves.push({ from: at.get(first), to: at.get(last), label, fact: -1, kind: "question" });
  const drawn = curves.filter((curve) => curve.from && curve.to).map((curve) => drawCurve(curve, sketch));
  const corners = [...sketch.points, ...[...sketch.nodes, ...sketch.labels].flatMap((b) => [[b[0], b[1]], [b[2], b[3]]])];
  const [left, right] = [0, 1].map((i) => (i ? Math.max : Math.min)(...corners.map((p) => p[0])));
  const [top, bottom] = [0, 1].map((i) => (i ? Math.max : Math.min)(...corners.map((p) => p[1])));
  const width = Math.ceil(right - left + 2 * MARGIN), height = Math.ceil(bottom - top + 2 * MARGIN);
  const picture = svg("svg", {
    viewBox: `${Math.floor(left - MARGIN)} ${Math.floor(top - MARGIN)} ${width} ${height}`, width, height,
    role: "img", "aria-label": inWords(story, asked),
  });
  picture.style.minWidth = `${Math.round(width * 0.62)}px`; // not smaller than can be read: it scrolls
  picture.append(...scene.junctions.map((junction) => joinLines(junction, nodes)), ...drawn.map(([curve]) => curve));
  picture.append(...nodes.map((node) => drawEntity(story, node)), ...drawn.map(([, label]) => label));
  return picture;
}

// Points, bars and boxes: what is where says what holds, so that the facts need no lines.
function drawToScale(story, scene, asked) {
  const across = Math.max(1, ...scene.nodes.map(([, x, , , width]) => x + width / 2));
  const boxes = scene.nodes.some(([, , , , , height]) => height > 0), bars = scene.nodes.some(([, , , , width]) => width > 0);
  // Points in the same row are so far apart that each has room for its label.
  const side = scene.nodes.some(([, x, row]) => !bars && !boxes && scene.nodes.some(([, other, level]) => level === row && other !== x));
  const room = side ? 8 * Math.max(...story.entities.map((name) => name.length)) + 24 : 26;
  const unit = Math.max(room, Math.min(boxes ? 52 : 84, 620 / across)), rowUnit = boxes ? unit : bars ? 34 : 46;
  const taken = new Map(); // labels of points at the same place are put under each other
  const drawn = scene.nodes.map(([entity, x, row, , width, height]) => {
    const spot = `${x} ${row} ${width} ${height}`, nth = taken.get(spot) ?? 0;
    taken.set(spot, nth + 1);
    return drawPlaced(story, entity, { x: x * unit, y: row * rowUnit, width: width * unit, height: height * rowUnit, nth });
  });
  const corners = drawn.flatMap(({ box }) => [[box[0], box[1]], [box[2], box[3]]]);
  const [left, right] = [Math.min(...corners.map((p) => p[0])), Math.max(...corners.map((p) => p[0]))];
  const [top, bottom] = [Math.min(...corners.map((p) => p[1])), Math.max(...corners.map((p) => p[1]))];
  const width = Math.ceil(right - left + 2 * MARGIN), height = Math.ceil(bottom - top + 2 * MARGIN);
  const picture = svg("svg", {
    viewBox: `${Math.floor(left - MARGIN)} ${Math.floor(top - MARGIN)} ${width} ${height}`, width, height,
    role: "img", "aria-label": inWords(story, asked),
  });
  picture.style.minWidth = `${Math.round(width * 0.62)}px`;
  const middle = new Map(drawn.map(({ entity, middle }) => [entity, middle]));
  const lines = stated(story).filter(({ kind, from, to }) => kind.includes("denied") && middle.has(from) && middle.has(to));
  picture.append(...drawn.sort((a, b) => b.size - a.size).map(({ shape }) => shape), ...lines.map((one) => drawLine(one, middle)), ...drawn.map(({ label }) => label));
  return picture;
}

// What is stated beside facts between two entities, as lines: alternatives, and denials, which are struck.
function stated(story) {
  return (story.statements ?? []).flatMap(([kind, head, relations, tail], i) => {
    if (kind !== "denial" && kind !== "alternatives") return [];
    const words = list([...relations], "or");
    const label = words.length > 36 ? `${relations.length} relations` : words;
    const denied = kind === "denial";
    return [{ from: head, to: tail, label: denied ? `not ${label}` : label, fact: story.facts.length + i, kind: denied ? "fact denied" : "fact vague" }];
  });
}

// A denial in a drawing to scale: a struck line between two places; the list beside the story has its words.
function drawLine({ from, to, label, fact, kind }, middle) {
  const [a, b] = [middle.get(from), middle.get(to)];
  const across = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  return svg("g", { class: kind, "data-fact": fact }, svg("title", {}, label), svg("path", { class: "curve", d: `M${a}L${b}` }), strike(across, a, b));
}

// A cross over the middle of a line.
function strike([x, y], [ax, ay], [bx, by]) {
  const length = Math.hypot(bx - ax, by - ay) || 1;
  const [ux, uy] = [(6 * (bx - ax)) / length, (6 * (by - ay)) / length];
  const bar = (p, q) => `M${x - p} ${y - q}L${x + p} ${y + q}`;
  return svg("path", { class: "strike", d: bar(ux - uy, ux + uy) + bar(ux + uy, uy - ux) });
}

// A point, a bar or a box, and its label: inside a box, inside a bar that is long enough, else to the right.
function drawPlaced(story, entity, { x, y, width, height, nth }) {
  const name = story.entities[entity], asked = story.query.includes(entity), length = name.length * 8;
  const half = [Math.max(width / 2, 5), Math.max(height / 2, width ? 11 : 5)];
  const inside = height > 0 || (width > 0 && length + 10 < width);
  const at = height > 0 ? [x - half[0] + 5 + length / 2, y - half[1] + 11 + 16 * nth] : inside ? [x, y] : [x + half[0] + 6 + length / 2, y + 16 * nth];
  const form = { x: x - half[0], y: y - half[1], width: 2 * half[0], height: 2 * half[1], rx: width ? 3 : 5 };
  const group = (...parts) => svg("g", { class: `entity placed${height > 0 ? " area" : ""}${asked ? " asked" : ""}`, "data-entity": entity }, ...parts);
  return {
    entity, middle: [x, y], size: width * height,
    shape: group(svg("title", {}, name), svg("rect", { class: `p${entity % 12}`, ...form })),
    label: group(svg("text", { class: inside && height === 0 ? false : "beside", x: at[0], y: at[1] }, name)),
    box: [Math.min(x - half[0], at[0] - length / 2), Math.min(y - half[1], at[1] - 9), Math.max(x + half[0], at[0] + length / 2), Math.max(y + half[1], at[1] + 9)],
  };
}

function boxOf({ x, y, half }) {
  return [x - half, y - HIGH / 2, x + half, y + HIGH / 2];
}

function drawEntity(story, node) {
  const named = node.entity >= 0;
  const name = named ? story.entities[node.entity] : "?";
  const asked = named && story.query.includes(node.entity);
  const corner = CORNERS[node.form] ?? ANY_CORNER;
  const about = named ? [name, WORDS.forms[node.form]].filter(Boolean).join(", ") : "without a name";
  return svg("g", { class: `entity${named ? "" : " unnamed"}${asked ? " asked" : ""}`, "data-entity": named ? node.entity : false },
    svg("title", {}, about),
    svg("rect", { class: named ? `p${node.entity % 12}` : false, x: node.x - node.half, y: node.y - HIGH / 2, width: 2 * node.half, height: HIGH, rx: Math.min(corner, node.half) }),
    svg("text", { x: node.x, y: node.y }, name.length > 12 ? name.slice(0, 11) + "…" : name));
}

// A double line between the members of a junction, and lines down to those below it.
function joinLines([members, below, x, row], nodes) {
  const y = row * ROW, bus = y + ROW / 2;
  const known = members.map((member) => nodes[member]);
  const from = known.length === 1 ? known[0].x : x * WIDE;
  const lines = [];
  if (known.length === 2) for (const off of [-2.5, 2.5]) lines.push(`M${known[0].x} ${y + off}H${known[1].x}`);
  if (below.length) lines.push(`M${from} ${known.length ? y : bus - 14}V${bus}`);
  for (const node of below) lines.push(`M${from} ${bus}H${nodes[node].x}V${nodes[node].y}`);
  return svg("path", { class: "joint", d: lines.join("") });
}

// A curve that meets as few entities and other curves as possible, and its label where there is room.
function drawCurve({ from, to, label, fact, kind }, sketch) {
  const ends = [boxOf(from), boxOf(to)].map(String);
  const others = sketch.nodes.filter((box) => !ends.includes(String(box)));
  const cost = (points) => samples(points).reduce((sum, [x, y]) => {
    const hit = others.some((b) => x > b[0] - 5 && x < b[2] + 5 && y > b[1] - 5 && y < b[3] + 5);
    const close = sketch.points.some((p) => Math.hypot(p[0] - x, p[1] - y) < 9);
    return sum + (hit ? 3 : 0) + (close ? 1 : 0);
  }, 0);
  let best = null, least = Infinity;
  for (const bend of [0, 30, -30, 60, -60, 100, -100, 150, -150]) {
    const points = shape(from, to, bend);
    const price = cost(points) + Math.abs(bend) / 60;
    if (price < least) [best, least] = [points, price];
  }
  sketch.points.push(...samples(best));
  const half = label.length * 3.4 + 3;
  const spots = [0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73].map((t) => bezier(best, t));
  const boxes = spots.map(([x, y]) => [x - half, y - 9, x + half, y + 9]);
  const free = boxes.findIndex((box) => ![...sketch.nodes, ...sketch.labels].some((other) => overlap(box, other)));
  sketch.labels.push(boxes[Math.max(free, 0)]);
  const [x, y] = spots[Math.max(free, 0)];
  const [p, q, r, s] = best;
  return [
    svg("g", { class: kind, "data-fact": fact }, svg("path", { class: "curve", d: `M${p}C${q} ${r} ${s}` }), arrow(r, s), kind.includes("denied") && strike(bezier(best, 0.8), bezier(best, 0.75), bezier(best, 0.85))),
    svg("g", { class: kind, "data-fact": fact }, svg("text", { class: "label", x, y }, label)),
  ];
}

// An arc over a row, or a curve from row to row that bends to a side.
function shape(from, to, bend) {
  if (from.row === to.row) {
    const way = Math.sign(to.x - from.x) || 1;
    const up = (30 + 0.08 * Math.abs(to.x - from.x) + Math.abs(bend) / 3) * (bend < 0 ? -1 : 1);
    const y = from.y - Math.sign(up) * HIGH / 2;
    const a = from.x + way * Math.min(16, from.half / 2), b = to.x - way * Math.min(16, to.half / 2);
    return [[a, y], [a, y - 1.2 * up], [b, y - 1.2 * up], [b, y - Math.sign(up) * 5]];
  }
  const way = Math.sign(to.y - from.y);
  const lean = Math.max(-30, Math.min(30, (to.x - from.x) / 5 + bend / 3));
  const back = Math.max(-30, Math.min(30, (from.x - to.x) / 5 + bend / 3));
  const start = [from.x + lean, from.y + way * HIGH / 2], end = [to.x + back, to.y - way * (HIGH / 2 + 5)];
  const pull = way * Math.abs(end[1] - start[1]) * 0.4;
  return [start, [start[0] + bend, start[1] + pull], [end[0] + bend, end[1] - pull], end];
}

function arrow([cx, cy], [x, y]) {
  const length = Math.hypot(x - cx, y - cy) || 1;
  const ux = (x - cx) / length, uy = (y - cy) / length;
  const corner = (side) => `${x - 6 * ux - side * 5 * uy} ${y - 6 * uy + side * 5 * ux}`;
  return svg("path", { class: "arrow", d: `M${x + 5 * ux} ${y + 5 * uy}L${corner(1)}L${corner(-1)}Z` });
}

function samples(points) {
  return Array.from({ length: 25 }, (_, i) => bezier(points, (i + 0.5) / 25));
}

function bezier([p, q, r, s], t) {
  const u = 1 - t;
  return [0, 1].map((i) => u * u * u * p[i] + 3 * u * u * t * q[i] + 3 * u * t * t * r[i] + t * t * t * s[i]);
}

function overlap(a, b) {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}

function inWords(story, asked) {
  const [first, last] = story.query.map((entity) => story.entities[entity]);
  const facts = story.facts.map((fact) => said(story, fact)).join("; ");
  const holds = clause(first, asked, last);
  const others = (story.statements ?? []).map((one) => one[5]).join("; ");
  return `A ${WORDS.scene} in which ${holds}. The facts: ${facts}.${others && ` Also stated: ${others}.`}`;
}

// A fact, or what else is stated, by its number.
function item(story, number) {
  const known = story.facts.length;
  return number < known ? said(story, story.facts[number]) : story.statements[number - known][5];
}

// The entities that a fact, or what else is stated, is about.
function about(story, number) {
  const known = story.facts.length;
  if (number < 0) return story.query;
  return number < known ? [story.facts[number][0], story.facts[number][2]] : story.statements[number - known][4];
}

// A relation to an entity as the world puts it, such as "Ann's son".
function related(name, relation) {
  return WORDS.relation.replace(/\{([ar])\}/g, (_, slot) => (slot === "a" ? name : relation));
}

// That b is a's relation.
function clause(a, relation, b) {
  const own = WORDS.clauses[relation];
  return own ? own.replace(/\{([ab])\}/g, (_, slot) => (slot === "a" ? a : b)) : `${b} is ${related(a, relation)}`;
}

// A fact, or what an entity can be to another.
function said(story, [head, relations, tail]) {
  const words = [relations].flat(), [a, b] = [story.entities[head], story.entities[tail]];
  const own = words.some((word) => word in WORDS.clauses);
  return own ? list(words.map((word) => clause(a, word, b)), "or") : `${b} is ${related(a, list(words, "or"))}`;
}

// Something that has no label, with its article.
function unlabelled(relation) {
  return relation.startsWith("no ") ? relation : `a ${relation}`;
}

function junctionWords(story, scene, [, , , , words]) {
  const name = (node) => (scene.nodes[node][0] >= 0 ? story.entities[scene.nodes[node][0]] : "somebody");
  return words.replace(/\{(\d+)\}/g, (_, node) => name(Number(node)));
}

function list(words, last) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}
