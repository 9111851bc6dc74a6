// One turn of a thread, from the question to the report: it brings together the views of all that happens in between.

import { announce, el, linked } from "./dom.js";
import { changeableReport } from "./change.js";
import { draftView } from "./draft.js";
import { graphPicture } from "./graph.js";
import { planView } from "./plan.js";
import { reviewForm } from "./review.js";
import { wishChips } from "./wishes.js";
import { counted, say } from "./words.js";

const EVERY = 40; // milliseconds between two drawings of what changed

/** The view of a turn. `actions` are what its buttons do: answer(review), change(request), goOn(), ask(question), steer(said), problem(error);
 *  `without` is the set of wishes that the next run does without, `unwished(question)` is called when it grows. */
export function turnView(thread, graph, actions) {
  const picture = graphPicture(graph);
  const plans = planView((id) => actions.steer({ action: "skip", steps: [id] }));
  const draft = draftView();
  const coming = el("div", { class: "coming", "aria-hidden": "true", hidden: true }, el("p", { text: say("coming") }), [1, 2, 3, 4, 5].map(() => el("i")));
  const chips = wishChips(actions.without, () => {
    chips.show(turn);
    if (turn.status !== "waiting") actions.unwished(turn.question);
  });
  const heading = el("h2", { class: "asked", tabindex: "-1" });
  const notices = el("ul", { class: "notices", hidden: true });
  const now = el("span", { class: "now" });
  const calls = el("span", { class: "calls" });
  const facts = el("span", { class: "facts" });
  const work = el("details", { class: "work", open: true },
    el("summary", {}, el("span", { class: "pulse", "aria-hidden": "true" }), el("span", { class: "now-and-calls" }, now, calls), facts), picture.element, plans.element);
  const writeNow = el("button", { type: "button", class: "plain write-now", hidden: true, text: say("writeNow"), on: { click: async () => {
    writeNow.disabled = true;
    if (!(await actions.steer({ action: "write" }))) writeNow.disabled = false;
  } } });
  work.append(writeNow);
  const review = el("div", { class: "review-place" });
  const ending = el("div", { class: "ending" });
  const reporting = { change: actions.change, ask: actions.ask, problem: actions.problem };
  const element = el("article", { class: "turn" }, heading, chips.element, notices, work, review, draft.element, coming, ending);
  let turn = null;
  let drawing = 0;
  let ticking = 0; // while a model call takes its time, its seconds count on
  let reviewed = null;
  let sent = null; // the plan as somebody changed it: where it is refused, their changes are still there
  let ended = "";
  let reported = false; // whether the report stands at the end
  let handled = false; // somebody opened or closed the work: it stays as they want it
  work.firstChild.addEventListener("click", () => { handled = true; });

  /** Make room for what is to be read now. */
  function fold() {
    if (!handled) work.open = false;
  }

  function draw() {
    drawing = 0;
    if (heading.textContent !== turn.question) heading.textContent = turn.question;
    element.dataset.status = turn.status;
    document.body.dataset.turn = turn.status;
    element.setAttribute("aria-label", turn.question);
    notices.hidden = !turn.notices.length;
    if (notices.childElementCount !== turn.notices.length) notices.replaceChildren(...turn.notices.map((text) => el("li", {}, linked(text))));
    chips.show(turn);
    picture.show(turn);
    plans.show(turn);
    draft.show(turn, turn.status === "done" && (reported || !turn.report));
    if (!draft.element.hidden) fold();
    line();
    slowCalls();
    askReview();
    end();
    coming.hidden = turn.status !== "running" || !draft.element.hidden || reported;
  }

  function line() {
    const text = { waiting: say("waiting"), done: say("researched"), stopped: say("stoppedShort"), failed: say("failed") }[turn.status] || turn.now || busy(turn) || say("working");
    if (now.textContent !== text) {
      now.textContent = text;
      if (turn.status !== "done") announce(text);
    }
    facts.textContent = [
      counted("plans", turn.plans.length > 1 ? turn.plans.length : 0), counted("steps", turn.plans.flatMap((plan) => plan.steps).length), // not the part of earlier turns
      turn.reportSources ? say("sourcesCited", { sources: counted("sources", turn.reportSources) }) : turn.sources.size > 0 && say("sourcesRead", { sources: counted("sources", turn.sources.size) }),
    ].filter(Boolean).join(" · ");
    const writing = turn.nodes.get("reporter")?.running > 0;
    writeNow.hidden = turn.status !== "running" || writing || !turn.nodes.get("coordinator")?.done || turn.steering.some((one) => one.action === "write");
    writeNow.disabled &&= !writeNow.hidden;
    work.hidden = turn.status === "done" && !turn.steps.size && !turn.sources.size;
  }

  function slowCalls() {
    const under = turn.status === "running" ? [...turn.calls.values()] : [];
    const text = under.filter((call) => !call.step).map(callText).join(" · ");
    if (calls.textContent !== text) calls.textContent = text;
    showStepCalls(plans.element, under);
    clearTimeout(ticking);
    ticking = under.length ? setTimeout(slowCalls, 1000) : 0;
  }

  function askReview() {
    if (turn.status !== "waiting" || !turn.review) {
      review.replaceChildren();
      reviewed = null;
    } else if (JSON.stringify(turn.review) !== reviewed) {
      reviewed = JSON.stringify(turn.review);
      const request = turn.review.problem && sent ? { ...turn.review, plan: sent } : turn.review;
      const form = reviewForm(request, async (answer) => {
        const fields = [...form.querySelectorAll("input, textarea, select, button")].filter((field) => !field.disabled);
        for (const field of fields) field.disabled = true;
        sent = answer.plan;
        if (!(await actions.answer(answer))) for (const field of fields) field.disabled = false;
      });
      review.replaceChildren(form);
      form.querySelector("h3").focus({ preventScroll: true });
      form.scrollIntoView({ block: "nearest" });
    }
  }

  function end() {
    const key = `${turn.status} ${turn.error} ${turn.reply} ${turn.refused} ${turn.standing} ${turn.report?.version}`;
    const changes = reported && turn.status === "running"; // the report stays to be read meanwhile
    if (changes && !ending.inert) {
      element.scrollIntoView({ block: "start" });
      for (const told of ending.querySelectorAll(":scope > :not(.changeable)")) told.remove(); // of the change before
    }
    ending.inert = changes;
    if (key === ended || turn.status === "running" || turn.status === "waiting") {
      const anew = key !== ended && !ending.inert;
      ended = key;
      if (anew) ending.replaceChildren();
      if (anew && turn.status === "running" && turn.standing) showReport([]);
      return;
    }
    ended = key;
    reported = false;
    const go = (text) => el("button", { type: "button", class: "primary", text, on: { click: async (event) => {
      event.target.disabled = true;
      if (!(await actions.goOn())) event.target.disabled = false;
    } } });
    if (turn.status === "stopped") ending.replaceChildren(el("p", { class: "soft", text: say("stopped") }), go(say("continue")));
    else if (turn.status === "failed") ending.replaceChildren(el("p", { class: "problem", role: "alert", text: turn.error || say("failed") }), go(say("again")));
    else if (turn.refused && turn.byMessage) ending.replaceChildren(el("div", { class: "reply", text: turn.refused }));
    else if (turn.report) showReport();
    else ending.replaceChildren(el("div", { class: "reply", text: turn.reply }));
    if (turn.standing && turn.status !== "done") showReport([...ending.childNodes]);
    if (turn.status !== "done") ending.scrollIntoView({ block: "nearest" }); // what to do now must not be below the question's field
  }

  /** Show the report; above it why it was not changed, where it was to be, and what can be done about that. */
  async function showReport(above = turn.refused ? [el("p", { class: "problem", role: "alert", text: turn.refused })] : []) {
    const key = ended;
    try {
      const made = await changeableReport(thread, turn.question, reporting);
      if (ended !== key) return;
      fold();
      ending.replaceChildren(...above, made);
      reported = true;
      turn.reportSources = Number(made.dataset.sources);
      line();
      draft.show(turn, turn.status === "done");
      coming.hidden = true;
      end(); // a report that is being changed can be read, and not be used
      if (!above.length && turn.status === "done") announce(say("reportReady", { title: made.dataset.title }));
    } catch (problem) {
      if (ended === key && element.isConnected) actions.problem(problem); // not of a thread that was left or deleted meanwhile
    }
  }

  return {
    element,
    /** Show what changed; many changes in a row are drawn together. */
    show(now_) {
      turn = now_;
      drawing ||= setTimeout(draw, EVERY);
    },
    /** A later turn has begun: nothing can be asked from here any more. */
    retire() {
      delete reporting.change;
      delete reporting.ask;
      for (const one of ending.querySelectorAll(":scope > button, .follow-ups, .change")) one.remove();
      for (const one of chips.element.querySelectorAll("button")) one.remove();
    },
    focus: () => heading.focus({ preventScroll: true }),
  };
}

