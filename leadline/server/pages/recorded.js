// A recorded run of a strong model, played as if it went on now: for whoever has no model connected.

import { announce, el } from "./dom.js";
import { nothingYet, take } from "./progress.js";
import { say } from "./words.js";

const SECONDS = 20;
const PACE = { plan: 6, reflection: 4, step_finished: 3, round: 2, report: 2, source: 0.3 }; // how long an event is shown, relative to the others

/** Play the recording in a view that `begin(turn)` makes of a turn: {show(turn), element}. Ends early when `signal` is aborted. */
export async function playRecording(begin, signal) {
  const [about, lines] = await Promise.all(["about.json", "events.jsonl"].map(async (name) => (await fetch(`page/recorded/${name}`)).text()));
  const told = JSON.parse(about);
  const events = lines.trim().split("\n").map((line) => JSON.parse(line));
  const turn = nothingYet(events.find((event) => event.type === "triage").data.original);
  turn.notices.push(say("recording", told));
  const view = begin(turn);
  const whole = events.reduce((sum, { type }) => sum + (PACE[type] ?? 1), 0);
  let node = "";
  for (const event of events) {
    if (signal.aborted) return;
    if (event.node && event.node !== node) {
      end(turn, node);
      node = event.node;
      take(turn, { event: "tasks", data: { id: node, name: node, input: {} } });
    }
    if (event.type === "plan") take(turn, { event: "tasks", data: { id: "plan", name: node, result: { plans: [event.data] } } });
    take(turn, { event: "custom", data: event });
    view.show(turn);
    await new Promise((resolve) => { setTimeout(resolve, (SECONDS * 1000 * (PACE[event.type] ?? 1)) / whole); });
  }
  end(turn, node);
  turn.status = "done";
  turn.reply = say("recordingEnds");
  view.show(turn);
  view.element.querySelector(".work").open = false;
  announce(say("recordingEnds"));
  const { title } = events.find((event) => event.type === "report").data;
  view.element.append(el("section", { class: "recorded" }, el("h3", { text: title, lang: "en" }), el("p", { class: "small-row" },
    el("a", { class: "primary", href: "page/recorded/report", target: "_blank", rel: "noopener", text: say("recordedReport") }),
    el("button", { type: "button", class: "plain", text: say("connectTitle"), on: { click: () => document.getElementById("model").click() } }))));
}

/** A node has ended: the next event comes from another one. */
function end(turn, node) {
  if (!node) return;
  take(turn, { event: "tasks", data: { id: node, name: node, result: {} } });
  turn.tasks.delete(node);
}
