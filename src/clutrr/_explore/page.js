// The page: filters, moving from story to story, the link that leads back, and keys.

const CHOICES = [["subset", "Subset"], ["split", "Split"], ["k", "Length"], ["target", "Target"], ["pattern", "Pattern"], ["verdict", "Verdict"]];

class Explorer {
  constructor(stories) {
    this.stories = stories;
    this.filter = {};
    this.row = 0;
    this.matches = [];
    this.story = null;
    this.pinned = null;
  }

  async start() {
    const { about, words } = this.stories.index;
    Object.assign(WORDS, words);
    byId("scene-title").textContent = words.scene[0].toUpperCase() + words.scene.slice(1);
    byId("in-words").firstElementChild.textContent = `The ${words.scene} in words`;
    byId("data-name").textContent = about.data;
    // The language chooses the letters: a Chinese character has other shapes in Japanese.
    for (const id of ["entities", "text", "statements", "words", "query", "proof", "alternatives"]) byId(id).lang = about.language;
    document.title = `Data set ${about.data}`;
    const shown = this.stories.length.toLocaleString("en"), total = about.total.toLocaleString("en");
    byId("assumed").textContent = `Told in ${about.world}. Every verdict assumes "${about.assume}": ${about.meaning}`;
    byId("about").textContent = about.total > this.stories.length
      ? `A sample: ${shown} of ${total} stories, evenly spaced${about.runs.length ? ", those with an answer first" : ""}. All figures here are of the sample.`
      : `All ${total} stories.`;
    this.buildFilters();
    this.listen();
    await this.follow();
  }

  values(column) {
    const { names, columns } = this.stories.index;
    if (column === "verdict") {
      const used = new Set(columns.verdict.map((n) => names.verdict[n]));
      const both = [...used].filter((name) => name.startsWith("proved")).length > 1 ? ["proved"] : [];
      return [...both, ...names.verdict.filter((name) => used.has(name))];
    }
    const used = new Set(columns[column]);
    if (column === "k") return [...used].sort((a, b) => a - b).map(String);
    return names[column].filter((_, n) => used.has(n));
  }

