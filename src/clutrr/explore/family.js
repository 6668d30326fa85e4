// The drawing of a family: rows of people, lines of kin, and the facts as curves over them.

const WIDE = 112, HIGH = 34, ROW = 122, EDGE = 14, TOP = 52;

function drawFamily(story, family, asked) {
  if (!family.nodes.length) return el("p", { class: "properties" }, "No fact to draw.");
  const nodes = family.nodes.map(([person, x, row, gender]) => ({
    person, row, gender,
    x: EDGE + x * WIDE,
    y: TOP + row * ROW + HIGH / 2,
    half: (person < 0 ? 26 : 100) / 2,
  }));
  const at = new Map(nodes.filter((n) => n.person >= 0).map((n) => [n.person, n]));
  const width = Math.max(...nodes.map((n) => n.x + n.half)) + EDGE;
  const height = Math.max(...nodes.map((n) => n.y)) + HIGH / 2 + 34;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": inWords(story, asked) });
  if (width > 640) picture.style.minWidth = `${Math.round(width * 0.62)}px`;
  for (const knot of family.knots) picture.append(kinLines(knot, nodes));
  const curves = [];
  story.facts.forEach(([head, relation, tail], number) => {
    const onPath = story.path.includes(number);
    curves.push({ from: at.get(head), to: at.get(tail), label: relation, fact: number, kind: onPath ? "fact on-path" : "fact" });
  });
  const [first, last] = story.query;
  curves.push({ from: at.get(first), to: at.get(last), label: asked, fact: -1, kind: "question" });
  const taken = nodes.map((n) => [n.x - n.half, n.y - HIGH / 2, n.x + n.half, n.y + HIGH / 2]);
  const labels = [];
  const seen = new Map();
  for (const curve of curves) {
    if (!curve.from || !curve.to) continue;
    const pair = [Math.min(curve.from.person, curve.to.person), Math.max(curve.from.person, curve.to.person)].join();
    seen.set(pair, (seen.get(pair) ?? -1) + 1);
    const { group, label } = drawCurve(curve, seen.get(pair), taken);
    picture.append(group);
    labels.push([group, label]);
  }
  for (const node of nodes) picture.append(drawPerson(story, node));
  for (const [group, label] of labels) {  // above everything, in a group that lights up with its curve
    const shown = svg("g", { class: group.getAttribute("class"), "data-fact": group.dataset.fact }, label);
    picture.append(shown);
  }
  return picture;
}

function drawPerson(story, node) {
  const named = node.person >= 0;
  const name = named ? story.people[node.person] : "?";
  const asked = named && story.query.includes(node.person);
  const corner = node.gender === 0 ? HIGH / 2 : node.gender === 1 ? 4 : 10;
  const group = svg("g", { class: `person${named ? "" : " nobody"}${asked ? " asked" : ""}`, "data-person": named ? node.person : false },
    svg("title", {}, named ? [name, ["woman", "man"][node.gender]].filter(Boolean).join(", ") : "somebody without a name"),
    svg("rect", { class: named ? `p${node.person % 12}` : false, x: node.x - node.half, y: node.y - HIGH / 2, width: 2 * node.half, height: HIGH, rx: Math.min(corner, node.half) }),
    svg("text", { x: node.x, y: node.y }, name.length > 12 ? name.slice(0, 11) + "…" : name));
  return group;
}

function kinLines([partners, children, x, row], nodes) {
  const y = TOP + row * ROW + HIGH / 2;
  const middle = EDGE + x * WIDE;
  const lines = [];
  const known = partners.map((p) => nodes[p]);
  if (known.length === 2) lines.push(`M${known[0].x} ${y - 2.5}H${known[1].x}M${known[0].x} ${y + 2.5}H${known[1].x}`);
  const from = known.length === 1 ? known[0].x : middle;
  if (children.length) {
    const bus = y + ROW / 2 - 2;
    lines.push(known.length ? `M${from} ${y}V${bus}` : `M${from} ${bus - 16}V${bus}`);
    for (const child of children) lines.push(`M${from} ${bus}H${nodes[child].x}V${nodes[child].y}`);
  }
  return svg("path", { class: "kin", d: lines.join("") });
}

