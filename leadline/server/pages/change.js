// Changing the finished report: ready choices and free words, its versions, and what two of them differ in.

import { api } from "./api.js";
import { announce, el } from "./dom.js";
import { withoutModel } from "./model.js";
import { reportView } from "./report.js";
import { say } from "./words.js";

let made = 0;

/** The finished report of a thread, or of the earlier turn that a checkpoint holds, with its versions. Resolves to an element.
 *  `actions`: change(revision) resolves to whether the change has begun; ask(question), problem(error). Of an earlier turn only the last. */
export async function changeableReport(thread, question, actions, checkpoint) {
  const latest = await api.view(thread, { checkpoint });
  const turn = { checkpoint: latest.checkpoint }; // it stays this turn's report when the thread has a further one
  const versions = await api.versions(thread, turn);
  const place = el("div", { class: "report-place" });
  const element = el("div", { class: "changeable", data: { title: latest.title, sources: latest.sources } });
  const bar = versions.length > 1 ? versionBar(versions, show, differs, actions.problem) : null;
  element.append(...[bar?.element, place].filter(Boolean));

  async function show(number) {
    const of = { ...turn, version: number === latest.version ? undefined : number };
    const view = of.version ? await api.view(thread, of) : latest;
    const report = await reportView(thread, view, question, { onAsk: actions.ask, onProblem: actions.problem, of });
    place.replaceChildren(report);
    if (actions.change && !of.version && latest.claims) report.querySelector(".downloads").before(changeForm(latest, actions));
  }

  /** Show what a version has that the one before had not, and what it has no more. */
  async function differs(number) {
    const sentences = await api.difference(thread, number - 1, number, turn);
    place.replaceChildren(difference(sentences, number));
  }

  await show(latest.version);
  bar?.mark(latest.version, false);
  return element;
}

/** Buttons for each version, and one that shows what a version changed. */
function versionBar(versions, show, differs, problem) {
  let number = versions.length;
  let comparing = false;
  const buttons = versions.map((version) => el("button", {
    type: "button", class: "plain", data: { version: version.number }, title: version.request,
    text: say("versionNumber", { number: version.number }), on: { click: () => turnTo(version.number, false) },
  }));
  const changes = el("button", { type: "button", class: "quiet what-changed", text: say("whatChanged"), on: { click: () => turnTo(number, !comparing) } });
  const asked = el("p", { class: "soft asked-for" });
  const element = el("section", { class: "versions", role: "group", "aria-label": say("versions") }, el("div", { class: "small-row" }, buttons, changes), asked);

  function mark(shown, compared) {
    [number, comparing] = [shown, compared];
    const { request } = versions.find((version) => version.number === shown);
    for (const button of buttons) button.setAttribute("aria-pressed", String(Number(button.dataset.version) === shown));
    changes.setAttribute("aria-pressed", String(compared));
    changes.disabled = shown === versions[0].number;
    asked.textContent = request ? say("versionAsked", { request }) : say("versionFirst");
  }

  async function turnTo(shown, compared) {
    try {
      await (compared ? differs(shown) : show(shown));
    } catch (wrong) {
      problem(wrong);
      return;
    }
    mark(shown, compared);
    announce(compared ? say("differenceShown", { before: shown - 1, after: shown }) : say("versionShown", { number: shown }));
  }
  return { element, mark };
}

function difference(sentences, number) {
  const tags = { same: "span", removed: "del", added: "ins" };
  const named = { removed: say("removedSentence"), added: say("addedSentence") };
  const heading = (text) => /^#{1,6} /.test(text);
  const changed = sentences.some(({ state }) => state !== "same");
  return el("section", { class: "difference", "aria-label": say("whatChanged") },
    el("p", { class: "soft", text: say(changed ? "differenceHelp" : "differenceNone", { before: number - 1, after: number }) }),
    sentences.map(({ state, text }) => el("p", { class: heading(text) ? "heading" : undefined, data: { state } },
      named[state] && el("span", { class: "sr", text: named[state] + say("colon") }),
      el(tags[state], { text: text.replace(/^(?:#{1,6}|>) /, "").replaceAll("**", "") }))));
}

/** What may be changed: a few ready choices, and free words. */
function changeForm(view, { change }) {
  const id = `change-${(made += 1)}`;
  let begun = false;
  const words = el("input", { type: "text", id: `${id}-words`, maxlength: "2000", autocomplete: "off", placeholder: say("changePlaceholder") });
  const send = el("button", { type: "submit", class: "plain", text: say("changeSend"), disabled: true });
  words.addEventListener("input", offer);
  const other = view.locale.toLowerCase().startsWith("zh") ? "changeEnglish" : "changeChinese";
  const ready = ["changeShorter", "changeSimpler", other].map((name) =>
    el("button", { type: "button", class: "plain", data: { change: name }, text: say(name), on: { click: () => begin({ request: say(`${name}Request`), shorten: name === "changeShorter" }) } }));
  const headings = el("select", { id: `${id}-heading` }, view.headings.map((heading) => el("option", { value: heading, text: heading })));
  const drop = el("button", { type: "button", class: "plain", data: { change: "drop" }, text: say("changeDrop"), on: { click: () => begin({ request: say("changeDropRequest", { heading: headings.value }), without: headings.value }) } });
  const lacking = el("p", { class: "soft", text: say("changeNeedsModel") });
  const form = el("form", { class: "change", "aria-labelledby": `${id}-title` },
    el("h3", { id: `${id}-title`, text: say("changeTitle") }),
    el("p", { class: "soft", text: say("changeHelp") }), lacking,
    el("div", { class: "small-row" }, ready),
    view.headings.length > 1 && el("div", { class: "small-row" }, el("label", { class: "soft", for: headings.id, text: say("changeSection") }), headings, drop),
    el("label", { class: "sr", for: words.id, text: say("changeWords") }),
    el("div", { class: "in-words" }, words, send));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (words.value.trim()) begin({ request: words.value.trim() });
  });

  async function begin(revision) {
    begun = true;
    offer();
    begun = await change(revision);
    offer();
  }

  /** Disable what cannot be asked for now: without a model only code changes the report. */
  function offer() {
    lacking.hidden = !withoutModel();
    for (const field of form.querySelectorAll("button, input, select")) field.disabled = begun || (withoutModel() && [words, ...ready.slice(1)].includes(field));
    send.disabled ||= !words.value.trim();
  }

  addEventListener("models", function follow() {
    if (form.isConnected) offer();
    else removeEventListener("models", follow);
  });
  offer();
  return form;
}
