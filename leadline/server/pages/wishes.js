// What the question asks of its answer besides the subject: chips below it, which can be taken away before the next run.

import { announce, el } from "./dom.js";
import { language, say } from "./words.js";

const SHOWN = {
  language: (wishes) => wishes.language && languageName(wishes.language),
  words: (wishes) => wishes.words || "",
  form: ({ shape, columns = [], form }) => [say(`shape_${shape}`), columns.join(", "), form].filter(Boolean).join(" · "),
  readers: (wishes) => wishes.readers,
  after: (wishes) => wishes.after,
  before: (wishes) => wishes.before,
  sites: (wishes) => (wishes.sites || []).join(", "),
  without_sites: (wishes) => (wishes.without_sites || []).join(", "),
};

/** The chips of a turn: {element, show(turn)}. `without` is the set of wishes that the next run does without; `removed()` is called when it grows. */
export function wishChips(without, removed) {
  const element = el("ul", { class: "wishes", hidden: true, "aria-label": say("wishes") });
  let shown = "";
  return {
    element,
    show({ wishes, status }) {
      const now = JSON.stringify([wishes, status, [...without]]);
      if (now === shown) return;
      shown = now;
      const chips = Object.entries(SHOWN).map(([name, text]) => [name, text(wishes)]).filter(([, text]) => text);
      const read = [...(wishes.pages || []), ...(wishes.text ? [say("pastedText", { count: wishes.text.length })] : [])];
      element.hidden = !chips.length && !read.length;
      element.replaceChildren(
        ...chips.map(([name, text]) => chip(name, text, status !== "running")),
        ...read.map((text) => el("li", { text })));
    },
  };

  function chip(name, text, removable) {
    const gone = without.has(name);
    const label = say(`wish_${name}`);
    const button = removable && !gone && el("button", { type: "button", class: "quiet", "aria-label": say("withoutWish", { wish: label }), text: "×", on: { click: () => {
      without.add(name);
      announce(say("wishGone", { wish: label }));
      removed();
    } } });
    return el("li", { class: gone ? "gone" : undefined }, el("span", { class: "soft", text: label + say("colon") }), text, button);
  }
}

function languageName(tag) {
  try {
    return new Intl.DisplayNames([language], { type: "language" }).of(tag);
  } catch {
    return tag;
  }
}
