// The page: it puts the session, its views and the controls together.

import { api, Unreachable } from "./api.js";
import { attachments } from "./attach.js";
import { depthChoice } from "./depth.js";
import { announce, el } from "./dom.js";
import { openMemory } from "./memory.js";
import { modelChip } from "./model.js";
import { playRecording } from "./recorded.js";
import { refusal } from "./refusals.js";
import { runList } from "./runs.js";
import { session } from "./session.js";
import { changedSince, choices, keep, openSettings } from "./settings.js";
import { givenToken } from "./token.js";
import { earlierTurn, turnView } from "./turn.js";
import { examples, language, leaving, say, switchLanguage, translate } from "./words.js";

const find = (id) => document.getElementById(id);
const [banner, turns, question, composer, send, stop, review, nav] =
  ["banner", "turns", "question", "composer", "send", "stop", "review", "runs"].map(find);
let graph = null;
let assistant = null;
let view = null;
let turn = null;
const without = new Set(); // wishes of the question that the next run does without
let playing = new AbortController(); // the recorded run that is being watched
let loading = null; // what the server says once, until it has
let before = {}; // what the user had chosen when the turn was asked or opened: the run keeps its own choices

translate();
question.setAttribute("aria-keyshortcuts", "Enter");
find("language").textContent = language === "zh" ? "English" : "中文";
find("language").lang = language === "zh" ? "en" : "zh";
review.checked = choices().review_plan === true;

function problem(...errors) {
  const texts = errors.map((error) => (error instanceof Unreachable ? say("unreachable") : refusal(error.message)));
  tell([...new Set(texts)].join("\n"), "problem");
}

function tell(text, kind = "", offer = null) {
  banner.className = `banner ${kind}`;
  banner.replaceChildren(el("span", { text }), offer ?? "", el("button", { type: "button", class: "quiet", text: say("close"), on: { click: quiet } }));
  banner.hidden = false;
}

function quiet() {
  banner.hidden = true;
}

const files = attachments(problem, quiet);
const runs = runList({ open: (thread) => go(thread), deleted, problem });
const work = session({
  began(begun) {
    turn = begun;
    before = choices();
    without.clear();
    view?.retire();
    view = turnView(work.thread, graph, { answer, change: work.change, goOn: work.goOn, steer: work.steer, ask, problem, without, unwished });
    turns.querySelector(".played")?.remove();
    turns.append(view.element);
    const lost = document.activeElement === document.body;
    document.body.dataset.open = "thread";
    document.title = `${begun.question.slice(0, 80)} · Leadline`;
    find("title").hidden = false;
    find("title").textContent = find("turns").querySelector(".earlier .asked")?.textContent || begun.question;
    question.placeholder = say("placeholderFollow");
    view.show(begun);
    view.element.scrollIntoView({ block: "start" });
    if (lost) view.focus();
  },
  changed: () => view?.show(turn),
  earlier(known) {
    turns.replaceChildren(...known.map((one) => earlierTurn(work.thread, one, { problem })));
  },
  busy(running) {
    composer.classList.toggle("running", running);
    if (running) use(false);
    stop.disabled = send.disabled = false;
    stop.textContent = say("stop");
    sending(running);
    question.placeholder = say(running ? "placeholderRunning" : work?.thread ? "placeholderFollow" : "placeholder");
  },
  connection(there) {
    if (!there) return tell(say("lost"), "lost");
    quiet();
    renew();
  },
  started(thread) {
    quiet();
    if (new URL(location.href).searchParams.get("thread") !== thread) history.pushState({}, "", `?thread=${encodeURIComponent(thread)}`);
    runs.mark(thread);
    runs.refresh();
  },
  ended() {
    runs.refresh();
    renew();
  },
  elsewhere: () => tell(say("busyElsewhere")),
  gone() {
    go(null);
    runs.refresh();
    tell(say(givenToken() ? "notFoundForYou" : "notFound"), "problem");
  },
  unasked: () => tell(say("unasked")),
  problem,
}, async (begins, attached) => {
  const wished = without.size ? { wishes: { ...choices().wishes, ignored: [...without] } } : {};
  const [since, there] = [before, attached ?? (await files.arrived())];
  if (!there) return null;
  const chosen = { ...choices(), ...wished, documents: [...(choices().documents || []), ...there.documents] };
  return begins ? chosen : { ...(await changedSince(since, chosen, there.added, assistant)), ...wished };
});