  buildFilters() {
    const form = byId("filters");
    const choose = (name, title, values) => {
      const select = el("select", { name, onchange: (event) => this.set(name, event.target.value) },
        el("option", { value: "" }, "all"), ...values.map((value) => el("option", { value }, value || "none")));
      form.append(el("label", {}, title, select));
    };
    for (const [column, title] of CHOICES) {
      const values = this.values(column);
      if (values.length > 1) choose(column, title, values);
    }
    const runs = this.stories.index.about.runs;
    runs.forEach((name, run) => choose(`run${run}`, runs.length > 1 ? `${name}:` : "Answer", [...new Set(this.stories.index.states[run])].sort()));
    if (runs.length > 1) choose("runs", "Models", ["agree", "differ"]);
    const input = el("input", { type: "search", name: "text", autocomplete: "off", placeholder: "words of a story, a name, an id" });
    let waiting;
    input.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => this.set("text", input.value.trim()), 250);
    });
    form.append(el("label", { class: "words" }, "Text ( / )", input));
    form.addEventListener("submit", (event) => event.preventDefault());
  }

  showFilters() {
    for (const control of byId("filters").elements) {
      if (!control.name) continue;
      const value = this.filter[control.name] ?? "";
      if (control.value !== value && document.activeElement !== control || control.tagName === "SELECT") control.value = value;
      control.classList.toggle("set", value !== "");
    }
    byId("clear").disabled = !Object.values(this.filter).some(Boolean);
  }

  // Which stories match the filter; `without` leaves one of its parts out.
  find(without = "") {
    const { columns, names, answers } = this.stories.index;
    const tests = [];
    for (const [name, value] of Object.entries(this.filter)) {
      if (!value || name === without) continue;
      const run = /^run(\d+)$/.exec(name);
      if (name === "text") {
        const words = value.toLowerCase();
        tests.push((row) => this.stories.texts[row].includes(words));
      } else if (run) {
        const states = this.stories.index.states[run[1]];
        tests.push((row) => states[row] === value);
      } else if (name === "runs") {
        const agree = (row) => answers.every((given) => given[row] === answers[0][row]);
        tests.push(value === "agree" ? agree : (row) => !agree(row));
      } else if (name === "k") {
        tests.push((row) => String(columns.k[row]) === value);
      } else if (name === "verdict") {
        tests.push((row) => names.verdict[columns.verdict[row]] === value || names.verdict[columns.verdict[row]].startsWith(value + ","));
      } else {
        const number = names[name].indexOf(value);
        tests.push((row) => columns[name][row] === number);
      }
    }
    const found = [];
    for (let row = 0; row < this.stories.length; row++) if (tests.every((test) => test(row))) found.push(row);
    return found;
  }

  async set(name, value) {
    this.filter = { ...this.filter, [name]: value };
    await this.refilter();
  }

  async clear() {
    this.filter = {};
    byId("filters").elements.text.value = "";
    await this.refilter();
  }

  async refilter() {
    this.showFilters();
    const asked = this.asked = {};
    if (this.filter.text) {
      await this.stories.searchable((n) => { byId("position").textContent = `Searching … ${Math.round((100 * n) / this.stories.length)} %`; });
    }
    if (asked !== this.asked) return; // a later filter is on its way
    this.matches = this.find();
    if (!this.matches.includes(this.row) && this.matches.length) this.row = this.matches[0];
    this.showCharts();
    await this.show();
  }

  showCharts() {
    const choose = (name) => (value) => this.set(name, value);
    const { runs } = this.stories.index.about;
    const chart = (make, title, column) => {
      const rows = this.filter[column] ? this.find(column) : this.matches;
      return make(title, this.stories, rows, column, this.filter[column] ?? "", choose(column));
    };
    const charts = [];
    if (runs.length) charts.push(chart(accuracyChart, "Accuracy by length", "k"), chart(accuracyChart, "Accuracy by pattern", "pattern"));
    charts.push(chart(countChart, "Labels", "target"), chart(countChart, "Patterns", "pattern"), chart(countChart, "Verdicts", "verdict"));
    const focused = document.activeElement?.closest?.("#charts button")?.textContent;
    byId("charts").replaceChildren(...charts);
    if (focused) [...byId("charts").querySelectorAll("button")].find((button) => button.textContent === focused)?.focus();
  }

  async show() {
    const row = this.row, at = this.matches.indexOf(row);
    byId("previous").disabled = at <= 0;
    byId("next").disabled = at < 0 || at >= this.matches.length - 1;
    byId("main").hidden = at < 0;
    this.remember();
    if (at < 0) {
      byId("position").textContent = "No story matches";
      return;
    }
    const story = await this.stories.story(row);
    if (row !== this.row) return; // somebody has gone on meanwhile
    this.story = story;
    this.pin(null);
    showStory(this.stories, row, story);
    byId("position").textContent = `${(at + 1).toLocaleString("en")} of ${this.matches.length.toLocaleString("en")}`;
    if (at + 1 < this.matches.length) this.stories.story(this.matches[at + 1]);
  }

  async move(by) {
    const at = this.matches.indexOf(this.row) + by;
    if (at >= 0 && at < this.matches.length) {
      this.row = this.matches[at];
      await this.show();
    }
  }

  // The address says which story and which filter.
  address() {
    const parts = new URLSearchParams();
    parts.set("story", this.stories.get(this.row, "key"));
    for (const [name, value] of Object.entries(this.filter)) if (value) parts.set(name, value);
    return `#${parts}`;
  }

  remember() {
    const address = this.address();
    byId("link").setAttribute("href", address);
    if (location.hash !== address) history.replaceState(null, "", address);
  }

  async follow() {
    const parts = new URLSearchParams(location.hash.slice(1));
    const controls = byId("filters").elements;
    this.filter = {};
    for (const [name, value] of parts) {
      const control = controls.namedItem(name);
      if (!control || name === "story") continue;
      if (control.tagName === "SELECT" && ![...control.options].some((option) => option.value === value)) continue;
      this.filter[name] = value;
      if (name === "text") control.value = value;
    }
    if (!this.filter.text) controls.text.value = "";
    this.row = this.stories.number.get(parts.get("story")) ?? 0;
    await this.refilter();
  }

  pin(step) {
    this.pinned = step;
    for (const button of document.querySelectorAll("[data-step]")) button.setAttribute("aria-pressed", String(Number(button.dataset.step) === step));
    this.point(null);
  }

  // Light what is pointed at, or else the step of the proof that is pinned.
  point(element) {
    const shown = element ?? (this.pinned === null ? null : document.querySelector(`[data-step="${this.pinned}"]`));
    light(...(shown ? lightOf(this.story, shown) : [new Set(), new Set()]));
  }

  listen() {
    byId("previous").addEventListener("click", () => this.move(-1));
    byId("next").addEventListener("click", () => this.move(1));
    byId("clear").addEventListener("click", () => this.clear());
    byId("hide").addEventListener("change", (event) => byId("text").classList.toggle("hide", event.target.checked));
    window.addEventListener("hashchange", () => { if (location.hash !== this.address() && location.hash.includes("story=")) this.follow(); });
    const pointable = (event) => event.target.closest?.("#main [data-fact], #main [data-facts], #main [data-entity]");
    for (const name of ["pointerover", "focusin"]) document.addEventListener(name, (event) => this.point(pointable(event) || null));
    document.addEventListener("click", (event) => {
      const step = event.target.closest("[data-step]");
      const steps = document.querySelectorAll("[data-step]").length;
      if (step) this.pin(this.pinned === Number(step.dataset.step) ? null : Number(step.dataset.step));
      else if (event.target.id === "step") this.pin(this.pinned === null ? 0 : (this.pinned + 1) % steps);
    });
    document.addEventListener("keydown", (event) => {
      const typing = event.target.closest("input, select");
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key === "Escape") { event.target.blur?.(); this.pin(null); }
      else if (typing) return;
      else if (event.key === "ArrowRight") this.move(1);
      else if (event.key === "ArrowLeft") this.move(-1);
      else if (event.key === "/") { event.preventDefault(); byId("filters").elements.text.focus(); }
    });
  }
}

(async () => {
  const embedded = JSON.parse(byId("embedded").textContent);
  byId("embedded").remove();
  await new Explorer(new Stories(embedded, await unpack(embedded.index))).start();
  document.body.dataset.ready = "yes";
})();
