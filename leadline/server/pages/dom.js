// Elements made by hand: whatever is text stays text. Nothing in this page makes HTML of a string but report.js.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element. `class`, `text`, `on` (listeners) and `data` are special; true and false set boolean attributes. */
export function el(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

/** Make an element of a picture. */
export function svg(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG, tag), attributes, children);
}

function furnish(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") made.setAttribute("class", value);
    else if (name === "text") made.textContent = value;
    else if (name === "on") for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    else if (name === "data") Object.assign(made.dataset, value);
    else if (name === "value") made.value = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** A line drawing of 24 by 24 from one of our own paths. */
export function drawing(path) {
  return svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: path }));
}

export const ICONS = {
  up: "M12 19V5m-6 6 6-6 6 6",
  down: "M12 5v14m-6-6 6 6 6-6",
  remove: "M6 6l12 12M18 6 6 18",
  plus: "M12 5v14M5 12h14",
  trash: "M5 7h14M10 7V4.500h4V7m-7 0 .8 12.500h8.400L17 7",
  download: "M12 4v11m-5-4.500 5 4.500 5-4.500M5 19.500h14",
};

/** A message of the server with links to the page's own files, `[words](/page/…)`, as a list of nodes and texts. */
export function linked(text) {
  return text.split(/(\[[^\]]{1,60}\]\(\/page\/[a-z]+\))/).map((piece) => {
    const [, words, address] = /^\[(.+)\]\((\/page\/[a-z]+)\)$/.exec(piece) ?? [];
    return address ? el("a", { href: address.slice(1), target: "_blank", rel: "noopener", text: words }) : piece;
  });
}

/** A web address, or nothing: what a page calls its address may be anything. */
export function webAddress(text) {
  return /^https?:\/\/[^\s"'<>]+$/i.test(text || "") ? text : "";
}

const said = document.getElementById("said");
let speaking = 0;

/** Tell a screen reader; of several in a row the last one counts. */
export function announce(text) {
  clearTimeout(speaking);
  speaking = setTimeout(() => { said.textContent = text; }, 400);
}
