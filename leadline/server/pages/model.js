// The chip that says which model is connected, and the form that connects one; what is typed there is kept nowhere in the browser.

import { api } from "./api.js";
import { announce, el } from "./dom.js";
import { refusal } from "./refusals.js";
import { say } from "./words.js";

/** What a failed test means for whoever typed the endpoint, the key and the name. */
const FAILURES = [
  [/^The model's endpoint could not be reached\b/, "connect_unreached"],
  [/^The model(?:'s endpoint)? did not answer (?:in time|within)\b/, "connect_slow"],
  [/^The model's endpoint failed\b/, "connect_failed"],
  [/^The endpoint (?:rejected the key|forbids this)\b/, "connect_rejected"],
  [/^(?:The endpoint refused for too many requests|The account of \S+ has no credit)\b/, "connect_quota"],
  [/^The endpoint cannot take the request\b/, "connect_refused"],
  [/^The endpoint (?:knows no such model or path|answered with something that is not a chat completion)\b/, "connect_unknown"],
];

/** Why a model was not connected, with what its endpoint said. */
function failure(text) {
  const key = FAILURES.find(([pattern]) => pattern.test(text))?.[1];
  const said = key !== "connect_unreached" && /It said: (“[^]*”)/.exec(text)?.[1];
  return key ? [say(key), said && say("connect_said", { said })].filter(Boolean).join("\n") : refusal(text.replace(/ \(role [^()]*\)$/, ""));
}

let known = null; // names of the connected models, once they are known

/** Whether it is known that no model is connected. */
export const withoutModel = () => known?.length === 0;

/** Make the chip work; `problem` is told why its form does not open. Returns the function that shows the names of the connected models in it. */
export function modelChip(problem) {
  const chip = document.getElementById("model");
  let names = [];
  chip.addEventListener("click", () => openConnection(names).catch(problem));
  return (models) => {
    names = known = models;
    dispatchEvent(new Event("models"));
    const label = names.length ? say("modelIs", { names: names.join(say("comma")) }) : say("connectTitle");
    chip.hidden = false;
    chip.classList.toggle("none", !names.length);
    chip.textContent = names.length ? names[0] + (names.length > 1 ? ` +${names.length - 1}` : "") : say("noModel");
    chip.title = label;
    chip.setAttribute("aria-label", names.length ? label : `${say("noModel")}${say("colon")}${label}`);
  };
}

async function openConnection(names) {
  const dialog = document.getElementById("connect");
  const { connected, refused, offers } = await api.model();
  const close = el("button", { type: "button", class: refused ? "plain" : "quiet", text: say(refused ? "close" : "cancel"), on: { click: () => dialog.close() } });
  const title = el("h2", { id: "connect-title", text: names.length ? say("modelIs", { names: names.join(say("comma")) }) : say("connectTitle") });
  dialog.replaceChildren(title, ...(refused ? [el("p", { text: say(`connect_${refused}`) }), el("div", { class: "buttons" }, close)] : [connectionForm(dialog, offers, connected, close)]));
  dialog.addEventListener("close", () => dialog.replaceChildren(), { once: true }); // nothing that was typed stays
  dialog.showModal();
}

function connectionForm(dialog, offers, connected, close) {
  const field = (name, attributes) => {
    const input = el("input", { id: `connect-${name}`, name, autocomplete: "off", spellcheck: "false", maxlength: "2000", ...attributes });
    return { input, element: el("div", { class: "field" }, el("label", { for: input.id, text: say(`connect_${name}`) }), input) };
  };
  const endpoint = field("endpoint", { type: "url", list: "connect-offers", placeholder: "https://api.openai.com/v1" });
  const key = field("key", { type: "password", placeholder: say("connectKeyEmpty") });
  const model = field("model", { type: "text", placeholder: say("connectModelEmpty") });
  const problem = el("p", { class: "problem", role: "alert", hidden: true });
  const send = el("button", { type: "submit", class: "primary", text: say("connectTry") });
  const end = connected && el("button", { type: "button", class: "plain", text: say("disconnect"), on: { click: () => change(() => api.disconnect(), "disconnected") } });
  const form = el("form", { class: "connection" },
    el("p", { class: "soft", text: say("connectHelp") }),
    endpoint.element, el("datalist", { id: "connect-offers" }, offers.map((offer) => el("option", { value: offer.endpoint, label: offer.title }))),
    key.element, model.element,
    el("p", { class: "help", text: say("connectKept") }),
    problem, el("div", { class: "buttons" }, end, close, send));

  async function change(act, told) {
    send.disabled = true;
    send.textContent = say("connectTrying");
    problem.hidden = true;
    try {
      await act();
    } catch (wrong) {
      if (wrong.name === "AbortError") return;
      problem.textContent = failure(wrong.message);
      problem.hidden = false;
      return;
    } finally {
      send.disabled = false;
      send.textContent = say("connectTry");
    }
    dispatchEvent(new Event("choices")); // what a run takes is another thing now
    announce(say(told));
    dialog.close();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const left = new AbortController(); // a model whose dialog is closed while it is tried is not connected
    dialog.addEventListener("close", () => left.abort(), { once: true });
    change(() => api.connect({ endpoint: endpoint.input.value, key: key.input.value, model: model.input.value }, left.signal), "connected");
  });
  return form;
}
