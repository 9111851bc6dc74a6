// A source's stored text in a dialog, with what the report quotes from it marked, and one quote in view.

import { api } from "./api.js";
import { el } from "./dom.js";
import { say } from "./words.js";

const AROUND = 180; // characters before and after a quote
const ROOM = 200_000; // characters that are shown of a longer text, around the quote

/** Open the text of an entry of the references. `wanted` is the quote to see; without it the first one is. */
export async function openSource(thread, entry, wanted, onProblem, of) {
  try {
    const text = await (await api.file(thread, entry.dataset.text, of)).text();
    const quotes = [...entry.querySelectorAll("blockquote")].map((one) => one.dataset.quote);
    show(entry, text, found(text, quotes), wanted);
  } catch (problem) {
    onProblem(problem);
  }
}

/** A quote with what stands around it in its source's text: {before, quote, after}; nothing where it is not found. */
export async function surroundings(thread, entry, quote, of) {
  const text = await (await api.file(thread, entry.dataset.text, of)).text();
  const [place] = found(text, [quote]);
  if (!place) return null;
  const before = text.slice(Math.max(0, place.start - AROUND), place.start).replace(/^\S*\s/, place.start > AROUND ? "… " : "$&");
  const after = text.slice(place.end, place.end + AROUND).replace(/\s\S*$/, text.length > place.end + AROUND ? " …" : "$&");
  return { before: withoutMarks(before), quote: withoutMarks(text.slice(place.start, place.end)), after: withoutMarks(after) };
}

/** A text without the marks of headings, which stand alone, and those around bold words; signs in code stay. */
export function withoutMarks(part) {
  return part.replace(/(^|\n\s*\n)#{1,6} +(?=[^\n]+(?:\n\s*\n|\s*$))/g, "$1").replace(/\*\*(?=[^\s*])([^*\n]{0,300}[^\s*])\*\*(?!\w)/g, "$1").replace(/\n\s*\n/g, "\n");
}

/** Where quotes stand in a text, in its order; blanks may differ. Of two that overlap the first counts. */
function found(text, quotes) {
  const places = quotes.map((quote) => {
    const words = quote.split(/\s+/).filter(Boolean).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const match = words.length ? new RegExp(words.join("\\s+")).exec(text) : null;
    return match && { quote, start: match.index, end: match.index + match[0].length };
  }).filter(Boolean).sort((one, other) => one.start - other.start);
  return places.filter((place, at) => places.slice(0, at).every((before) => before.end <= place.start));
}

function show(entry, text, places, wanted) {
  const seen = places.find((place) => place.quote === wanted) || places[0];
  const first = Math.max(0, Math.min((seen?.start ?? 0) - ROOM / 2, text.length - ROOM));
  const last = Math.min(text.length, first + ROOM);
  const pieces = [first > 0 ? "…\n" : ""];
  let at = first;
  for (const place of places.filter((one) => one.start >= first && one.end <= last)) {
    pieces.push(text.slice(at, place.start), el("mark", { class: place === seen ? "seen" : undefined, text: text.slice(place.start, place.end) }));
    at = place.end;
  }
  pieces.push(text.slice(at, last), last < text.length ? "\n…" : "");
  const dialog = document.getElementById("source");
  dialog.replaceChildren(
    el("h2", { id: "source-title", text: entry.dataset.title }),
    el("p", { class: "soft", text: say(places.length ? "sourceMarked" : "sourceUnmarked") }),
    el("div", { class: "text", tabindex: "0", role: "region", "aria-labelledby": "source-title" }, pieces),
    el("form", { method: "dialog", class: "buttons" }, el("button", { class: "plain", text: say("close") })));
  dialog.showModal();
  dialog.querySelector(".text").focus({ preventScroll: true });
  dialog.querySelector("mark.seen")?.scrollIntoView({ block: "center" });
}
