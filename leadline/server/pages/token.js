// Ask once for the token that a server wants; it is kept until the tab is closed.

import { el } from "./dom.js";
import { say } from "./words.js";

const KEPT = "leadline-token";
let asking = null;

/** The token that was given; null on a server that wants none, whose user has its terminal, too. */
export const givenToken = () => sessionStorage.getItem(KEPT);

/** Ask for a token, or wait for the answer where it has been asked for already. Resolves to whether there is one. */
export function askForToken() {
  asking ??= ask().finally(() => { asking = null; });
  return asking;
}

function ask() {
  const dialog = document.getElementById("asking");
  const wrong = givenToken() !== null;
  const input = el("input", { type: "password", id: "token", autocomplete: "off", required: true, "aria-describedby": "token-help" });
  const form = el("form", { method: "dialog" },
    el("h2", { id: "asking-title", text: say("tokenTitle") }),
    el("p", { id: "token-help", text: say("tokenHelp") }),
    wrong && el("p", { class: "problem", role: "alert", text: say("tokenWrong") }),
    el("label", { for: "token", text: say("token") }), input,
    el("div", { class: "buttons" },
      el("button", { type: "button", class: "quiet", text: say("cancel"), on: { click: () => dialog.close("") } }),
      el("button", { type: "submit", class: "primary", value: "use", text: say("use") })));
  dialog.replaceChildren(form);
  dialog.returnValue = "";
  dialog.showModal();
  input.focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      const given = dialog.returnValue === "use" && input.value.trim();
      if (given) sessionStorage.setItem(KEPT, given);
      resolve(Boolean(given));
      if (given) dispatchEvent(new Event("token"));
    }, { once: true });
  });
}
