// A finished report: the server's sanitised HTML in a root of its own, with quotes on hover and focus, and downloads.

import { api, query } from "./api.js";
import { ICONS, announce, drawing, el } from "./dom.js";
import { openSource, surroundings } from "./source.js";
import { say } from "./words.js";

const FILES = [
  ["report.md", "Markdown"], ["report.html", "HTML"], ["slides.html", say("slides")], ["report.pptx", "PowerPoint"],
  ["report.docx", "Word"], ["report.pdf", "PDF"],
  ["references.json", "CSL-JSON"], ["report.zip", say("evidence")],
];

// The only place where a string becomes HTML; the page's policy refuses any other.
const policy = globalThis.trustedTypes?.createPolicy("leadline-report", { createHTML: (html) => html });
let styles;

async function sheets() {
  const made = ["page/tokens.css", "page/report.css", "page/report-here.css"].map(async (address) => {
    const sheet = new CSSStyleSheet();
    return sheet.replace(await (await fetch(address)).text());
  });
  return Promise.all(made);
}

/** Show a report as the server views it. `of` says which one it is, as for `api.view`: its files are asked for by that.
 *  `onAsk` is called with a question to ask next; without it (an earlier turn) those are left out. */
export async function reportView(thread, view, question, { onAsk, onProblem, of }) {
  styles ??= sheets();
  const host = el("div", { class: "report-host", lang: view.locale || undefined });
  const root = host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = await styles;
  const body = el("div", { class: "report" });
  body.innerHTML = policy ? policy.createHTML(view.html) : view.html;
  root.append(body);
  body.classList.toggle("as-asked", letters(view.title) === letters(question));
  const asked = body.querySelector(".question");
  if (asked && letters(asked.lastChild.textContent) === letters(question)) asked.remove(); // it stands above
  fit(body, thread, of);
  sources(body, thread, onProblem, of);
  citations(root);
  quoteSheets(body, thread, onProblem, of);
  const parts = [host, downloads(thread, onProblem, of), onAsk && followUps(view, onAsk)];
  return el("section", { class: "finished", "aria-label": say("report") + say("colon") + view.title }, parts);
}

/** What a title and a question have in common: that they stand one below the other, need not be said twice. */
const letters = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** Make the report one of several in this page: headings below ours, no links that lead out of its root. */
function fit(body, thread, of) {
  for (const link of body.querySelectorAll(".link")) link.remove();
  for (const heading of body.querySelectorAll("h1, h2, h3, h4, h5")) {
    heading.setAttribute("aria-level", String(Number(heading.tagName[1]) + 1));
  }
  for (const section of body.querySelectorAll("section")) section.setAttribute("role", "group"); // each turn has one of the same name
  for (const link of body.querySelectorAll('a[href^="sources/"]')) {
    link.setAttribute("href", `reports/${encodeURIComponent(thread)}/${link.getAttribute("href")}${query(of)}`);
    link.setAttribute("target", "_blank");
    link.setAttribute("rel", "noopener");
  }
}

/** References: a button opens the stored text of each, and one beside each quote shows where it stands there. */
function sources(body, thread, onProblem, of) {
  for (const entry of body.querySelectorAll(".references > li[data-text]")) {
    const title = entry.querySelector("a, strong");
    entry.dataset.title = title.textContent;
    const opens = (name, wanted) => {
      const label = `${say(name)}${say("colon")}${wanted || entry.dataset.title}`;
      return el("button", { type: "button", class: "text-of", "aria-label": label, text: say(name), on: { click: () => openSource(thread, entry, wanted, onProblem, of) } });
    };
    for (const quote of entry.querySelectorAll("blockquote")) quote.append(" ", opens("inTheText", quote.dataset.quote));
    entry.querySelector("p").append(" ", opens("openText", ""));
  }
}

/** How far to move what stands where the flow puts it, as it does in tables: a quote above its citation, a reason below its sign. */
function besides(cite, box) {
  const place = cite.getBoundingClientRect();
  return [place.left - box.left, cite.matches(".why") ? place.bottom - box.top : place.top - box.bottom];
}

/** Citations, and the signs of marked statements: quote or reason stays inside the window, the reference lights up, Escape closes it.
 *  From a reference that a citation led to, Escape leads back to the citation. */
