// Where the nodes of a drawing stand: plain data in and out, so that a worker can do it.
import * as dagre from "@dagrejs/dagre";

export interface LayoutNode {
  id: string;
  width: number;
  height: number;
  group?: string | undefined;  // the innermost that it is in
}

export interface LayoutGroup {
  id: string;
  group?: string | undefined;
}

export interface LayoutTask {
  nodes: LayoutNode[];
  groups: LayoutGroup[];
  edges: [string, string][];
}

export interface Box {
  id: string;
  x: number;  // of the middle
  y: number;
  width: number;
  height: number;
}

export interface Layout {
  nodes: Box[];
  groups: Box[];
  edges: { x: number; y: number }[][];  // in the task's order
  width: number;
  height: number;
}

export function layOut(task: LayoutTask): Layout {
  const graph = new dagre.graphlib.Graph({ compound: task.groups.length > 0 });
  graph.setGraph({ rankdir: "TB", nodesep: 16, ranksep: 34, marginx: 16, marginy: 16 });
  for (const { id } of task.groups) graph.setNode(id, {});
  for (const { id, width, height } of task.nodes) graph.setNode(id, { width, height });
  for (const { id, group } of [...task.groups, ...task.nodes]) {
    if (group !== undefined) graph.setParent(id, group);
  }
  for (const [from, to] of task.edges) graph.setEdge(from, to, {});
  dagre.layout(graph);
  const boxOf = ({ id }: { id: string }): Box => {
    const { x, y, width, height } = graph.node(id) as Box;
    return { id, x, y, width, height };
  };
  const { width, height } = graph.graph() as { width: number; height: number };
  return {
    nodes: task.nodes.map(boxOf),
    groups: task.groups.map(boxOf),
    edges: task.edges.map(([from, to]) => (graph.edge(from, to) as { points: { x: number; y: number }[] }).points),
    width,
    height,
  };
}
