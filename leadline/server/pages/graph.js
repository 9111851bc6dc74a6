// The live picture of the graph: the same nodes and edges as the server has, lit up as a run goes through them.

import { el, svg } from "./dom.js";
import { say } from "./words.js";

const WIDE = { step: 108, width: 94, height: 30, gap: 44, arc: 8, ends: 30, dot: 5 };
const SMALL = { step: 36, width: 16, height: 16, gap: 30, arc: 4, ends: 18, dot: 3.5 };
const label = (id) => say(`node_${id}`) || id.replaceAll("_", " ");
const isEnd = (id) => id.startsWith("__");

/** A picture of the graph: {element, show(turn)}. It has labels where there is room for them, and dots on a phone. */
export function graphPicture(graph) {
  const plan = layered(graph);
  const does = new Map(graph.nodes.map(({ id, metadata }) => [id, say(`does_${id}`) || metadata?.description?.en || ""]));
  const caption = el("p", { class: "graph-now", "aria-hidden": "true" });
  const element = el("figure", { class: "graph", role: "img", "aria-label": say("graph") },
    picture(plan, does, WIDE, "wide"), picture(plan, does, SMALL, "small"), caption);
  return { element, show: (turn) => show(element, caption, turn, plan) };
}

function picture({ layers, places, edges }, does, size, kind) {
  const width = (layers.length - 2) * size.step + 2 * size.ends;
  const height = size.gap + size.height + 2 * (size.arc * 5 + 4);
  const centre = (id) => {
    const { layer, row, rows } = places.get(id);
    const x = size.ends + size.step * (layer - 0.5);
    return { x: Math.min(Math.max(x, size.dot + 2), width - size.dot - 2), y: height / 2 + (row - (rows - 1) / 2) * size.gap };
  };
  const root = svg("svg", { class: kind, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", focusable: "false" });
  for (const edge of edges) {
    root.append(svg("path", {
      class: "edge", d: route(centre(edge.source), centre(edge.target), edge, size, height / 2),
      data: { edge: `${edge.source}>${edge.target}`, span: edge.span },
    }));
  }
  for (const id of places.keys()) root.append(box(id, centre(id), size, kind === "wide", does.get(id)));
  return root;
}

/** The line of an edge: straight to the next layer, above past others, below where it leads back. */
function route(from, to, edge, size, middle) {
  const across = (id) => (isEnd(id) ? size.dot : size.width / 2);
  const up = (id) => (isEnd(id) ? size.dot : size.height / 2);
  if (edge.span === 1) {
    const start = from.x + across(edge.source), end = to.x - across(edge.target), bend = (start + end) / 2;
    return `M${start} ${from.y}C${bend} ${from.y} ${bend} ${to.y} ${end} ${to.y}`;
  }
  const side = edge.span > 1 ? -1 : 1;
  // a cubic reaches three quarters of the way to its handles
  const reach = middle + (side * (size.gap / 2 + size.height / 2 + size.arc * Math.min(Math.abs(edge.span), 5))) * 1.25;
  const lean = -side * size.width * 0.14;
  const start = { x: from.x + lean, y: from.y + side * up(edge.source) };
  const end = { x: to.x - lean, y: to.y + side * up(edge.target) };
  return `M${start.x} ${start.y}C${start.x} ${reach} ${end.x} ${reach} ${end.x} ${end.y}`;
}

function box(id, { x, y }, size, labelled, does) {
  if (isEnd(id)) return svg("circle", { class: "end", cx: x, cy: y, r: size.dot, data: { node: id } });
  const group = svg("g", { class: "node", data: { node: id } },
    svg("title", {}, does ? label(id) + say("colon") + does : label(id)),
    svg("rect", { x: x - size.width / 2, y: y - size.height / 2, width: size.width, height: size.height, rx: size.height / 2 }));
  if (labelled) {
    group.append(svg("text", { x, y: y + 4, "text-anchor": "middle" }, label(id)),
      svg("g", { class: "count" },
        svg("circle", { cx: x + size.width / 2 - 4, cy: y - size.height / 2 + 2, r: 9 }),
        svg("text", { x: x + size.width / 2 - 4, y: y - size.height / 2 + 5.5, "text-anchor": "middle" })));
  }
  return group;
}

function show(element, caption, turn, plan) {
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
  const ended = turn.status === "done";
  const travelled = turn.tasks.size ? turn.travelled : likely(plan, turn, ended);
  if (ended) travelled.add(`${turn.lastNode}>__end__`);
  for (const edge of element.querySelectorAll(".edge")) edge.classList.toggle("travelled", travelled.has(edge.dataset.edge));
  for (const end of element.querySelectorAll(".end")) {
    end.classList.toggle("reached", end.dataset.node === "__start__" ? turn.nodes.size > 0 : ended);
  }
  caption.textContent = busy.join(" · ");
  element.setAttribute("aria-label", busy.length ? `${say("graph")}. ${say("graphNow", { nodes: busy.join(", ") })}` : say("graph"));
}

/** The edges of a run that nobody watched: forward between nodes that were at work, where none between them was. */
function likely({ places, edges }, turn, ended) {
  const worked = (id) => (id === "__start__" ? turn.nodes.size > 0 : id === "__end__" ? ended : turn.nodes.get(id)?.done > 0);
  const passed = [...places].filter(([id]) => worked(id)).map(([, place]) => place.layer);
  const between = (edge) => passed.some((layer) => layer > places.get(edge.source).layer && layer < places.get(edge.target).layer);
  return new Set(edges.filter((edge) => edge.span > 0 && worked(edge.source) && worked(edge.target) && !between(edge))
    .map((edge) => `${edge.source}>${edge.target}`));
}

/** Lay out {nodes, edges} as the server draws the graph: in layers by the longest way from the start; edges that lead back are left out of that.
 *  Returns {layers: [[id]], places: Map id -> {layer, row, rows}, edges: [{source, target, span}]}; span < 1 leads back. */
function layered({ nodes, edges }) {
  const targets = new Map(nodes.map((node) => [node.id, []]));
  for (const edge of edges) targets.get(edge.source)?.push(edge.target);
  const back = backEdges(nodes, targets);
  const depth = new Map(nodes.map((node) => [node.id, 0]));
  for (let round = 0; round < nodes.length; round += 1) {
    for (const edge of edges) {
      if (back.has(`${edge.source}>${edge.target}`) || !depth.has(edge.target)) continue;
      depth.set(edge.target, Math.max(depth.get(edge.target), depth.get(edge.source) + 1));
    }
  }
  const layers = [];
  for (const node of nodes) (layers[depth.get(node.id)] ??= []).push(node.id);
  const places = new Map();
  layers.forEach((layer, place) => layer.forEach((id, row) => places.set(id, { layer: place, row, rows: layer.length })));
  const spanned = edges
    .filter((edge) => places.has(edge.source) && places.has(edge.target))
    .map((edge) => ({ ...edge, span: places.get(edge.target).layer - places.get(edge.source).layer }));
  return { layers, places, edges: spanned };
}

/** Edges to a node that is still being walked from: those close a circle. */
function backEdges(nodes, targets) {
  const found = new Set();
  const state = new Map();
  const walk = (id) => {
    state.set(id, "open");
    for (const target of [...targets.get(id)].sort((a, b) => order(nodes, a) - order(nodes, b))) {
      if (state.get(target) === "open") found.add(`${id}>${target}`);
      else if (!state.has(target) && targets.has(target)) walk(target);
    }
    state.set(id, "closed");
  };
  for (const node of nodes) if (!state.has(node.id)) walk(node.id);
  return found;
}

const order = (nodes, id) => nodes.findIndex((node) => node.id === id);