// A curve from one person to another: an arc over a row, or down or up from row to row.
function drawCurve({ from, to, label, fact, kind }, again, taken) {
  let points;
  const shift = 14 * again;
  if (from.row === to.row) {
    const way = Math.sign(to.x - from.x) || 1;
    const rise = Math.min(24 + 0.09 * Math.abs(to.x - from.x), 46) + shift;
    const top = from.y - HIGH / 2;
    const a = from.x + way * Math.min(14, from.half), b = to.x - way * Math.min(14, to.half);
    points = [[a, top], [a, top - rise * 1.33], [b, top - rise * 1.33], [b, top - 5]];
  } else {
    const way = Math.sign(to.y - from.y);
    const lean = Math.max(-18, Math.min(18, (to.x - from.x) / 6)) + shift;
    const start = [from.x + lean, from.y + way * HIGH / 2], end = [to.x - lean + 2 * shift, to.y - way * (HIGH / 2 + 5)];
    const bend = Math.abs(to.row - from.row) > 1 && Math.abs(to.x - from.x) < 60 ? 70 : 0;
    const pull = Math.abs(end[1] - start[1]) * 0.45;
    points = [start, [start[0] + bend, start[1] + way * pull], [end[0] + bend, end[1] - way * pull], end];
  }
  const [p, q, r, s] = points;
  const group = svg("g", { class: kind, "data-fact": fact }, svg("path", { d: `M${p}C${q} ${r} ${s}` }), arrow(r, s));
  const half = (label.length * 6.6) / 2 + 2;
  const spots = [0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73].map((t) => bezier(points, t));
  const boxes = spots.map(([x, y]) => [x - half, y - 9, x + half, y + 9]);
  let best = boxes.findIndex((box) => !taken.some((other) => overlap(box, other)));
  if (best < 0) best = 0;
  taken.push(boxes[best]);
  const [x, y] = spots[best];
  return { group, label: svg("text", { class: "label", x, y }, label) };
}

function arrow([cx, cy], [x, y]) {
  const length = Math.hypot(x - cx, y - cy) || 1;
  const ux = (x - cx) / length, uy = (y - cy) / length;
  const tip = [x + 5 * ux, y + 5 * uy], base = [x - 5 * ux, y - 5 * uy];
  return svg("path", { class: "arrow", d: `M${tip}L${base[0] - 5 * uy} ${base[1] + 5 * ux}L${base[0] + 5 * uy} ${base[1] - 5 * ux}Z` });
}

function bezier([p, q, r, s], t) {
  const u = 1 - t;
  return [0, 1].map((i) => u * u * u * p[i] + 3 * u * u * t * q[i] + 3 * u * t * t * r[i] + t * t * t * s[i]);
}

function overlap(a, b) {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}

function inWords(story, asked) {
  const [first, last] = story.query.map((person) => story.people[person]);
  const facts = story.facts.map((fact) => said(story, fact)).join("; ");
  return `A family in which ${last} is ${first}'s ${asked}. The facts: ${facts}.`;
}

function said(story, [head, relation, tail]) {
  return `${story.people[tail]} is ${story.people[head]}'s ${relation}`;
}

function coupleWords(story, family, [partners, children]) {
  const name = (node) => (family.nodes[node][0] >= 0 ? story.people[family.nodes[node][0]] : "somebody");
  const parents = partners.length === 2 ? partners.map(name).join(" and ") : partners.length ? `${name(partners[0])} and a partner` : "Two people";
  return children.length ? `${parents}, parents of ${list(children.map(name), "and")}` : `${parents}, a couple`;
}

function list(words, last) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}
