// Documents that are attached to the thread, or to the one that the next question begins.

import { api } from "./api.js";
import { ICONS, announce, drawing, el } from "./dom.js";
import { say } from "./words.js";

/** The attached files beside the question. `problem` is told what goes wrong, `taken` that a file was taken.
 *  {show(thread), add(files), threadFor(question), documents(thread), added}. */
export function attachments(problem, taken) {
  const list = document.getElementById("attached");
  const input = document.getElementById("files");
  const button = document.getElementById("attach");
  const composer = document.getElementById("composer");
  let thread = null;
  let nameless = false; // whether the thread was begun here, for files, and has no question yet
  let known = { files: [], documents: "" };
  let added = false; // whether files were attached here since the thread was opened

  function draw(sending = []) {
    list.hidden = !known.files.length && !sending.length;
    list.replaceChildren(
      ...known.files.map((file) => el("li", {},
        el("span", { class: "name", text: file.name }), el("span", { class: "soft", text: size(file.size) }),
        el("button", { type: "button", class: "icon", "aria-label": say("detach", { name: file.name }), on: { click: () => detach(file.name) } }, drawing(ICONS.remove)))),
      ...sending.map((file) => el("li", { class: "sending" }, el("span", { class: "name", text: say("uploading", { name: file.name }) }))));
  }

  async function show(opened) {
    thread = opened;
    nameless = added = false;
    known = { files: [], documents: "" };
    draw();
    if (!opened) return;
    try {
      const found = await api.attached(opened);
      if (thread === opened) known = found;
    } catch (wrong) {
      if (wrong.status !== 404) problem(wrong); // a thread that is not there is told where it is opened
    }
    draw();
  }

  async function add(files) {
    const waiting = [...files];
    if (!waiting.length) return;
    button.disabled = true;
    try {
      if (!thread) {
        thread = (await api.newThread("")).thread_id;
        nameless = true;
      }
      known = await api.attached(thread);
      const refused = [];
      while (waiting.length) {
        draw(waiting);
        await attach(waiting.shift()).catch((wrong) => refused.push(wrong));
      }
      if (refused.length) problem(refused.length > 1 ? new Error(refused.map((wrong) => wrong.message).join("\n")) : refused[0]);
    } catch (wrong) {
      problem(wrong);
    }
    button.disabled = false;
    draw();
  }

  async function attach(file) {
    if (file.size > known.most_bytes) throw new Error(say("tooLarge", { name: file.name, size: size(known.most_bytes) }));
    const made = await api.attach(thread, file);
    added = true;
    known = await api.attached(thread);
    taken();
    announce(say("attachedOne", { name: made.name }));
  }

  async function detach(name) {
    try {
      await api.detach(thread, name);
      known = await api.attached(thread);
    } catch (wrong) {
      problem(wrong);
    }
    draw();
    button.focus();
  }

  button.addEventListener("click", () => input.click());
  input.addEventListener("change", async () => { await add(input.files); input.value = ""; button.focus(); });
  composer.addEventListener("dragover", (event) => { event.preventDefault(); composer.classList.add("dropping"); });
  composer.addEventListener("dragleave", () => composer.classList.remove("dropping"));
  composer.addEventListener("drop", (event) => {
    event.preventDefault();
    composer.classList.remove("dropping");
    add(event.dataTransfer.files);
  });

  return {
    show,
    add,
    /** The thread that was begun for attached files, now that its question is known. */
    async threadFor(question) {
      if (nameless) await api.nameThread(thread, question);
      nameless = false;
      return thread;
    },
    /** What the run's documents must hold so that the files are searched. */
    documents: () => (known.files.length ? [known.documents] : []),
    get added() { return added; },
  };
}

function size(bytes) {
  if (bytes < 1e3) return `${bytes} B`;
  return bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
