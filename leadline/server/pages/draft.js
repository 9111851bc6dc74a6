// The report while it is being written: plain text with a little shape, by textContent alone. What replaces it at the end
// was rendered and sanitised by the server.

import { el } from "./dom.js";
import { say } from "./words.js";

const MOST_CELLS = 3000; // of a table that has its shape while it grows: it is made anew with each word

/** The growing text: {element, show(turn, over)}, until it is over. Only the last paragraphs are made anew. */
export function draftView() {
  const element = el("section", { class: "draft", "aria-label": say("draft"), "aria-busy": "true", hidden: true });
  let shown = [];
  return {
    element,
    show(turn, over) {
      const texts = [...turn.drafts.values()].flatMap((text) => withWholeCode(text.split(/\n{2,}/)));
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

/** The parts of a text, without a break at the empty lines of its code. */
function withWholeCode(parts) {
  const whole = [];
  let inCode = false;
  for (const part of parts) {
    if (inCode) whole[whole.length - 1] += `\n\n${part}`;
    else whole.push(part);
    if ((part.match(/^ {0,3}```/gm) || []).length % 2) inCode = !inCode;
  }
  return whole;
}

function blockOf(text) {
  const fence = /^ {0,3}```(.*)\n?/.exec(text);
  if (fence) return el("pre", { text: fence[1].trim() === "chart" ? "…" : text.slice(fence[0].length).replace(/\n *```\s*$/, "") }); // a chart is data until it is drawn
  const heading = /^(#{1,6})\s+(\S.*)$/.exec(text.trim());
  if (heading && !heading[2].includes("\n")) return inline(el(heading[1].length < 2 ? "h3" : "h4"), heading[2]);
  const lines = text.split("\n").filter((line) => line.trim());
  if (lines.every((line) => /^\s*([-*•]|\d+[.)])\s/.test(line))) {
    return el("ul", {}, lines.map((line) => inline(el("li"), line.replace(/^\s*([-*•]|\d+[.)])\s+/, ""))));
  }
  if (text.split("|").length < MOST_CELLS && lines.every((line) => line.trimStart().startsWith("|"))) return tableOf(lines);
  if (lines.every((line) => line.startsWith(">"))) return inline(el("blockquote"), lines.map((line) => line.replace(/^>\s?/, "")).join(" "));
  return inline(el("p"), lines.join(" ").replace(/^#+\s/, ""));
}

/** A table as far as it has been written: its head, a line of dashes, its rows. */
function tableOf([head, , ...rows]) {
  const cells = (line, name) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => inline(el(name), cell.trim().replaceAll("\\|", "|")));
  return el("table", {}, el("thead", {}, el("tr", {}, cells(head, "th"))), el("tbody", {}, rows.map((row) => el("tr", {}, cells(row, "td")))));
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
