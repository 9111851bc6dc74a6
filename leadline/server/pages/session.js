// The thread that is open: ask, follow, answer a review, steer, stop, go on. The server has the truth; this follows it.

import { api, Refused } from "./api.js";
import { fromState, nothingYet, take, takeSaid, unbegunTurn } from "./progress.js";
import { follow } from "./stream.js";

/** A session with one thread at a time. `views` is told what to show:
 *  began(turn, question), changed(), earlier(turns), busy(running), connection(there), problem(error), gone(), unasked().
 *  `context(begins, attached)` resolves to what a run chooses that begins a turn, or goes on with one: that waits for files on their way, and
 *  is null where one of them was not taken. */
export function session(views, context) {
  const other = new BroadcastChannel("leadline");
  let thread = null;
  let run = null;
  let turn = null;
  let unbegun = null; // what a run was to do that was refused or stopped before it began: the thread's state does not have it
  let changing = ""; // what the report was to become, until it has or was not to
  let following = new AbortController();
  let watched = Promise.resolve(); // until the run that is watched has ended and its state is taken over

  /** Leave the thread; its run goes on. */
  function leave() {
    following.abort();
    following = new AbortController();
    thread = run = turn = unbegun = null;
    changing = "";
    views.busy(false);
  }

  /** Open a thread as the server has it, once `ready`, and follow its run if one is under way. */
  async function open(id, ready = null) {
    leave();
    const mine = following.signal;
    thread = id;
    try {
      const [state, runs, whole] = await Promise.all([api.state(id), api.runs(id), api.thread(id), ready]);
      const under = runs.find((one) => one.status === "running") ?? runs.findLast((one) => one.status === "pending"); // others wait behind it
      const [earlier, said] = await Promise.all([api.turns(id), state.next?.length ? api.notTaken(id).catch(() => []) : []]);
      if (mine.aborted) return;
      turn = present(state, under || (whole.status === "error" ? runs[0] : undefined), earlier);
      if (!under && turn.status === "running") {
        unbegun = { input: asInput(turn.question), question: turn.question };
        turn = unbegunTurn(turn.question, whole);
      }
      for (const message of said) takeSaid(turn, message, true);
      views.earlier(earlier);
      if (!turn.question && !under) {
        views.unasked();
        return;
      }
      views.began(turn);
      if (under) watched = watch(under.run_id, mine);
    } catch (problem) {
      if (mine.aborted) return;
      if (problem instanceof Refused && [404, 422].includes(problem.status)) views.gone();
      else views.problem(problem);
    }
  }

  /** The present turn; where its run has begun and the state is still that of the turn before, that one joins the earlier. */
  function present(state, under, earlier) {
    const known = fromState(state);
    const humans = (state.values?.messages || []).filter((message) => message.type === "human");
    known.question ||= typeof humans.at(-1)?.content === "string" ? humans.at(-1).content : "";
    const asked = under?.metadata?.question;
    if (asked && state.metadata?.run_id !== under.run_id) {
      if (humans.length > earlier.length) {
        earlier.push({ question: known.question, title: known.report?.title || "", reply: known.reply, checkpoint: state.checkpoint?.checkpoint_id });
      }
      return nothingYet(asked);
    }
    if (["pending", "running"].includes(under?.status)) Object.assign(known, { status: "running", standing: Boolean(known.report) && !asked });
    return known;
  }

  /** Ask a question in the open thread, or in a new one: `ready` resolves to {thread, documents}, or null where it is not to be asked.
   *  Resolves to whether it has been asked, which it is also where another thread has been opened meanwhile. */
  async function ask(question, ready) {
    const signal = following.signal;
    try {
      const into = await ready;
      if (!into) return false;
      if (!signal.aborted) thread = into.thread;
      return await begin(into.thread, { input: asInput(question) }, await context(true, into), () => {
        turn = nothingYet(question);
        views.began(turn);
      }, signal, question);
    } catch (problem) {
      views.problem(problem);
      return false;
    }
  }

  /** Answer the review of a plan. */
  const answer = (review) => resume({ command: { resume: review } });
  /** Go on after a stop or an error, where it ended. */
  const goOn = () => (unbegun ? resume({ input: unbegun.input }, unbegun.question) : changing ? change(changing) : resume({ input: null }));

  /** Have the report changed, as a person asks; it is the same turn, and the report stays until the next version is there. */
  function change(revision) {
    changing = revision;
    turn.drafts.clear();
    return resume({ command: { update: { revision, messages: [{ role: "user", content: revision.request }] }, goto: "reporter" } });
  }

  /** Say something to the run that is under way. Resolves to whether it will be followed. */
  async function steer(said) {
    const here = turn;
    try {
      const message = await api.steer(thread, said);
      if (turn !== here || turn.steering.some((one) => one.id === message.id)) return true; // the run has taken it by now
      takeSaid(turn, message, true);
      views.changed();
      return true;
    } catch (problem) {
      views.problem(problem);
      return false;
    }
  }

  async function resume(work, question = "") {
    const signal = following.signal;
    await watched; // a review is shown before the run that asks for it has ended, and until then no other can begin
    if (signal.aborted) return false;
    const here = thread;
    try {
      const chosen = await context(Boolean(question));
      return chosen !== null && await begin(here, work, chosen, () => {
        Object.assign(turn, { status: "running", review: null, error: "", refused: "" });
        views.changed();
      }, signal, question);
    } catch (problem) {
      views.problem(problem);
      return false;
    }
  }

  /** Resolves to whether the run has begun: not where another is under way, which is shown then. */
  async function begin(here, work, chosen, shown, signal, question = "") {
    let started;
    try {
      started = await api.start(here, work, chosen, question);
    } catch (problem) {
      if (signal.aborted || !(problem instanceof Refused && problem.status === 409)) throw problem;
      await open(here);
      views.elsewhere();
      return false;
    }
    other.postMessage({ thread: here, run: started.run_id });
    if (signal.aborted) {
      views.ended(here);
      return true;
    }
    shown();
    views.started(here);
    unbegun = null;
    watched = watch(started.run_id, signal, question);
    return true;
  }

  async function watch(id, signal, question = "") {
    run = id;
    views.busy(true);
    const here = thread;
    try {
      for await (const event of follow(thread, id, { signal, onConnection: views.connection })) {
        if (take(turn, event).length) views.changed();
      }
      if (!signal.aborted) await settle(here, id, signal, question);
    } catch (problem) {
      if (signal.aborted) return;
      if (problem instanceof Refused && problem.status === 404) return void views.gone();
      views.problem(problem);
      await settle(here, id, signal, question).catch(views.problem);
    }
  }

  /** The run has ended: take over what the server says of it. */
  async function settle(here, id, signal, question) {
    const [state, whole] = await Promise.all([api.state(here), api.thread(here)]);
    if (signal.aborted) return;
    const begun = state.metadata?.run_id === id || (!question && whole.status !== "error");
    if (!begun && question) unbegun = { input: asInput(question), question };
    const known = begun || !question ? fromState(state) : unbegunTurn(question, whole);
    const error = turn.error || (begun ? "" : unbegunTurn("", whole).error);
    Object.assign(turn, {
      wishes: known.wishes, status: known.status, review: known.review, report: known.report, reply: known.reply, refused: known.refused, byMessage: known.byMessage, standing: known.standing, error: known.error || error,
      plans: known.plans.length ? known.plans : turn.plans,
      steering: [...known.steering, ...turn.steering.filter((one) => one.waiting && known.status !== "done" && !known.steering.some((other) => other.id === one.id))],
    });
    if (error && known.status === "stopped") turn.status = "failed";
    if (error && changing) Object.assign(turn, { status: "failed", standing: true, error }); // the state knows nothing of a change that failed
    else changing = "";
    for (const [id, step] of known.steps) {
      const { sources, rounds, searches } = turn.steps.get(id) || step; // the state does not tell them
      turn.steps.set(id, { ...step, sources, rounds, searches });
    }
    turn.calls.clear(); // those that a stop broke off are not told to end
    run = null;
    views.busy(false);
    views.changed();
    views.ended(here);
  }

  async function stop() {
    if (!run) return;
    try {
      await api.cancel(thread, run);
    } catch (problem) {
      if (problem instanceof Refused && problem.status === 404) return;
      views.problem(problem);
      if (run) views.busy(true); // it can be stopped again
    }
  }

  /** See whether the thread has gone on elsewhere. */
  async function look() {
    if (!thread || run) return;
    const here = thread;
    try {
      const known = await api.thread(here);
      if (here !== thread || run) return;
      const shown = { running: "busy", waiting: "interrupted" }[turn?.status] || "idle";
      if (known.status === "busy" || (shown === "interrupted" && known.status !== "interrupted")) await open(here);
    } catch { /* the next look, or whatever is done next, will say */ }
  }

  other.addEventListener("message", ({ data }) => {
    if (data.thread === thread && data.run !== run) {
      if (data.deleted) views.gone();
      else open(thread);
    } else if (data.thread) views.ended(data.thread);
  });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });

  return {
    open, ask, answer, change, goOn, steer, stop, leave,
    deleted: (id) => other.postMessage({ thread: id, deleted: true }),
    get thread() { return thread; },
    get running() { return Boolean(run); },
  };
}

/** The input of a run that asks a question. */
const asInput = (question) => ({ messages: [{ role: "user", content: question }] });