/** The names of the nodes that are at work. */
const busy = (turn) => [...turn.nodes].filter(([, node]) => node.running > 0).map(([name]) => `${say(`node_${name}`) || name} …`).join(" · ");

/** An earlier turn: its question and what came of it, opened when somebody wants to see it. */
export function earlierTurn(thread, earlier, actions) {
  const inside = el("div", { class: "ending" });
  const box = el("details", { class: "earlier" },
    el("summary", {}, el("h2", { class: "asked", text: earlier.question })), inside);
  box.addEventListener("toggle", async () => {
    if (!box.open || inside.childElementCount) return;
    if (!earlier.title) {
      inside.append(el("div", { class: "reply", text: earlier.reply }));
      return;
    }
    try {
      inside.append(await changeableReport(thread, earlier.question, { problem: actions.problem }, earlier.checkpoint));
    } catch (problem) {
      actions.problem(problem);
    }
  });
  return el("article", { class: "turn", "aria-label": earlier.question }, box);
}

/** How a model call that takes its time stands now, in words. One that is made again counts down to that. */
function callText({ state, seconds, told, reason }) {
  const passed = (Date.now() - told) / 1000;
  const left = Math.floor(seconds - passed);
  const [code, detail] = reason.slice(0, 150).split(/: (.*)/);
  const words = say(`again_${code}`);
  const why = words && detail ? say("again_detail", { reason: words, detail }) : words || reason.slice(0, 150);
  if (state === "again") return left > 0 ? say("call_again_soon", { seconds: left, reason: why }) : say("call_again", { reason: why });
  const text = say(`call_${state}`, { seconds: Math.floor(seconds + passed) });
  return why ? say("call_repeated", { state: text, reason: why }) : text;
}

/** Write beside each step how its call stands; the list itself stays as it is. */
function showStepCalls(list, calls) {
  const texts = new Map(calls.filter((call) => call.step).map((call) => [call.step, callText(call)]));
  for (const place of list.querySelectorAll("details[data-step] > summary > .call")) {
    const text = texts.get(place.closest("details").dataset.step) || "";
    if (place.textContent !== text) place.textContent = text;
  }
}