/** Answer the review of a plan; what it does without is the run's own from then on. */
async function answer(review) {
  const taken = await work.answer(review);
  if (taken) without.clear();
  return taken;
}

/** Offer the question to be asked again without what was taken away. */
function unwished(text) {
  question.value ||= text;
  grow();
  question.focus();
}

async function ask(text) {
  quiet();
  playing.abort();
  const from = draft();
  send.disabled = true;
  if ((await loaded()) && (await work.ask(text, files.ready(text)))) return;
  if (draft() !== from) { // what could not be asked is not lost
    sessionStorage.setItem(from, sessionStorage.getItem(from) || text);
    return;
  }
  send.disabled = false;
  if (!question.value) question.value = text;
  grow();
}

/** Say what is in the box to the run that goes on. */
async function steer(text) {
  quiet();
  question.value = "";
  grow();
  const followed = await work.steer({ text });
  if (!followed && !question.value) question.value = text;
  if (followed) announce(say("saidWaits"));
  grow();
}

/** The question's field is one line until somebody uses it for a question: then depth and review of the plan are beside it. */
function use(used) {
  composer.classList.toggle("used", used && !work.running);
}

/** While a run goes on, what is written is said to it. */
function sending(running) {
  const held = document.activeElement;
  stop.hidden = !running;
  send.hidden = running && !question.value.trim();
  if (held.hidden) (running ? stop : send).focus();
  send.firstElementChild.textContent = say(running ? "steer" : "send");
}

/** Show the recorded run in the place of a thread; what is asked next begins one. */
function watchRecording() {
  playing.abort();
  playing = new AbortController();
  history.pushState({}, "", location.pathname); // the way back leads to the empty page
  document.body.dataset.open = "thread";
  const nothing = async () => false;
  playRecording((recorded) => {
    const shown = turnView(null, graph, { answer: nothing, change: nothing, goOn: nothing, steer: nothing, ask, problem, without: new Set(), unwished: nothing });
    turns.replaceChildren(shown.element);
    shown.element.classList.add("played");
    shown.show(recorded);
    shown.focus();
    return shown;
  }, playing.signal).catch(problem);
}

function deleted(thread) {
  work.deleted(thread);
  if (thread === work.thread) go(null);
}

/** Open a thread, or the empty page. */
async function go(thread, { remember = true } = {}) {
  quiet();
  if (remember) history.pushState({}, "", thread ? `?thread=${encodeURIComponent(thread)}` : location.pathname);
  show(false);
  playing.abort();
  turns.replaceChildren();
  view = turn = null;
  document.title = "Leadline";
  find("title").hidden = true;
  document.body.dataset.open = thread ? "thread" : "";
  runs.mark(thread);
  use(false);
  work.leave();
  const attached = files.show(thread);
  resume();
  if (!thread) {
    question.focus();
    return;
  }
  find("main").focus({ preventScroll: true });
  await work.open(thread, attached);
}

