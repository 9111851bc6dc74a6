// Model calls that take their time: how they stand, with seconds that count on, beside what the run is at and at each step.

import { say } from "./words.js";

/** How a call stands now, in words. A call that is made again counts down to that. */
export function callText({ state, seconds, told, reason }) {
  const passed = (Date.now() - told) / 1000;
  const left = Math.floor(seconds - passed);
  const [code, detail] = reason.slice(0, 150).split(/: (.*)/);
  const words = say(`again_${code}`);
  const why = words && detail ? say("again_detail", { reason: words, detail }) : words || reason.slice(0, 150);
  if (state === "again") return left > 0 ? say("call_again_soon", { seconds: left, reason: why }) : say("call_again", { reason: why });
  const text = say(`call_${state}`, { seconds: Math.floor(seconds + passed) });
  return why ? say("call_repeated", { state: text, reason: why }) : text;
}

/** Write beside each step how its call stands; the list itself stays as it is. */
export function showStepCalls(list, calls) {
  const texts = new Map(calls.filter((call) => call.step).map((call) => [call.step, callText(call)]));
  for (const place of list.querySelectorAll("details[data-step] > summary > .call")) {
    const text = texts.get(place.closest("details").dataset.step) || "";
    if (place.textContent !== text) place.textContent = text;
  }
}
