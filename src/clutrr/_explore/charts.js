// The summary: bars that filter when clicked. Each leaves its own filter out of what it counts.

const SHOWN = 12; // bars in a chart

function bars(title, entries, pressed, choose, note) {
  const items = entries.slice(0, SHOWN).map(({ name, tracks, count }) =>
    el("li", {}, el("button", { type: "button", "aria-pressed": String(pressed === name), onclick: () => choose(pressed === name ? "" : name) },
      el("span", { class: "count" }, count), el("span", {}, name), ...tracks)));
  const more = entries.length > SHOWN ? el("p", { class: "more" }, `and ${(entries.length - SHOWN).toLocaleString("en")} more`) : null;
  return el("div", {}, el("h2", {}, title), note ?? null, el("ul", { class: "bars" }, ...items), more);
}

function counted(stories, rows, column) {
  const counts = new Map();
  for (const row of rows) {
    const name = String(stories.get(row, column));
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function countChart(title, stories, rows, column, pressed, choose) {
  const counts = [...counted(stories, rows, column)].sort((a, b) => b[1] - a[1]);
  const most = Math.max(1, ...counts.map(([, n]) => n));
  const entries = counts.map(([name, n]) => {
    const bar = el("span", { class: "bar" });
    bar.style.width = `${(100 * n) / most}%`;
    const share = (100 * n) / rows.length;
    return { name, count: `${n.toLocaleString("en")} (${share.toFixed(share < 10 ? 1 : 0)} %)`, tracks: [bar] };
  });
  return bars(`${title}: ${counts.length.toLocaleString("en")}`, entries, pressed, choose);
}

function accuracyChart(title, stories, rows, column, pressed, choose) {
  const { about, answers, states } = stories.index;
  const groups = new Map();
  for (const row of rows) {
    const name = String(stories.get(row, column));
    if (!groups.has(name)) groups.set(name, about.runs.map(() => [0, 0]));
    groups.get(name).forEach((tally, run) => {
      const given = answers[run][row];
      if (given >= 0) tally[1]++;
      if (states[run][row] === "right") tally[0]++;
    });
  }
  const size = (tallies) => Math.max(...tallies.map(([, n]) => n));
  let found = [...groups].filter(([, tallies]) => size(tallies) > 0);
  found = column === "k" ? found.sort((a, b) => a[0] - b[0]) : found.sort((a, b) => size(b[1]) - size(a[1]));
  const entries = found.map(([name, tallies]) => {
    const tracks = tallies.map(([right, n], run) => {
      const bar = el("span", { class: `bar run${run % 4}` });
      bar.style.width = n ? `${(100 * right) / n}%` : "0";
      const share = n ? `${((100 * right) / n).toFixed(1)} %` : "–";
      return el("span", { class: "track" }, el("span", {}, bar), el("span", { class: "share", title: `${about.runs[run]}: ${right} of ${n}` }, share));
    });
    return { name, count: `${size(tallies).toLocaleString("en")} answer${size(tallies) === 1 ? "" : "s"}`, tracks };
  });
  const named = el("ul", { class: "runs" }, ...about.runs.map((name, run) => el("li", {}, el("span", { class: `dot run${run % 4}` }), name)));
  const note = column === "k" && found.length > 1 ? el("div", {}, curves(found), named) : named;
  return bars(title, entries, pressed, choose, note);
}

// Accuracy over the length of the route: a line for each run, and the 95 % interval as its band.
function curves(found) {
  const [width, height, left, below] = [240, 110, 26, 16];
  const lengths = found.map(([k]) => Number(k));
  const x = (k) => left + ((k - lengths[0]) / (lengths.at(-1) - lengths[0])) * (width - left - 8);
  const y = (percent) => 6 + (1 - percent / 100) * (height - below - 6);
  const at = (k, percent) => `${x(k).toFixed(1)},${y(percent).toFixed(1)}`;
  const drawn = [0, 50, 100].flatMap((percent) => [
    svg("line", { x1: left, x2: width - 8, y1: y(percent), y2: y(percent), class: "rule" }),
    svg("text", { x: left - 4, y: y(percent) + 3, class: "tick end" }, String(percent)),
  ]);
  drawn.push(...lengths.map((k) => svg("text", { x: x(k), y: height - 3, class: "tick" }, String(k))));
  found[0][1].forEach((_, run) => {
    const points = found.filter(([, tallies]) => tallies[run][1]).map(([k, tallies]) => [Number(k), ...tallies[run]]);
    if (!points.length) return;
    const band = points.map(([k, right, n]) => [k, ...wilson(right, n)]);
    const edge = [...band.map(([k, low]) => at(k, low)), ...band.reverse().map(([k, , high]) => at(k, high))];
    drawn.push(svg("polygon", { points: edge.join(" "), class: `band line${run % 4}` }));
    drawn.push(svg("polyline", { points: points.map(([k, right, n]) => at(k, (100 * right) / n)).join(" "), class: `curve line${run % 4}` }));
  });
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "curves", role: "img", "aria-label": "Accuracy in percent over the length of the route" }, ...drawn);
}

// Wilson's 95 % interval of a share, in percent.
function wilson(right, n) {
  const z = 1.959964, share = right / n, z2 = (z * z) / n;
  const middle = share + z2 / 2, half = z * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n));
  return [middle - half, middle + half].map((bound) => Math.min(100, Math.max(0, (100 * bound) / (1 + z2))));
}
