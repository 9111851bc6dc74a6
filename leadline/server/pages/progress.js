// What is known of a run, from its events and from a thread's state: plain data, which the views show.

import { refusal } from "./refusals.js";

const STOPPED = /^(Cancelled|UserInterrupt|UserRollback|HTTPException)/; // errors that are not the run's: somebody stopped it, or the server does not know it

/** A turn of a thread before anything of it is known. */
export function nothingYet(question) {
  return {
    question, status: "running", now: "", error: "", reply: "", refused: "", byMessage: false, standing: false, review: null, report: null, reportSources: 0,
    plans: [], steering: [], outline: [], reworked: [], steps: new Map(), sources: new Map(), background: [], searched: [], notices: [], drafts: new Map(), calls: new Map(),
    wishes: {}, tasks: new Map(), nodes: new Map(), travelled: new Set(), lastNode: "__start__",
  };
}

/** Take in what a thread's state says of its present turn: all that matters of a run that nobody watched. */
export function fromState(state) {
  const values = state.values || {};
  const turn = nothingYet((values.revision?.by_message && values.revision.request) || values.question || "");
  const done = (node, was) => was && turn.nodes.set(node, { running: 0, done: 1, failed: 0 });
  const direct = ["greeting", "out_of_scope", "unclear", "not_research"].includes(values.triage?.intent);
  done("coordinator", values.triage);
  turn.wishes = values.triage?.wishes || {};
  turn.notices = [...(values.notices || [])];
  done("background_investigator", values.background);
  for (const [url, title] of Object.values(values.sources || {}).map((one) => [one.url, one.title])) turn.sources.set(url, title);
  takePlans(turn, values.plans || [], done);
  for (const message of values.steering || []) takeSaid(turn, message);
  for (const result of Object.values(values.results || {})) {
    takeResult(turn, result, done);
    const quoted = (result.excerpts || []).map((excerpt) => excerpt.content_hash);
    const read = [...(values.read?.[result.step_id] || []), ...quoted].map((hash) => values.sources?.[hash]).filter(Boolean);
    for (const { url, title } of read) stepOf(turn, result.step_id).sources.set(url, title);
  }
  done("reflector", values.reflection);
  turn.outline = values.reflection?.outline || [];
  done("reporter", values.report);
  if (values.report) turn.report = { title: values.report.title, version: values.report.version };
  turn.refused = values.revision?.refused || "";
  turn.byMessage = Boolean(values.revision?.by_message);
  turn.standing = Boolean(values.report) && (state.next || []).includes("reporter"); // a change of it has not ended
  if (direct) turn.reply = values.triage.reply;
  const waiting = (state.tasks || []).flatMap((task) => task.interrupts || []).at(-1);
  const failed = (state.tasks || []).map((task) => task.error).find((error) => error && !STOPPED.test(error));
  turn.review = waiting?.value?.plan ? waiting.value : null;
  turn.error = failed ? plain(failed) : "";
  turn.status = turn.review ? "waiting" : failed ? "failed" : (state.next || []).length ? "stopped" : "done";
  return turn;
}

/** What is shown of a run that was refused or stopped before it began: the thread's state says nothing of it. */
export function unbegunTurn(question, { status, error }) {
  const refused = status === "error" ? plain(error?.message || error?.error || "") : "";
  return { ...nothingYet(question), status: status === "error" ? "failed" : "stopped", error: refused };
}

/** Take in one event of a run's stream. Returns what changed, by the names of the views that show it. */
export function take(turn, { event, data }) {
  if (event === "tasks") return takeTask(turn, data);
  if (event === "custom") return takeProgress(turn, data);
  if (event === "messages") return takeToken(turn, data);
  if (event === "error") {
    if (STOPPED.test(data?.error || "")) return [];
    turn.status = "failed";
    turn.error = plain(data?.message || data?.error || data);
    return ["status"];
  }
  return [];
}

