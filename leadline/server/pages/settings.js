// The settings form: made from what the server says a run can choose; only what differs from its defaults is sent.

import { api, Unreachable } from "./api.js";
import { announce, el } from "./dom.js";
import { refusal } from "./refusals.js";
import { language, say } from "./words.js";

const KEPT = "leadline-choices";
const ELSEWHERE = ["depth", "review_plan"]; // beside the question
const COMMON = ["search", "documents", "locale", "length", "max_seconds", "max_cost"];
const LEFT_OUT = ["output_formats", "deep_research", "wishes"]; // files are made when they are downloaded; quick is a depth; a question says its wishes

/** What the user chose, without what is as by default. */
export function choices() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) || {};
  } catch {
    return {};
  }
}

/** What a run is given to go on with: only what was changed in this page since, as the server keeps what the run chose.
 *  Servers of tools are not kept, so they are always named. */
export async function changedSince(before, chosen, attached, assistant) {
  const now = choices();
  const given = now.mcp_servers ? { mcp_servers: now.mcp_servers } : {};
  const names = Object.keys({ ...before, ...now }).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]));
  const reset = names.filter((name) => !(name in now));
  const usual = reset.length ? allFields(await api.schemas(assistant)) : {};
  for (const name of names) given[name] = name in now ? now[name] : usual[name]?.default;
  if (attached || names.includes("documents")) given.documents = chosen.documents;
  return given;
}

/** Every choice of a run by its name: the common ones, and those of the object `advanced`, which a run takes beside them. */
function allFields({ context_schema: { properties: { advanced, ...common } } }) {
  return { ...common, ...advanced?.properties };
}

export function keep(chosen) {
  localStorage.setItem(KEPT, JSON.stringify(chosen));
  dispatchEvent(new Event("choices"));
}

/** Open the form. */
export async function openSettings(assistant) {
  const dialog = document.getElementById("settings");
  const [schemas, searches] = await Promise.all([api.schemas(assistant), api.searches()]);
  const fields = allFields(schemas);
  const offered = Object.keys(fields).filter((name) => !ELSEWHERE.includes(name) && !LEFT_OUT.includes(name));
  const chosen = choices();
  const controls = new Map(offered.map((name) => [name, name === "search" ? searchBoxes(searches, chosen[name]) : control(name, fields[name], chosen[name])]));
  const shown = (names, title) => el("fieldset", { "aria-label": title }, names.map((name) => controls.get(name).element));
  const sections = [
    shown(COMMON, say("settings")),
    el("details", {}, el("summary", { text: say("advanced") }), shown(offered.filter((name) => !COMMON.includes(name)), say("advanced"))),
  ];
  const problem = el("p", { class: "problem", role: "alert", hidden: true });
  const form = el("form", { class: "settings" },
    el("h2", { id: "settings-title", text: say("settings") }),
    el("p", { class: "soft", text: say("settingsHelp") }),
    sections, problem,
    el("div", { class: "buttons" },
      el("button", { type: "button", class: "quiet", text: say("reset"), on: { click: () => { keep(beside()); dialog.close(); announce(say("kept")); } } }),
      el("button", { type: "button", class: "plain", text: say("cancel"), on: { click: () => dialog.close() } }),
      el("button", { type: "submit", class: "primary", text: say("save") })));
  form.addEventListener("invalid", ({ target }) => target.closest("details")?.setAttribute("open", ""), true); // the browser says what is wrong only where it can be seen
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const next = beside();
    try {
      for (const [name, { read }] of controls) {
        const value = read();
        if (value !== undefined) next[name] = value;
      }
      await api.estimates(next, language); // the server knows what a run cannot take
    } catch (wrong) {
      problem.hidden = false;
      problem.textContent = wrong instanceof Unreachable ? say("unreachable") : refusal(wrong.message, "refused_here");
      problem.scrollIntoView({ block: "nearest" });
      return;
    }
    keep(next);
    dialog.close();
    announce(say("kept"));
  });
  dialog.replaceChildren(form);
  dialog.showModal();
}

const beside = () => Object.fromEntries(Object.entries(choices()).filter(([name]) => ELSEWHERE.includes(name)));

const WORDS = ["auto", "documents", "none"]; // each says by itself where to search

