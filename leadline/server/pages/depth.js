// The choice of depth beside the question, and what a run will take at the depth that is chosen.

import { api } from "./api.js";
import { choices, keep } from "./settings.js";
import { language } from "./words.js";

/** Show the choice, and its estimate anew whenever something else is chosen. `connected` is told the names of the models. */
export function depthChoice(connected) {
  const field = document.getElementById("depth");
  const estimate = document.getElementById("estimate");
  let latest = 0;

  async function show() {
    const mine = (latest += 1);
    const { depth = "standard", ...others } = choices();
    for (const one of field.elements) one.checked = one.value === depth;
    const known = await api.estimates(others, language).catch(() => []); // what is wrong with a choice, its run says
    if (mine !== latest) return;
    if (known.length) connected(known[0].models);
    const { figures = "", shortfall = "" } = known.find((one) => one.depth === depth) || {};
    estimate.textContent = figures;
    if (shortfall) estimate.append(document.createElement("br"), shortfall);
    estimate.classList.toggle("short", Boolean(shortfall));
  }

  field.addEventListener("change", (event) => keep({ ...choices(), depth: event.target.value }));
  addEventListener("choices", show);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) show(); });
  show();
}
