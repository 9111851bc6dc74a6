// The plan and its steps as they run: what each looks for, which sources arrive, what it found.

import { el, webAddress } from "./dom.js";
import { counted, say } from "./words.js";

const STATUS = { queued: "queued", running: "running", done: "done", failed: "failedStep", skipped: "skipped" };

/** The list of a turn's plans and steps, and of what was said to it: {element, show(turn)}. `skip(step)` has a step left out. */
export function planView(skip) {
  const element = el("div", { class: "plans" });
  const opened = new Set();
  const seen = new Set(); // sources that have arrived before: only new ones come in with a movement
  let shown = "", unfolded = false;
  return {
    element,
    show(turn) {
      const now = JSON.stringify([turn.plans, turn.steering, turn.status, turn.outline, turn.reworked, turn.background, turn.searched, [...turn.steps].map(([id, step]) => [id, step, [...step.sources], [...step.searches]])]);
      if (now === shown) return;
      unfolded = element.querySelector("details.outline")?.open ?? unfolded;
      shown = now;
      for (const one of element.querySelectorAll("details[data-step]")) {
        if (one.open) opened.add(one.dataset.step); else opened.delete(one.dataset.step);
      }
      const focused = document.activeElement?.closest?.("details[data-step]")?.dataset.step;
      element.replaceChildren(...lookedAround(turn), ...saidList(turn, 0), ...turn.plans.flatMap((plan, place) => [planList(plan, place, turn, { opened, seen, skip }), ...saidList(turn, place + 1)]), ...outlineList(turn.outline, unfolded), ...reworkedList(turn.reworked));
      if (focused) element.querySelector(`details[data-step="${CSS.escape(focused)}"] summary`)?.focus();
    },
  };
}

function lookedAround(turn) {
  if (!turn.background.length && !turn.searched.length) return [];
  return [el("p", { class: "around" }, turn.background.length > 0 && say("found", { titles: quoted(turn.background) }), searchedIn(turn.searched))];
}

/** Titles or queries within a sentence. */
const quoted = (texts) => texts.map((text) => `“${text}”`).join(say("comma"));

/** The evidence that there is by now. */
const evidence = ({ excerpts, sources }) => say("evidenceFrom", { quotes: counted("quotes", excerpts), sources: counted("sources", sources) });

/** What the report is going to tell, and how much has been found for each topic. */
function outlineList(nodes, open) {
  if (!nodes.length) return [];
  const thin = nodes.filter((node) => node.thin).length;
  return [el("details", { class: "why outline", open }, el("summary", { text: say("theOutline", { topics: counted("topics", nodes.length) }) + (thin ? say("outlineThin", { thin }) : "") }),
    el("ul", { class: "queries" }, nodes.map((node) =>
      el("li", {}, `${node.id} ${node.title} `, el("span", { class: "soft", text: `(${node.excerpts ? evidence(node) : say("noQuotes")}${node.thin ? say("tooLittle") : ""})` })))))];
}

/** What somebody said to the run while a plan was carried out; what waits belongs to the latest. */
function saidList(turn, number) {
  const said = turn.steering.filter((one) => (one.waiting ? turn.plans.length : one.plan) === number);
  if (!said.length) return [];
  return [el("ul", { class: "said", "aria-label": say("youSaid") }, said.map((one) => {
    const text = { write: say("writeNow"), skip: say("saidSkip", { steps: one.steps.join(", ") }) }[one.action] || `“${one.text}”`;
    const late = turn.status === "done" && one.action === "message" && !one.planned;
    return el("li", {}, el("span", { class: "soft", text: say("youSaid") + say("colon") }), text,
      (one.waiting || late) && el("span", { class: "soft", text: ` · ${say(late ? "saidLate" : "saidWaits")}` }));
  }))];
}

/** What became of the report's weakest sections, which are researched again and written anew. */
function reworkedList(said) {
  if (!said.length) return [];
  return [el("ul", { class: "queries reworked", "aria-label": say("reworked") }, said.map((text) => el("li", { text })))];
}

