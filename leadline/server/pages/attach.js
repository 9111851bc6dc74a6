// Documents that are attached to the thread, or to the one that the next question begins.

import { api, RefusedByProxy } from "./api.js";
import { ICONS, announce, drawing, el } from "./dom.js";
import { say } from "./words.js";

/** The attached files beside the question. `problem` is told what goes wrong, `taken` that a file was taken.
 *  {show(thread), add(files), ready(question), arrived()}. */
export function attachments(problem, taken) {
  const list = document.getElementById("attached");
  const input = document.getElementById("files");
  const button = document.getElementById("attach");
  const composer = document.getElementById("composer");
  const sendingTo = new Set(); // threads whose files are on their way, shown or not
  let shown = holder(null);

  function draw(holding) {
    if (holding !== shown) return; // another thread has been opened meanwhile
    const { known, sending, waiting } = holding;
    list.hidden = !known.files.length && !sending.length;
    list.replaceChildren(
      ...(sending.length && waiting ? [el("li", { class: "waiting", text: waiting })] : []),
      ...known.files.map((file) => el("li", {},
        el("span", { class: "name", text: file.name }), el("span", { class: "soft", text: size(file.size) }),
        el("button", { type: "button", class: "icon", "aria-label": say("detach", { name: file.name }), on: { click: () => detach(holding, file.name) } }, drawing(ICONS.remove)))),
      ...sending.map((file) => el("li", { class: "sending" }, el("span", { class: "name", text: say("uploading", { name: file.name }) }))));
  }

  async function show(opened) {
    const holding = (shown = [...sendingTo].find(({ thread }) => opened && thread === opened) ?? holder(opened));
    draw(holding);
    if (!opened || sendingTo.has(holding)) return;
    holding.sent = (async () => {
      try {
        holding.known = await api.attached(opened);
      } catch (wrong) {
        if (wrong.status !== 404 && holding === shown) problem(wrong); // a thread that is not there is told where it is opened
      }
      draw(holding);
    })();
    await holding.sent;
  }

  /** Attach files to the thread that is shown, after those that are on their way; `wrong` is what else was wrong with what was chosen. */
  async function add(files, wrong = []) {
    const holding = shown;
    holding.sending.push(...files);
    sendingTo.add(holding);
    draw(holding);
    await (holding.sent = holding.sent.then(() => send(holding, wrong)));
  }

  async function send(holding, wrong) {
    const { sending } = holding;
    const tooMany = [];
    try {
      if (!holding.thread && sending.length) {
        holding.thread = (await api.newThread("")).thread_id;
        holding.nameless = true;
      }
      if (sending.length) holding.known = await api.attached(holding.thread);
      for (; sending.length; sending.shift()) {
        draw(holding);
        if (full(holding.known, sending[0])) tooMany.push(sending[0].name);
        else await attach(holding, sending[0]).catch((one) => wrong.push(one));
      }
      if (tooMany.length) wrong.push(new Error(say("tooMany", { limit: holding.known.most_files, names: tooMany.join(", ") })));
    } catch (one) {
      sending.length = 0;
      wrong.push(one);
    }
    sendingTo.delete(holding);
    holding.refused += wrong.length;
    if (wrong.length) problem(...wrong);
    draw(holding);
  }

  async function attach(holding, file) {
    const { most_bytes: most } = holding.known;
    if (file.size > most) throw new Error(say("tooLarge", { name: file.name, size: size(most) }));
    const made = await api.attach(holding.thread, file).catch((wrong) => {
      throw wrong instanceof RefusedByProxy ? new Error(`${file.name}${say("colon")}${wrong.message}`) : wrong;
    });
    holding.added = true;
    holding.known = await api.attached(holding.thread);
    if (holding !== shown) return;
    taken();
    announce(say("attachedOne", { name: made.name }));
  }

  async function detach(holding, name) {
    try {
      await api.detach(holding.thread, name);
      holding.known = await api.attached(holding.thread);
    } catch (wrong) {
      problem(wrong);
    }
    draw(holding);
    button.focus();
  }

  /** Wait until all files have arrived; `waiting` says what is done then. Resolves to whether all were taken. */
  async function settled(holding, waiting) {
    const before = holding.refused;
    holding.waiting = waiting;
    draw(holding);
    if (holding.sending.length) announce(waiting);
    do await holding.sent; while (holding.sending.length);
    holding.waiting = "";
    return holding.refused === before;
  }

  button.addEventListener("click", () => input.click());
  input.addEventListener("change", async () => {
    const added = add(input.files);
    input.value = "";
    await added;
    button.focus();
  });
  composer.addEventListener("dragover", (event) => { event.preventDefault(); composer.classList.add("dropping"); });
  composer.addEventListener("dragleave", () => composer.classList.remove("dropping"));
  composer.addEventListener("drop", (event) => {
    event.preventDefault();
    composer.classList.remove("dropping");
    const dropped = [...event.dataTransfer.items].filter((item) => item.kind === "file").map((item) => ({ file: item.getAsFile(), entry: item.webkitGetAsEntry() }));
    const folders = dropped.filter(({ entry }) => entry?.isDirectory).map(({ entry }) => entry.name);
    const files = dropped.filter(({ entry }) => !entry?.isDirectory).map(({ file }) => file);
    add(files, folders.length ? [new Error(say("noFolders", { names: folders.join(", ") }))] : []);
  });

  return {
    show,
    add,
    /** What a question needs of the thread that is shown, once its files have arrived: {thread, documents}, or null where one of them
     *  was not taken. The thread is begun here, or was for its files and is named now. */
    async ready(question) {
      const holding = shown;
      if (!(await settled(holding, say("askedLater", { question })))) return null;
      if (holding.nameless) await api.nameThread(holding.thread, question);
      holding.nameless = false;
      holding.thread ??= (await api.newThread(question)).thread_id;
      return { thread: holding.thread, documents: documents(holding) };
    },
    /** What the shown thread's run needs to go on, once its files have arrived: {documents, added}, or null where one of them was not taken. */
    async arrived() {
      const holding = shown;
      return (await settled(holding, say("continuedLater"))) ? { documents: documents(holding), added: holding.added } : null;
    },
  };
}

/** What is known of the files of a thread. */
const holder = (thread) => ({
  thread,
  nameless: false, // whether the thread was begun here, for files, and has no question yet
  added: false, // whether files were attached here since the thread was opened
  known: { files: [], documents: "" },
  sending: [], // files that are on their way
  sent: Promise.resolve(), // until they have arrived
  refused: 0, // files that were not taken
  waiting: "", // what is done when they have arrived, in words
});

/** What the run's documents must hold so that the files are searched. */
const documents = ({ known }) => (known.files.length ? [known.documents] : []);

const full = ({ files, most_files: most }, { name }) => files.length >= most && !files.some((file) => file.name === name);

function size(bytes) {
  if (bytes < 1e3) return `${bytes} B`;
  return bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
