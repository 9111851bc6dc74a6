// What is remembered of the user's reports, in a dialog: looked through, forgotten one by one or as a whole.

import { api } from "./api.js";
import { ICONS, announce, drawing, el, webAddress } from "./dom.js";
import { say } from "./words.js";

const WAIT = 250; // milliseconds without a key before the words are looked for

/** Open the dialog. */
export async function openMemory(onProblem) {
  const dialog = document.getElementById("memory");
  const list = el("ul", { class: "remembered" });
  const count = el("p", { class: "soft", role: "status" });
  const words = el("input", { type: "search", "aria-label": say("memoryFind"), placeholder: say("memoryFind"), maxlength: "500" });
  const all = el("button", { type: "button", class: "danger", text: say("forgetAll"), hidden: true, on: { click: sure } });
  let wait = 0;
  let asked = 0;

  async function show() {
    const mine = (asked += 1);
    const found = await api.remembered(words.value.trim());
    if (mine !== asked) return; // a later answer is on its way
    list.replaceChildren(...found.statements.map(item));
    all.hidden = !found.count && !words.value.trim();
    count.textContent = found.count ? say(found.count === 1 ? "memoryOne" : "memoryCount", { count: found.count })
      : say(words.value.trim() ? "memoryNotFound" : "memoryEmpty");
  }

  const refresh = () => show().catch(failed);

  function failed(problem) {
    dialog.close();
    onProblem(problem);
  }

  function item(known) {
    const places = known.sources.map(({ title, url }) => (webAddress(url)
      ? el("a", { href: url, target: "_blank", rel: "noopener noreferrer", text: title }) : el("span", { text: title })));
    return el("li", { data: { statement: known.id } },
      el("div", {},
        el("p", { text: known.claim }),
        el("p", { class: "soft" }, say("knownFrom", { date: known.known_from }), ...places.flatMap((place) => [" · ", place])),
        known.quotes.map((quote) => el("blockquote", { text: quote }))),
      el("button", { type: "button", class: "icon", "aria-label": say("forget", { claim: known.claim }), on: { click: () => forget(known.id) } }, drawing(ICONS.trash)));
  }

  async function forget(id) {
    try {
      await api.forget(id);
      await show();
      announce(say("forgotten"));
      words.focus();
    } catch (problem) {
      failed(problem);
    }
  }

  /** Ask in the place of the button itself: a second dialog would cover what is at stake. */
  function sure() {
    if (!all.dataset.sure) {
      all.dataset.sure = "yes";
      all.textContent = say("forgetSure");
      return;
    }
    delete all.dataset.sure;
    all.textContent = say("forgetAll");
    words.value = "";
    api.forgetAll().then(show).then(() => announce(say("forgotten"))).catch(failed);
  }

  words.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(refresh, WAIT);
  });
  dialog.replaceChildren(
    el("h2", { id: "memory-title", text: say("memory") }),
    el("p", { class: "soft", text: say("memoryHelp") }),
    words, count, list,
    el("form", { method: "dialog", class: "buttons" }, all, el("button", { class: "plain", text: say("close") })));
  await show();
  dialog.showModal();
}