function citations(root) {
  const closed = (cite) => cite.classList.add("closed");
  for (const cite of root.querySelectorAll(".cite")) {
    const tip = cite.querySelector(".tip");
    const reference = root.getElementById(`ref-${cite.dataset.ref}`);
    const show = () => {
      tip.style.translate = "";
      const box = tip.getBoundingClientRect();
      const [x, y] = cite.closest(".scroll") ? besides(cite, box) : [0, 0];
      const over = Math.max(0, box.right + x + 12 - document.documentElement.clientWidth);
      const bar = document.querySelector(".top").offsetHeight;
      tip.style.translate = `${x - over}px ${y + (box.top + y < bar + 8 ? box.height + 28 : 0)}px`;
      reference?.classList.add("lit");
    };
    const hide = () => { cite.classList.remove("closed"); reference?.classList.remove("lit"); };
    cite.addEventListener("mouseenter", show);
    cite.addEventListener("focusin", show);
    const said = cite.matches(".said + .why") ? cite.previousElementSibling : null;
    said?.addEventListener("mouseenter", show);
    said?.addEventListener("mouseleave", hide);
    cite.addEventListener("mouseleave", () => { if (!cite.contains(root.activeElement)) hide(); });
    cite.addEventListener("focusout", (event) => { if (!cite.contains(event.relatedTarget) && !cite.matches(":hover")) hide(); });
    cite.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      cite.querySelector(".mark").focus({ preventScroll: true }); // a link inside is about to be hidden
      closed(cite);
    });
  }
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") root.querySelectorAll(".cite:hover, .said:hover + .why").forEach(closed);
  });
  root.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    const goal = link && root.getElementById(decodeURIComponent(link.getAttribute("href").slice(1)));
    if (!link) return;
    event.preventDefault();
    if (!goal) return;
    goal.setAttribute("tabindex", "-1");
    goal.focus({ preventScroll: true });
    goal.scrollIntoView({ block: "center" });
    goal.onkeydown = (pressed) => {
      if (pressed.key !== "Escape") return;
      link.focus({ preventScroll: true });
      link.scrollIntoView({ block: "center" });
    };
  });
}

/** On a phone a citation opens its quote as a sheet from below, with what stands around it, the way to the whole text, and a button that
 *  closes it; so does a marked statement its reason. */
function quoteSheets(body, thread, onProblem, of) {
  const narrow = matchMedia("(max-width: 36rem), (pointer: coarse)");
  const open = (mark) => {
    const cite = mark.closest(".cite");
    const entry = body.querySelector(`#ref-${cite.dataset.ref}[data-text]`);
    const shown = cite.querySelector("q")?.textContent.replace(/…$/, "");
    const wanted = [...(entry?.querySelectorAll("blockquote") || [])].find((quote) => quote.textContent.startsWith(shown))?.dataset.quote || "";
    const back = el("button", { type: "button", text: say("close"), on: { click: () => mark.focus({ preventScroll: true }) } });
    const around = entry && el("button", { type: "button", text: say("inTheText"), on: { click: () => openSource(thread, entry, wanted, onProblem, of) } });
    const tip = cite.querySelector(".tip");
    tip.append(el("span", { class: "ways" }, back, around));
    cite.classList.remove("closed");
    cite.classList.add("open");
    back.focus({ preventScroll: true });
    if (wanted) surroundings(thread, entry, wanted, of).then((place) => showAround(tip, place)).catch(() => {}); // the quote itself is shown
  };
  const close = (cite) => { cite.classList.replace("open", "closed"); for (const part of cite.querySelectorAll(".ways, .around")) part.remove(); };
  body.addEventListener("keydown", (event) => {
    if (event.key === "Escape") body.querySelector(".cite.open .ways button")?.click();
  });
  addEventListener("click", (event) => {
    const target = event.composedPath()[0];
    for (const cite of body.querySelectorAll(".cite.open")) if (!target.closest?.(".tip") || target.closest(".ways")) close(cite);
  });
  body.addEventListener("click", (event) => {
    const said = event.target.closest(".cite") ? null : event.target.closest(".said");
    const pressed = event.target.closest(".mark") || said?.nextElementSibling.querySelector(".mark");
    if (!narrow.matches || !pressed) return;
    event.preventDefault();
    event.stopPropagation();
    body.querySelectorAll(".cite.open").forEach(close);
    // The areas of citations side by side overlap: the nearest one is meant.
    const away = (mark) => { const box = mark.getBoundingClientRect(); return Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY); };
    const marks = [...body.querySelectorAll(".cite .mark")];
    open(event.detail && !said ? marks.reduce((best, mark) => (away(mark) < away(best) ? mark : best)) : pressed);
  });
}

/** Put a quote with what stands around it in the place of the short one, if its sheet is still open. */
function showAround(tip, place) {
  if (!place || !tip.closest(".cite.open") || tip.querySelector(".around")) return;
  const quote = el("mark", { text: place.quote });
  tip.querySelector("q").after(el("span", { class: "around" }, place.before, quote, place.after));
  tip.scrollTop = quote.offsetTop - tip.clientHeight / 3;
}

function downloads(thread, onProblem, of) {
  const buttons = FILES.map(([name, label]) => {
    const button = el("button", { type: "button", class: "plain", data: { file: name } }, drawing(ICONS.download), label);
    button.addEventListener("click", async () => {
      button.disabled = true;
      announce(say("preparing", { name: label }));
      try {
        save(await (await api.file(thread, name, of)).blob(), name);
        announce(say("saved", { name }));
      } catch (problem) {
        onProblem(problem);
      }
      button.disabled = false;
      button.focus();
    });
    return el("li", {}, button);
  });
  return el("section", { class: "downloads", role: "group", "aria-label": say("downloads") }, el("h3", { text: say("downloads") }), el("ul", {}, buttons));
}

function save(blob, name) {
  const address = URL.createObjectURL(blob);
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 30_000);
}

function followUps(view, onAsk) {
  if (!view.follow_up_questions.length) return null;
  return el("section", { class: "follow-ups", "aria-label": say("followUps") },
    el("h3", { text: say("followUps") }),
    el("ol", {}, view.follow_up_questions.map((question) =>
      el("li", {}, el("button", { type: "button", class: "plain", text: question, on: { click: () => onAsk(question) } })))));
}