composer.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = question.value.trim();
  if (!text || send.disabled) return;
  if (work.running) {
    steer(text);
    return;
  }
  question.value = "";
  use(false);
  grow();
  ask(text);
});
stop.addEventListener("click", () => {
  stop.disabled = true;
  stop.textContent = say("stopping");
  work.stop();
});
question.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  composer.requestSubmit();
});
question.addEventListener("input", grow);
question.addEventListener("paste", (event) => {
  const pasted = event.clipboardData.getData("text/plain");
  const characters = question.value.length - (question.selectionEnd - question.selectionStart) + pasted.length;
  if (characters <= question.maxLength) return;
  event.preventDefault();
  const name = `text-${new Date().toISOString().replace(/\D/g, "").slice(0, 14)}.txt`;
  const attach = el("button", { type: "button", class: "plain", text: say("attachPasted"), on: { click: () => files.add([new File([pasted], name)]) } });
  tell(say("pastedTooLong", { characters: characters.toLocaleString(language), limit: question.maxLength.toLocaleString(language) }), "problem", attach);
});
for (const name of ["pointerdown", "keydown", "input", "drop"]) {
  // Before what sends the question; a button that is being pressed stays where it is.
  composer.addEventListener(name, (event) => { if (name === "drop" || !event.target.closest("button")) use(true); }, { capture: true });
}
function grow() {
  sessionStorage.setItem(draft(), question.value);
  sending(work.running);
  question.rows = Math.min(8, Math.max(1, question.value.split("\n").length, Math.ceil(question.value.length / 90)));
}

/** Where the browser keeps what is written for the thread that is open, and not sent yet. */
function draft() {
  return `leadline-draft${location.search}`;
}

function resume() {
  question.value = sessionStorage.getItem(draft()) ?? "";
  grow();
}
new ResizeObserver(([{ target }]) => document.documentElement.style.setProperty("--dock", `${target.offsetHeight}px`)).observe(document.querySelector(".dock"));
review.addEventListener("change", () => keep({ ...choices(), review_plan: review.checked }));

find("language").addEventListener("click", switchLanguage);
find("open-settings").addEventListener("click", async () => { if (await loaded()) openSettings(assistant).catch(problem); });
find("open-memory").addEventListener("click", () => openMemory(problem).catch(problem));
for (const home of ["new-question", "brand"]) {
  find(home).addEventListener("click", (event) => {
    if (leaving || event.metaKey || event.ctrlKey || event.shiftKey) return; // the browser follows the link
    event.preventDefault();
    go(null);
  });
}
find("watch").addEventListener("click", watchRecording);
find("open-runs").addEventListener("click", () => show(!nav.classList.contains("shown")));
function show(shown) {
  nav.classList.toggle("shown", shown);
  find("open-runs").setAttribute("aria-expanded", String(shown));
  if (shown) find("new-question").focus();
}
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !nav.classList.contains("shown")) return;
  show(false);
  find("open-runs").focus();
});
addEventListener("click", (event) => {
  if (nav.classList.contains("shown") && !nav.contains(event.target) && !find("open-runs").contains(event.target)) show(false);
});
addEventListener("popstate", async () => { if (await loaded()) go(opened(), { remember: false }); });
addEventListener("token", () => loaded());
const opened = () => new URL(location.href).searchParams.get("thread");
const renew = () => dispatchEvent(new Event("choices")); // the server may have another model by now

/** Load what the server says once, unless it is there. Resolves to whether it is. */
function loaded() {
  loading ??= begin().then(() => true, (error) => {
    loading = null;
    problem(error);
    return false;
  });
  return loading;
}

async function begin() {
  const [known, { examples: suggested }] = [await api.assistant(), await api.beginning()];
  graph = await api.graph(known.assistant_id);
  assistant = known.assistant_id;
  quiet();
  const chip = modelChip(problem);
  depthChoice((models) => {
    chip(models);
    find("watch").hidden = models.length > 0;
  });
  runs.refresh();
  if (suggested) {
    find("examples").replaceChildren(...examples.map((text) =>
      el("li", {}, el("button", { type: "button", class: "plain", text, on: { click: () => ask(text) } }))));
    find("documents").hidden = false;
  }
  if (opened()) await go(opened(), { remember: false });
  else question.focus();
}
resume();
loaded();
