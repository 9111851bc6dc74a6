// Past runs: listed, opened, deleted.

import { api } from "./api.js";
import { ICONS, drawing, el } from "./dom.js";
import { givenToken } from "./token.js";
import { language, say } from "./words.js";

const PAGE = 30;

/** The list at the side. `actions`: open(thread), deleted(thread), problem(error). {refresh(), mark(thread)}. */
export function runList(actions) {
  const list = document.getElementById("run-list");
  const more = document.getElementById("more-runs");
  let shown = PAGE;
  let current = null;
  let asked = 0;

  async function refresh() {
    const mine = (asked += 1);
    try {
      const threads = await api.threads(shown + 1, 0);
      if (mine !== asked) return; // a later answer is on its way
      more.hidden = threads.length <= shown;
      const items = threads.filter(begun).slice(0, shown).map(item);
      const focused = document.activeElement?.closest?.("#run-list li")?.dataset.thread;
      list.replaceChildren(...(items.length ? items : [el("li", { class: "soft", text: say(givenToken() ? "noRuns" : "noRunsHere") })]));
      if (focused) list.querySelector(`li[data-thread="${CSS.escape(focused)}"] a`)?.focus();
      mark(current);
    } catch (problem) {
      actions.problem(problem);
    }
  }

  /** A thread that only holds files that somebody thought of attaching has not begun. */
  const begun = (thread) => thread.metadata?.title !== "" || thread.extracted?.question;

  function item(thread) {
    const title = thread.metadata?.title || thread.extracted?.question || say("untitled");
    const address = `?thread=${encodeURIComponent(thread.thread_id)}`;
    const paused = Object.keys(thread.interrupts || {}).length ? "node_human_feedback" : "paused";
    const status = { busy: "running", interrupted: paused, error: "failedStep" }[thread.status];
    return el("li", { data: { thread: thread.thread_id, status: thread.status } },
      el("a", { href: address, on: { click: (event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        actions.open(thread.thread_id);
      } } },
      el("span", { class: "title", text: title }),
      el("span", { class: "when soft" }, when(thread.updated_at), status ? ` · ${say(status)}` : "")),
      el("button", { type: "button", class: "icon", "aria-label": say("deleteRun", { title }), on: { click: () => ask(thread.thread_id, title) } }, drawing(ICONS.trash)));
  }

  function ask(thread, title) {
    const dialog = document.getElementById("asking");
    dialog.replaceChildren(el("form", { method: "dialog" },
      el("h2", { id: "asking-title", text: say("deleteSure") }),
      el("p", { text: say("deleteWhat", { title }) }),
      el("div", { class: "buttons" },
        el("button", { class: "plain", value: "", text: say("cancel"), autofocus: true }),
        el("button", { class: "danger", value: "delete", text: say("delete"), on: { click: () => remove(thread) } }))));
    dialog.showModal();
  }

  async function remove(thread) {
    try {
      await api.detachAll(thread);
      await api.deleteThread(thread);
      actions.deleted(thread);
    } catch (problem) {
      actions.problem(problem);
    }
    await refresh();
    document.getElementById("new-question").focus();
  }

  function mark(thread) {
    current = thread;
    for (const one of list.querySelectorAll("li[data-thread]")) {
      const link = one.querySelector("a");
      if (one.dataset.thread === thread) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  more.addEventListener("click", async () => {
    const first = list.childElementCount;
    shown += PAGE;
    await refresh();
    list.children[first]?.querySelector("a").focus();
  });
  return { refresh, mark };
}

function when(text) {
  const date = new Date(text);
  const today = date.toDateString() === new Date().toDateString();
  const form = today ? { hour: "2-digit", minute: "2-digit" } : { day: "numeric", month: "short", year: "numeric" };
  return new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en", form).format(date);
}
