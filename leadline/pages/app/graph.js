// The live picture of the graph: the same nodes and edges as the server has, lit up as a run goes through them.

import { el, svg } from "./dom.js";
import { layered } from "./layout.js";
import { say } from "./words.js";

const WIDE = { step: 97, width: 84, height: 30, gap: 44, middle: 86, arc: 17 };
const SMALL = { step: 35, width: 16, height: 16, gap: 30, middle: 46, arc: 9 };
const label = (id) => say(`node_${id}`) || id.replaceAll("_", " ");
const isEnd = (id) => id.startsWith("__");

/** A picture of the graph: {element, show(turn)}. It has labels where there is room for them, and dots on a phone. */
export function graphPicture(graph) {
  const plan = layered(graph);
  const caption = el("p", { class: "graph-now", "aria-hidden": "true" });
  const element = el("figure", { class: "graph", role: "img", "aria-label": say("graph") },
    picture(plan, WIDE, "wide"), picture(plan, SMALL, "small"), caption);
  return { element, show: (turn) => show(element, caption, turn) };
}

function picture({ layers, places, edges }, size, kind) {
  const width = layers.length * size.step + 4;
  const centre = (id) => {
    const { layer, row, rows } = places.get(id);
    return { x: size.step * (layer + 0.5) + 2, y: size.middle + (row - (rows - 1) / 2) * size.gap };
  };
  const root = svg("svg", { class: kind, viewBox: `0 0 ${width} ${size.middle * 2}`, "aria-hidden": "true", focusable: "false" });
  for (const edge of edges) {
    root.append(svg("path", {
      class: "edge", d: route(centre(edge.source), centre(edge.target), edge, size, isEnd),
      data: { edge: `${edge.source}>${edge.target}`, span: edge.span },
    }));
  }
  for (const id of places.keys()) root.append(box(id, centre(id), size, kind === "wide"));
  return root;
}

/** The line of an edge: straight to the next layer, above past others, below where it leads back. */
function route(from, to, edge, size) {
  const half = (id) => (isEnd(id) ? 5 : size.width / 2);
  if (edge.span === 1) {
    const start = from.x + half(edge.source), end = to.x - half(edge.target), bend = (start + end) / 2;
    return `M${start} ${from.y}C${bend} ${from.y} ${bend} ${to.y} ${end} ${to.y}`;
  }
  const side = edge.span > 1 ? -1 : 1;
  const reach = size.middle + side * (size.gap / 2 + size.height / 2 + size.arc * Math.min(Math.abs(edge.span), 5) * 0.45);
  const start = from.y + (side * size.height) / 2, end = to.y + (side * (isEnd(edge.target) ? 6 : size.height / 2));
  const shift = side * size.width * 0.12;
  return `M${from.x - shift * 1} ${start}C${from.x - shift} ${reach} ${to.x + shift} ${reach} ${to.x + shift} ${end}`;
}

function box(id, { x, y }, size, labelled) {
  if (isEnd(id)) return svg("circle", { class: "end", cx: x, cy: y, r: labelled ? 5 : 3.5, data: { node: id } });
  const group = svg("g", { class: "node", data: { node: id } },
    svg("rect", { x: x - size.width / 2, y: y - size.height / 2, width: size.width, height: size.height, rx: size.height / 2 }));
  if (labelled) {
    group.append(svg("text", { x, y: y + 4, "text-anchor": "middle" }, label(id)),
      svg("g", { class: "count" },
        svg("circle", { cx: x + size.width / 2 - 4, cy: y - size.height / 2 + 2, r: 9 }),
        svg("text", { x: x + size.width / 2 - 4, y: y - size.height / 2 + 5.5, "text-anchor": "middle" })));
  }
  return group;
}

function show(element, caption, turn) {
  const busy = [];
  for (const group of element.querySelectorAll(".node")) {
    const node = turn.nodes.get(group.dataset.node);
    const running = turn.status === "running" ? node?.running || 0 : 0;
    const waits = turn.status === "waiting" && group.dataset.node === "human_feedback";
    const state = waits ? "waiting" : running ? "running" : node?.failed && !node.done ? "failed" : node?.done ? "done" : "";
    if (group.dataset.state !== state) group.dataset.state = state;
    if ((running || waits) && group.closest(".wide")) busy.push(label(group.dataset.node) + (running > 1 ? ` ×${running}` : ""));
    const count = group.querySelector(".count");
    if (count) {
      count.classList.toggle("there", running > 1);
      count.querySelector("text").textContent = `×${running}`;
    }
  }
  for (const edge of element.querySelectorAll(".edge")) edge.classList.toggle("travelled", turn.travelled.has(edge.dataset.edge));
  const ended = turn.status === "done";
  for (const end of element.querySelectorAll(".end")) {
    end.classList.toggle("reached", end.dataset.node === "__start__" ? turn.nodes.size > 0 : ended);
  }
  caption.textContent = busy.join(" · ");
  element.setAttribute("aria-label", busy.length ? `${say("graph")}. ${say("graphNow", { nodes: busy.join(", ") })}` : say("graph"));
}
