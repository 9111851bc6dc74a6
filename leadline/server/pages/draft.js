// The report while it is being written: plain text with a little shape, by textContent alone. What replaces it at the end
// was rendered and sanitised by the server.

import { el } from "./dom.js";
import { say } from "./words.js";

/** The growing text: {element, show(turn, over)}, until it is over. Only the last paragraphs are made anew. */
export function draftView() {
  const element = el("section", { class: "draft", "aria-label": say("draft"), "aria-busy": "true", hidden: true });
  let shown = [];
  return {
    element,
    show(turn, over) {
      const texts = [...turn.drafts.values()].flatMap((text) => text.split(/\n{2,}/));
      const blocks = texts.slice(0, cut(texts)).filter((text) => text.trim());
      element.hidden = !blocks.length || over;
      let same = 0;
      while (same < blocks.length && shown[same] === blocks[same]) same += 1;
      while (element.childNodes.length > same) element.lastChild.remove();
      for (const block of blocks.slice(same)) element.append(blockOf(block));
      shown = blocks;
    },
  };
}

/** Where the part for programs begins (questions to ask next). */
function cut(texts) {
  const place = texts.findIndex((text) => /^={3,}/m.test(text));
  return place < 0 ? texts.length : place;
}

function blockOf(text) {
  const heading = /^(#{1,6})\s+(\S.*)$/.exec(text.trim());
  if (heading && !heading[2].includes("\n")) return inline(el(heading[1].length < 2 ? "h3" : "h4"), heading[2]);
  const lines = text.split("\n").filter((line) => line.trim());
  if (lines.every((line) => /^\s*([-*•]|\d+[.)])\s/.test(line))) {
    return el("ul", {}, lines.map((line) => inline(el("li"), line.replace(/^\s*([-*•]|\d+[.)])\s+/, ""))));
  }
  if (lines.every((line) => line.startsWith(">"))) return inline(el("blockquote"), lines.map((line) => line.replace(/^>\s?/, "")).join(" "));
  return inline(el("p"), lines.join(" ").replace(/^#+\s/, ""));
}

/** Bold words, and citations as small marks; those of an inference (`[inferred: E1-1, E2-3]`) by another. In linear time, whatever the text. */
function inline(parent, text) {
  for (const piece of text.replace(/(?<! ) +(?=\[(?:[^[\]]{1,16}[:：\s]\s?)?[BEMT]\d)/g, "").split(/(\*\*[^*]+\*\*|\[(?:[^[\]]{1,16}[:：\s]\s?)?[BEMT]\d[^[\]]*\])/)) {
    if (/^\*\*.+\*\*$/.test(piece)) parent.append(el("strong", { text: piece.slice(2, -2) }));
    else if (/^\[[^[\]]{1,16}[:：\s]\s?[BEMT]\d/.test(piece)) parent.append(el("span", { class: "mark", text: "‡", "aria-hidden": "true" }));
    else if (/^\[[BEMT]\d/.test(piece)) parent.append(el("span", { class: "mark", text: "•", "aria-hidden": "true" }));
    else if (piece) parent.append(piece);
  }
  return parent;
}
