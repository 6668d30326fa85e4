// The data of the page: the index at once, the stories block by block when they are looked at.

const WORDS = {}; // how the world puts things; set when the page opens

async function unpack(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

class Stories {
  constructor(embedded, index) {
    this.packed = embedded.blocks;
    this.size = embedded.block;
    this.index = index;
    this.length = index.columns.key.length;
    this.blocks = new Map();
    this.texts = [];
    this.number = new Map(index.columns.key.map((key, i) => [key, i]));
  }

  // The name of a property of a story: its subset, target, pattern, ...
  get(row, column) {
    const value = this.index.columns[column][row];
    return this.index.names[column] ? this.index.names[column][value] : value;
  }

  async block(number) {
    if (!this.blocks.has(number)) {
      if (this.blocks.size > 40) this.blocks.delete(this.blocks.keys().next().value);
      this.blocks.set(number, unpack(this.packed[number]));
    }
    return this.blocks.get(number);
  }

  async story(row) {
    return (await this.block(Math.floor(row / this.size)))[row % this.size];
  }

  // Sentences as lists of pieces: plain text, {entity}, or {value}.
  pieces(story, part) {
    const [, , shape, ...slots] = part;
    const literals = shape.split("[]");
    const found = [literals[0]];
    slots.forEach((slot, i) => {
      const entity = typeof slot === "number" ? { entity: slot } : Array.isArray(slot) && { entity: slot[0], text: slot[1] };
      found.push(entity || { value: slot }, literals[i + 1]);
    });
    return found;
  }

  plain(story, part) {
    const text = (p) => (typeof p === "string" ? p : "entity" in p ? (p.text ?? story.entities[p.entity]) : p.value);
    return this.pieces(story, part).map(text).join("");
  }

  // The lower-case text of every story, to search in; made on the first search.
  async searchable(progress) {
    for (let number = 0; this.texts.length < this.length; number++) {
      const block = this.blocks.has(number) ? await this.block(number) : await unpack(this.packed[number]);
      const start = number * this.size;
      block.forEach((story, i) => {
        const text = story.parts.map((part) => this.plain(story, part)).join(" ");
        this.texts[start + i] = `${story.id} ${text}`.toLowerCase();
      });
      if (number % 10 === 9) {
        progress(this.texts.length);
        await new Promise((go) => setTimeout(go));
      }
    }
    return this.texts;
  }
}

// Elements: el("p", {class: "x", onclick: f}, "text", child). Text is only ever set as text.
function el(name, properties = {}, ...children) {
  return build(document.createElement(name), properties, children);
}

function svg(name, properties = {}, ...children) {
  return build(document.createElementNS("http://www.w3.org/2000/svg", name), properties, children);
}

function build(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== undefined) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}
