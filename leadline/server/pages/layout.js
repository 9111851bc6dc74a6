// Where the nodes of a graph stand: in layers by the longest way from the start; edges that lead back are left out of that.

/** Lay out {nodes, edges} as the server draws the graph.
 *  Returns {layers: [[id]], places: Map id -> {layer, row, rows}, edges: [{source, target, span}]}; span < 1 leads back. */
export function layered({ nodes, edges }) {
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