/** An error as it was meant for people: without the name of its class. */
function plain(error) {
  const text = typeof error === "string" ? error : JSON.stringify(error);
  return refusal((/^[A-Z]\w*\((['"])(.*)\1,?\)$/s.exec(text)?.[2] ?? text).replace(/\\n/g, "\n").slice(0, 1000));
}

function takeTask(turn, task) {
  if (task.name.startsWith("__")) return [];
  const node = turn.nodes.get(task.name) || { running: 0, done: 0, failed: 0 };
  turn.nodes.set(task.name, node);
  if ("input" in task) {
    if (turn.tasks.has(task.id)) return [];
    turn.tasks.set(task.id, "running");
    node.running += 1;
    turn.now = ""; // what it was before; until the node says more, its name says what is done
    turn.travelled.add(`${turn.lastNode}>${task.name}`);
    if (task.name !== "human_feedback") turn.status = "running";
    return ["graph", "status"];
  }
  if (turn.tasks.get(task.id) === "running") node.running -= 1;
  turn.tasks.set(task.id, "ended");
  endCalls(turn, (call) => call.node === task.name && !call.step);
  const asks = (task.interrupts || []).find((one) => one.value?.plan);
  if (asks) {
    turn.review = asks.value;
    turn.status = "waiting";
    return ["graph", "status"];
  }
  if (task.error && STOPPED.test(task.error)) return ["graph"];
  node[task.error ? "failed" : "done"] += 1;
  turn.lastNode = task.name;
  const result = task.result && !Array.isArray(task.result) ? task.result : Object.fromEntries(task.result || []);
  if (result.plans) takePlans(turn, whole(result.plans) ? fresh(result.plans) : withPlans(turn.plans, result.plans));
  for (const one of Object.values(fresh(result.results))) takeResult(turn, one);
  for (const one of Object.values(fresh(result.sources))) turn.sources.set(one.url, one.title);
  for (const message of result.steering || []) takeSaid(turn, message);
  if (result.triage) turn.wishes = result.triage.wishes || {};
  if (result.triage?.reply && !result.report && result.messages) turn.reply = result.triage.reply;
  if (result.report) turn.report = { title: result.report.title, version: result.report.version };
  if (result.revision?.refused) turn.refused = result.revision.refused;
  return ["graph", "plan", "status"];
}

/** Whether a node gave a part of the state anew, as at the beginning of a turn, rather than what it adds to it. */
const whole = (part) => part?.type === "__overwrite__";
const fresh = (part = {}) => (whole(part) ? part.value : part) || {};

/** All plans with those that a node added; one that is known already, as an event of the past comes again, stays where it is. */
function withPlans(plans, added) {
  const key = (plan) => JSON.stringify([plan.title, plan.steps.map((step) => step.id)]);
  const known = new Set(plans.map(key));
  return [...plans, ...added.filter((plan) => !known.has(key(plan)))];
}

/** Take in what somebody said to the run; a message that waits has not come to the run's next boundary yet. */
export function takeSaid(turn, message, waiting = false) {
  turn.steering = [...turn.steering.filter((one) => one.id !== message.id), { ...message, waiting }].sort((one, other) => (one.id < other.id ? -1 : 1));
}

function takePlans(turn, plans, done = () => {}) {
  done("planner", plans.length);
  turn.plans = plans;
  for (const step of plans.flatMap((plan) => plan.steps)) {
    const known = turn.steps.get(step.id);
    turn.steps.set(step.id, known || newStep());
  }
}

function takeResult(turn, result, done = () => {}) {
  const type = turn.plans.flatMap((plan) => plan.steps).find((step) => step.id === result.step_id)?.step_type;
  done("research_team", true);
  done(type === "processing" ? "coder" : "researcher", true);
  Object.assign(stepOf(turn, result.step_id), { status: result.status, finding: result.finding, error: result.error, attempt: result.attempts });
}

function stepOf(turn, id) {
  if (!turn.steps.has(id)) turn.steps.set(id, newStep());
  return turn.steps.get(id);
}

const newStep = () => ({ status: "queued", sources: new Map(), rounds: [], searches: new Map(), finding: "", error: "", attempt: 1 });

/** Take in how a model call stands that takes its time; why it was made again is remembered until it ends. */
function takeCall(turn, { node, data }) {
  const key = callKey(data);
  const reason = data.reason || turn.calls.get(key)?.reason || "";
  turn.calls.set(key, { node, step: data.step || "", state: data.state, seconds: data.seconds || 0, told: Date.now(), reason });
  return ["status"];
}

const callKey = (data) => `${data.role} ${data.step || ""}`;

function endCalls(turn, over) {
  for (const [key, call] of turn.calls) if (over(call)) turn.calls.delete(key);
}

function takeProgress(turn, event) {
  const { type, title, data = {} } = event;
  if (type === "call_progress") return takeCall(turn, event);
  if (type === "call") {
    turn.calls.delete(callKey(data));
    return ["status"];
  }
  if (type === "estimate" && !data.told) return [];
  if (type === "estimate" || (type === "notice" && event.node === "coordinator")) {
    if (!turn.notices.includes(title)) turn.notices.push(title);
    return ["notices"];
  }
  turn.now = title;
  if (type === "background") Object.assign(turn, { background: data.sources || [], searched: data.searched || [] });
  if (type === "steering") takeSaid(turn, data);
  if (type === "report") turn.reportSources = data.sources; // of all that were read, those that it draws on
  if (type === "reflection") turn.outline = data.outline || [];
  if (type === "notice" && data.section && !turn.reworked.includes(title)) turn.reworked.push(title);
  if (type === "round") {
    stepOf(turn, data.step).rounds[data.round - 1] = data;
    endCalls(turn, (call) => call.step === data.step);
  } else if (type === "searched") {
    stepOf(turn, data.step).searches.set(data.queries.join(" · "), data.searched);
  } else if (type === "step_started") {
    Object.assign(stepOf(turn, data.step), { status: "running", attempt: data.attempt || 1 });
  } else if (type === "source") {
    const shown = title.replace(/^[^:：]*[:：]\s*/, "");
    if (data.url) turn.sources.set(data.url, turn.sources.get(data.url) || shown);
    if (data.step) stepOf(turn, data.step).sources.set(data.url || shown, shown);
  } else if (type === "step_finished") {
    Object.assign(stepOf(turn, data.step), { status: data.status, finding: data.finding || "" });
    endCalls(turn, (call) => call.step === data.step);
  }
  return ["status", "plan"];
}

function takeToken(turn, [message, about]) {
  if (!about?.langgraph_node?.startsWith("report") || message.type !== "AIMessageChunk") return [];
  const text = typeof message.content === "string" ? message.content : message.content.map((one) => one.text || "").join("");
  if (!text) return [];
  if (!turn.drafts.has(message.id)) turn.drafts.clear(); // an answer that broke off is written again from its beginning
  turn.drafts.set(message.id, (turn.drafts.get(message.id) || "") + text);
  return ["draft"];
}
