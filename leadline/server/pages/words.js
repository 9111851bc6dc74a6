// What the page says, in English and Chinese. What a run says comes from the run, in the question's language.

import { EXAMPLES, WORDS } from "./all-words.js";

const KEPT = "leadline-language";
const wanted = localStorage.getItem(KEPT) || navigator.language || "en";
export const language = wanted.toLowerCase().startsWith("zh") ? "zh" : "en";
export const examples = EXAMPLES[language];

/** A message by its name; `{name}` in it is replaced. An unknown name gives an empty text. */
export function say(key, values = {}) {
  const text = WORDS[key]?.[language] ?? WORDS[key]?.en ?? "";
  return text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all));
}

/** A number of things in words, such as "1 step", "3 steps"; nothing for none. `what` is the plural. */
export function counted(what, count) {
  if (!count) return "";
  return (count === 1 && say(`facts_${what.slice(0, -1)}`)) || say(`facts_${what}`, { count });
}

/** Put the language's words into the page that came with English ones. */
export function translate(root = document) {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  for (const element of root.querySelectorAll("[data-say]")) element.textContent = say(element.dataset.say);
  for (const one of root.querySelectorAll("[data-label]")) {
    one.setAttribute("aria-label", say(one.dataset.label));
    if (one.matches("button")) one.title = say(one.dataset.label);
  }
  for (const one of root.querySelectorAll("[data-placeholder]")) one.placeholder = say(one.dataset.placeholder);
}

/** Whether the page is about to load again. */
export let leaving = false;

/** Speak the other language from now on. Runs go on meanwhile: the page loads again and joins them. */
export function switchLanguage() {
  leaving = true;
  localStorage.setItem(KEPT, language === "zh" ? "en" : "zh");
  location.reload();
}
