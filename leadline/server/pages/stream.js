// Follow a run's events to its end, through lost connections: what was missed comes again from the server.

import { api, Refused } from "./api.js";

const SILENCE = 45_000; // milliseconds without even a heartbeat after which a connection counts as lost
const WAITS = [300, 700, 1500, 3000, 5000];

/** Yield {event, data} of a run from its first event on.
 *
 *  `onConnection(there)` is told when the connection is lost and when it is back. Ends when the run has, or when `signal`
 *  is aborted. A run that the server does not know has ended, too: killed, it forgets what it began in the last seconds.
 *  Throws Refused where the server will not give the run. */
export async function* follow(thread, run, { signal, onConnection }) {
  let last = "-1";
  let failures = 0;
  for (;;) {
    const watch = new AbortController();
    const stop = () => watch.abort();
    signal.addEventListener("abort", stop);
    try {
      const answer = await api.joined(thread, run, last, watch.signal);
      if (failures) onConnection(true);
      for await (const part of events(answer.body, watch)) {
        failures = 0;
        if (part.id) last = part.id;
        if (part.event) yield part;
      }
      if (signal.aborted || !["pending", "running"].includes((await api.run(thread, run)).status)) return;
    } catch (problem) {
      if (signal.aborted || (problem instanceof Refused && problem.status === 404)) return;
      if (problem instanceof Refused && problem.status < 500) throw problem;
      if (!failures) onConnection(false);
      await pause(WAITS[Math.min(failures, WAITS.length - 1)], signal);
      failures += 1;
    } finally {
      signal.removeEventListener("abort", stop);
      watch.abort();
    }
  }
}

/** Wait, but no longer than until the network is back. */
function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const over = () => { clearTimeout(timer); removeEventListener("online", over); resolve(); };
    const timer = setTimeout(over, milliseconds);
    addEventListener("online", over, { once: true });
    signal.addEventListener("abort", over, { once: true });
  });
}

/** Parse server-sent events. */
async function* events(body, watch) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const silent = setTimeout(() => watch.abort(), SILENCE);
    const { done, value } = await reader.read().finally(() => clearTimeout(silent));
    if (done) return;
    buffer += value;
    const blocks = buffer.split(/\r?\n\r?\n/);
    buffer = blocks.pop();
    for (const block of blocks) {
      const part = parsed(block);
      if (part) yield part;
    }
  }
}

function parsed(block) {
  const part = { event: "", id: "", data: null };
  const data = [];
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon < 1) continue;
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") part.event = value;
    else if (name === "id") part.id = value;
    else if (name === "data") data.push(value);
  }
  if (!data.length && !part.id) return null;
  part.data = data.length ? JSON.parse(data.join("\n")) : null;
  return part;
}