/** Where to search, as check boxes: what stands alone, and searches of the web that are asked side by side. None is as the server has it. */
function searchBoxes(searches, value) {
  const named = value && !WORDS.includes(value) ? value.split("+") : [];
  const others = named.filter((name) => !searches.some((search) => search.name === name)).map((name) => ({ name, title: name, needs: "" }));
  const boxes = new Map();
  const box = (name, text, disabled = false) => {
    const input = el("input", { type: "checkbox", id: `set-search-${name}`, disabled });
    input.checked = value === name || named.includes(name);
    input.addEventListener("change", () => {
      const alone = WORDS.includes(name);
      if (input.checked) for (const [other, { checked }] of boxes) if (checked && other !== name && (alone || WORDS.includes(other))) boxes.get(other).checked = false;
    });
    boxes.set(name, input);
    return el("label", { class: "choice" }, input, text);
  };
  const element = el("fieldset", { class: "field wide boxes", "aria-describedby": "set-search-help" }, el("legend", { text: say("field_search") }),
    el("p", { id: "set-search-help", class: "help", text: say("help_search") }),
    WORDS.map((name) => box(name, say(`search_${name}`))),
    [...searches, ...others].map(({ name, title, needs }) => ({ name, needs, title: say(`searchName_${name}`) || title })).map(({ name, title, needs }) => box(name, needs ? say("searchNeeds", { title, setting: needs }) : title, Boolean(needs) && !named.includes(name))));
  return { element, read: () => [...boxes].filter(([, { checked }]) => checked).map(([name]) => name).join("+") || undefined };
}

/** One field: {element, read()}; read gives undefined where the value is the default. */
function control(name, described, value) {
  const kind = (described.anyOf || [described]).find((one) => one.type !== "null") || described;
  const id = `set-${name}`;
  const usual = described.default;
  const help = say(`help_${name}`) || described.description || ""; // a description speaks to whoever calls the API
  const { input, offered, read } = fitting(name, kind, described, value ?? usual, id);
  const differs = (given) => (given === undefined || JSON.stringify(given) === JSON.stringify(usual) ? undefined : given);
  input.setAttribute("aria-describedby", `${id}-help`);
  const label = el("label", { for: id, text: say(`field_${name}`) || described.title || name });
  const labelled = input.type === "checkbox" ? [el("label", { class: "choice", for: id }, input, label.textContent)] : [label, input, offered];
  const element = el("div", { class: "field" }, labelled,
    el("p", { id: `${id}-help`, class: "help", text: help }));
  return { element, read: () => differs(read()) };
}

function fitting(name, kind, described, value, id) {
  if (kind.enum) {
    const options = kind.enum.map((one) => el("option", { value: one, selected: value === one, text: say(`value_${one}`) || one }));
    if (described.default === null) options.unshift(el("option", { value: "", selected: !value, text: say(`none_${name}`) || say("serverDefault") }));
    const input = el("select", { id }, options);
    return { input, read: () => input.value || undefined };
  }
  if (kind.type === "boolean") {
    const input = el("input", { type: "checkbox", id });
    input.checked = Boolean(value);
    return { input, read: () => input.checked };
  }
  if (kind.type === "integer" || kind.type === "number") {
    const input = el("input", {
      type: "number", id, min: kind.minimum ?? 0, max: kind.maximum, step: kind.type === "integer" ? "1" : "any", value: value ?? "",
      placeholder: described.default === null ? say(`none_${name}`) || say("noLimit") : say("defaultIs", { value: described.default }),
    });
    return { input, read: () => (input.value === "" ? undefined : Number(input.value)) };
  }
  if (kind.type === "array" && kind.items?.enum) {
    const options = kind.items.enum.map((one) => el("option", { value: one, selected: (value || []).includes(one), text: say(`kind_${one}`) || one }));
    const input = el("select", { id, multiple: true, size: "4" }, options);
    return { input, read: () => Array.from(input.selectedOptions, (one) => one.value) };
  }
  if (kind.type === "array") {
    const input = el("textarea", { id, rows: "2", value: (value || []).join("\n") });
    return { input, read: () => input.value.split("\n").map((line) => line.trim()).filter(Boolean) };
  }
  if (kind.type === "string") {
    const offered = kind.examples && el("datalist", { id: `offered-${name}` }, kind.examples.map((one) => el("option", { value: one })));
    const input = el("input", { type: "text", id, list: offered?.id, maxlength: kind.maxLength, value: value ?? "", placeholder: described.default === null ? say("serverDefault") : undefined });
    return { input, offered, read: () => input.value.trim() || undefined };
  }
  const empty = !value || !Object.keys(value).length;
  const input = el("textarea", { id, rows: "3", class: "code", spellcheck: "false", placeholder: "{ }", value: empty ? "" : JSON.stringify(value, null, 2) });
  return {
    input,
    read: () => {
      if (!input.value.trim()) return undefined;
      try {
        return JSON.parse(input.value);
      } catch {
        throw new Error(say("badJson", { name: say(`field_${name}`) || name }));
      }
    },
  };
}
