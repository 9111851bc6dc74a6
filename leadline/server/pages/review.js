// Review and edit a plan: reorder, remove and add steps, change titles and queries, accept, or say in words what to change.
// One step is open at a time.

import { ICONS, announce, drawing, el } from "./dom.js";
import { say } from "./words.js";

let forms = 0;

/** A form for the review that a run asks for. `onAnswer` gets what the interrupt's contract takes:
 *  {action: "accept"}, {action: "edit", feedback} or {action: "replace", plan}. */
export function reviewForm(request, onAnswer) {
  const prefix = `review-${(forms += 1)}`;
  const plan = structuredClone(request.plan);
  const before = request.problem ? "" : JSON.stringify(plan); // what was refused as it is, is not accepted as it is
  const list = el("ol", { class: "edited" });
  const accept = el("button", { type: "submit", class: "primary" });
  const words = el("textarea", { id: `${prefix}-words`, rows: "2", placeholder: say("inWordsPlaceholder") });
  const again = el("button", { type: "button", class: "plain", text: say("planAgain"), disabled: true });
  const changed = () => {
    accept.textContent = JSON.stringify(plan) === before ? say("accept") : say("acceptEdited");
    accept.disabled = !plan.steps.length || plan.steps.some((step) => !step.title.trim());
    again.disabled = !words.value.trim();
  };
  const draw = () => { list.replaceChildren(...plan.steps.map((step, place) => stepFields(step, place, context))); changed(); };
  const leaving = (event) => {
    if (!form.isConnected) removeEventListener("beforeunload", leaving);
    else if (JSON.stringify(plan) !== before || words.value.trim()) event.preventDefault();
  };
  addEventListener("beforeunload", leaving); // what is not sent is nowhere else
  const numbers = plan.steps.map((step) => Number(step.id)).filter(Boolean);
  const first = numbers.length ? Math.min(...numbers) : 1; // they go on from those of earlier plans
  const context = { prefix, plan, first, changed, draw, list, open: null };
  const title = el("input", { id: `${prefix}-title`, value: plan.title, on: { input: () => { plan.title = title.value; changed(); } } });
  words.addEventListener("input", changed);
  again.addEventListener("click", () => onAnswer({ action: "edit", feedback: words.value.trim() }));
  const form = el("form", { class: "review", "aria-labelledby": `${prefix}-heading` },
    el("h3", { id: `${prefix}-heading`, tabindex: "-1", text: say("reviewTitle") }),
    el("p", { class: "soft", text: say("reviewHelp") }),
    request.problem && el("p", { class: "problem", role: "alert", text: request.problem }),
    el("label", { for: title.id, text: say("planTitle") }), title,
    list,
    el("button", { type: "button", class: "plain add", on: { click: () => addStep(context) } }, drawing(ICONS.plus), say("addStep")),
    el("div", { class: "buttons" }, accept),
    el("label", { for: words.id, text: say("inWords") }),
    el("div", { class: "in-words" }, words, again));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    onAnswer(JSON.stringify(plan) === before ? { action: "accept" } : { action: "replace", plan: settled(plan) });
  });
  draw();
  return form;
}

function stepFields(step, place, context) {
  const { prefix, plan, first, changed } = context;
  const id = (name) => `${prefix}-${place}-${name}`;
  const number = place + first;
  const name = el("span", { class: "name", text: step.title });
  const title = el("input", { id: id("title"), value: step.title, "aria-required": "true", on: { input: () => { step.title = name.textContent = title.value; changed(); } } });
  const about = el("textarea", { id: id("about"), rows: "2", value: step.description, on: { input: () => { step.description = about.value; changed(); } } });
  const queries = el("textarea", { id: id("queries"), rows: String(Math.max(2, step.queries.length)), value: step.queries.join("\n"), on: {
    input: () => { step.queries = queries.value.split("\n").map((line) => line.trim()).filter(Boolean); changed(); } } });
  const kind = el("select", { id: id("kind"), on: { change: () => { step.step_type = kind.value; changed(); } } },
    ["research", "processing"].map((one) => el("option", { value: one, selected: step.step_type === one, text: say(one) })));
  const now = plan.steps.map((one) => one.id);
  const needs = step.depends_on.map((one) => (now.includes(one) ? now.indexOf(one) + first : one));
  const button = (icon, label, act, disabled = false) =>
    el("button", { type: "button", class: "icon", "aria-label": label, title: label, disabled, data: { act }, on: { click: () => acts[act]() } }, drawing(icon));
  const acts = {
    up: () => move(context, place, -1),
    down: () => move(context, place, 1),
    remove: () => remove(context, place),
  };
  const fields = el("details", { name: `${prefix}-step`, open: context.open === step },
    el("summary", {}, el("span", { class: "number", text: say("stepNumber", { number }) }), name),
    el("label", { for: title.id, text: say("stepTitle") }), title,
    el("label", { for: about.id, text: say("stepDescription") }), about,
    el("label", { for: queries.id, text: say("stepQueries") }), queries,
    el("div", { class: "small-row" }, el("label", { for: kind.id, text: say("stepType") }), kind,
      needs.length > 0 && el("span", { class: "soft", text: `${say("dependsOn")} ${needs.join(", ")}` })));
  return el("li", {}, fields, el("div", { class: "moves" },
    button(ICONS.up, say("moveUp", { number }), "up", place === 0),
    button(ICONS.down, say("moveDown", { number }), "down", place === plan.steps.length - 1),
    button(ICONS.remove, say("removeStep", { number }), "remove")));
}

/** Change the steps and draw them anew. The step that is open stays open; the page is asked which one it is,
 *  as its event of opening may still be on its way. */
function rearrange(context, change) {
  const { list, plan } = context;
  context.open = plan.steps[[...list.children].findIndex((item) => item.firstElementChild.open)] ?? null;
  change(plan.steps);
  context.draw();
}

function move(context, place, by) {
  rearrange(context, (steps) => steps.splice(place + by, 0, ...steps.splice(place, 1)));
  const moved = context.list.children[place + by];
  const same = moved.querySelector(`[data-act="${by < 0 ? "up" : "down"}"]`);
  (same.disabled ? moved.querySelector(`[data-act="${by < 0 ? "down" : "up"}"]`) : same).focus();
  announce(say("moved", { number: place + by + context.first }));
}

function remove(context, place) {
  rearrange(context, (steps) => {
    const [gone] = steps.splice(place, 1);
    for (const step of steps) step.depends_on = step.depends_on.filter((one) => one !== gone.id);
  });
  const next = context.list.children[Math.min(place, context.plan.steps.length - 1)];
  (next?.querySelector("summary") || context.list.nextElementSibling).focus();
  announce(say("removed", { count: context.plan.steps.length }));
}

function addStep(context) {
  const taken = new Set(context.plan.steps.map((step) => step.id));
  let number = 1;
  while (taken.has(`new-${number}`)) number += 1;
  const step = { id: `new-${number}`, title: "", description: "", step_type: "research", need_web_search: true, queries: [], depends_on: [], tools: [] };
  rearrange(context, (steps) => {
    steps.push(step);
    context.open = step;
  });
  context.list.lastElementChild.querySelector("input").focus();
}

/** The plan as it is sent: no step without a description. */
function settled(plan) {
  return { ...plan, has_enough_context: false, steps: plan.steps.map((step) => ({ ...step, description: step.description.trim() || step.title })) };
}