function planList(plan, place, turn, before) {
  const heading = turn.plans.length > 1 ? say("planNumber", { number: place + 1 }) : say("thePlan");
  return el("section", { class: "plan" },
    el("h3", {}, el("span", { class: "soft", text: heading + say("colon") }), plan.title),
    plan.thought && el("details", { class: "why" }, el("summary", { text: say("planWhy") }), el("p", { text: plan.thought })),
    el("ol", { class: "steps" }, plan.steps.map((step) => stepItem(step, turn.steps.get(step.id), before, isPast(turn, place), isSkippable(turn, place, step.id)))));
}

/** Whether nothing of a plan will be done any more: there is a later one, or the report. */
const isPast = (turn, place) => turn.status === "done" || place < turn.plans.length - 1;

/** Whether a step can be left out: it is not done but will be, nobody has asked for that, and the run goes on. */
function isSkippable(turn, place, id) {
  const status = turn.steps.get(id)?.status || "queued";
  return turn.status === "running" && (status === "running" || (status === "queued" && !isPast(turn, place))) && !turn.steering.some((one) => one.action === "write" || one.steps.includes(id));
}

function skipButton(id, skip) {
  const button = el("button", { type: "button", class: "quiet leave-out", "aria-label": say("skipStep", { number: id }), text: say("skipIt"), on: { click: async () => {
    button.disabled = true;
    if (!(await skip(id))) button.disabled = false;
  } } });
  return button;
}

function stepItem(step, state = { status: "queued", sources: new Map(), rounds: [], searches: new Map() }, { opened, seen, skip }, past, skippable) {
  const said = say(past && state.status === "queued" ? "undone" : STATUS[state.status] || "queued") + (state.attempt > 1 ? ` · ${say("attempt", { number: state.attempt })}` : "");
  return el("li", { data: { status: state.status } },
    skippable && skipButton(step.id, skip),
    el("details", { data: { step: step.id }, open: opened.has(step.id) },
      el("summary", {},
        el("span", { class: "dot", "aria-hidden": "true" }),
        el("span", { class: "name", text: step.title }),
        el("span", { class: "call" }), // turn.js fills it
        el("span", { class: "state", text: said })),
      el("div", { class: "inside" },
        step.description && step.description !== step.title && el("p", { text: step.description }),
        step.queries.length > 0 && el("ul", { class: "queries" }, step.queries.map((query) => el("li", { text: query }))),
        state.searches.size > 0 && el("ul", { class: "queries rounds", "aria-label": say("searches") }, [...state.searches].map(([queries, searched]) => el("li", {}, `“${queries}”`, searchedIn(searched)))),
        state.rounds.length > 0 && el("ul", { class: "queries rounds", "aria-label": say("rounds") }, state.rounds.map(roundItem)),
        state.finding && el("p", { class: "finding", text: state.finding }),
        state.error && el("p", { class: "problem", text: state.error }))),
    state.sources.size > 0 && el("ul", { class: "arrived", "aria-label": say("sources") },
      [...state.sources].map(([url, title]) => el("li", { class: isNew(seen, `${step.id} ${url}`) ? "new" : undefined }, sourceLink(url, title)))));
}

/** A round of search: how much there is by now, and what it searches for next. */
function roundItem(round) {
  return el("li", {}, say(round.excerpts ? "roundDone" : "roundNothing", { ...round, evidence: evidence(round) }),
    searchedIn(round.searched),
    round.queries.length > 0 && el("span", { class: "soft", text: ` ${say("roundNext", { queries: quoted(round.queries) })}` }));
}

/** What one search brought, and why it failed. */
function searchText(search) {
  const name = say(`searchName_${search.name}`) || search.name;
  const why = search.reason ? say(search.failed ? "searchWhy" : "searchPartly", search) : "";
  const results = counted("results", search.hits) || say("noResults");
  return say(search.failed ? "searchFailed" : "searchBrought", { results, name, why });
}

/** Which searches were asked, and how many results each brought. */
function searchedIn(searched = []) {
  if (!searched.length) return null;
  return el("span", { class: "soft searched", text: ` ${searched.map(searchText).join(" ")}` });
}

function isNew(seen, key) {
  const fresh = !seen.has(key);
  seen.add(key);
  return fresh;
}

function sourceLink(url, title) {
  const address = webAddress(url);
  return address
    ? el("a", { href: address, target: "_blank", rel: "noopener noreferrer", text: title, title: url })
    : el("span", { text: title, title: url });
}
