// The server's public API, as any client uses it. A server that wants a token is given one, asked for once.

import { askForToken, givenToken } from "./token.js";
import { say } from "./words.js";

const GRAPH = "deep_research";
const STREAMED = ["tasks", "custom", "messages-tuple"];

/** An answer other than success; the message is what the server says. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** An answer of a proxy before the server, whose own words are a page for browsers. */
export class RefusedByProxy extends Refused {
  constructor(status) {
    super(status, say("proxyRefused", { status }));
  }
}

/** No answer at all. What fetch throws then is a TypeError, as mistakes of the page's own are. */
export class Unreachable extends Error {}

/** What a proxy answers when the server behind it does not. */
const NOT_BEHIND = [502, 503, 504];

const headers = (more = {}) => {
  const token = givenToken();
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
};

/** Fetch, asking for a token where one is wanted.
 *  Throws Refused for any answer but success, and Unreachable when there is none. */
export async function request(path, options = {}) {
  for (;;) {
    const answer = await fetch(path, { ...options, headers: headers(options.headers) }).catch((problem) => {
      throw problem instanceof TypeError ? new Unreachable(problem.message) : problem;
    });
    if (answer.ok) return answer;
    if (answer.status === 401 && (await askForToken())) continue;
    if (answer.headers.get("Content-Type")?.startsWith("text/html")) {
      throw NOT_BEHIND.includes(answer.status) ? new Unreachable() : new RefusedByProxy(answer.status);
    }
    throw new Refused(answer.status, await reason(answer));
  }
}

async function reason(answer) {
  const text = await answer.text();
  try {
    const told = JSON.parse(text);
    const detail = told.detail ?? told.message ?? text;
    return typeof detail === "string" ? detail : JSON.stringify(detail);
  } catch {
    return text.slice(0, 500) || `HTTP ${answer.status}`;
  }
}

const json = async (path, options) => (await request(path, options)).json();
const send = (method, path, body) =>
  json(path, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
// Addresses are relative to the page's own, which a proxy may serve below a path
const at = (...parts) => parts.map(encodeURIComponent).join("/");
/** The query of an address: the values that are given. */
export function query(values = {}) {
  const text = new URLSearchParams(Object.entries(values).filter(([, value]) => value)).toString();
  return text && `?${text}`;
}

export const api = {
  assistant: async () => (await send("POST", "assistants/search", { graph_id: GRAPH, limit: 1 }))[0],
  graph: (assistant) => json(at("assistants", assistant, "graph")),
  schemas: (assistant) => json(at("assistants", assistant, "schemas")),

  newThread: (title) => send("POST", "threads", { metadata: { title, graph_id: GRAPH } }),
  nameThread: (thread, title) => send("PATCH", at("threads", thread), { metadata: { title } }),
  thread: (thread) => json(at("threads", thread)),
  state: (thread) => json(at("threads", thread, "state")),
  threads: (limit, offset) =>
    send("POST", "threads/search", {
      limit, offset, sort_by: "updated_at", sort_order: "desc", metadata: { graph_id: GRAPH },
      select: ["thread_id", "status", "metadata", "updated_at", "interrupts"], extract: { question: "values.question" },
    }),
  deleteThread: (thread) => request(at("threads", thread), { method: "DELETE" }),

  /** Start a run that goes on without us; `work` is an input, or an answer to a review, or null to go on.
   *  The question of a new turn is written into the run's metadata: whoever joins may come before the state has it. */
  start: (thread, work, context, question) =>
    send("POST", at("threads", thread, "runs"), {
      assistant_id: GRAPH, ...work, context: { advanced: context }, metadata: question ? { question } : {}, stream_mode: STREAMED, stream_resumable: true,
      multitask_strategy: "reject", if_not_exists: "create", durability: "async",
    }),
  run: (thread, run) => json(at("threads", thread, "runs", run)),
  /** The latest runs of a thread, the newest first. */
  runs: (thread) => json(`${at("threads", thread, "runs")}?limit=5`),
  cancel: (thread, run) =>
    request(`${at("threads", thread, "runs", run, "cancel")}?wait=true&action=interrupt`, { method: "POST" }),
  joined: (thread, run, last, signal) =>
    request(`${at("threads", thread, "runs", run, "stream")}`, { headers: { "Last-Event-ID": last }, signal }),

  /** Say something to the thread's run; Refused with 409 where it can no longer follow it. */
  steer: (thread, said) => send("POST", at("steering", thread), said),
  notTaken: (thread) => json(at("steering", thread)),

  /** `of` says which report: {checkpoint} of an earlier turn, {version} of an earlier version; without both it is the latest. */
  view: (thread, of) => json(at("reports", thread, "view.json") + query(of)),
  versions: (thread, of) => json(at("reports", thread, "versions.json") + query(of)),
  difference: (thread, before, after, of) => json(at("reports", thread, "difference.json") + query({ ...of, before, after })),
  turns: (thread) => json(at("reports", thread, "turns.json")),
  file: (thread, name, of) => request(`${at("reports", thread)}/${name}${query(of)}`),

  remembered: (words) => json(`memory?words=${encodeURIComponent(words)}`),
  forget: (statement) => request(at("memory", statement), { method: "DELETE" }),
  forgetAll: () => request("memory", { method: "DELETE" }),

  attached: (thread) => json(at("attachments", thread)),
  attach: (thread, file) => json(at("attachments", thread, file.name), { method: "PUT", body: file }),
  detach: (thread, name) => request(at("attachments", thread, name), { method: "DELETE" }),
  detachAll: (thread) => request(at("attachments", thread), { method: "DELETE" }),
  searches: () => json("searches"),
  model: () => json("model"),
  connect: (given, signal) => request("model", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(given), signal }),
  disconnect: () => request("model", { method: "DELETE" }),
  estimates: (choices, locale) => send("POST", "estimates", { choices, locale }),
  beginning: () => json("page/beginning.json"),
};
