// The elements of a drawing of one side's graph.
import { type Comparison, madeBy, pathAndName } from "./comparison";
import { svg } from "./dom";
import { type JointGraph, type JointNode } from "./joint";
import { type Box } from "./layout";
import { type Relation, type Result, type Side, SIDES } from "./report";
import { type Scope } from "./scopes";
import { SIGNS, farthest, grouped, shortenApart, visible } from "./text";

export const NODE = { width: 184, height: 44 };
const LINE = 13;          // of what stands below a name
const MOST_LETTERS = 27;  // of a name

export interface GraphActions {
  choose(key: number, row: number): void;
  expand(keys: number[]): void;
}

function short(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function shortEnd(text: string, most: number): string {
  return text.length <= most ? text : `…${text.slice(1 - most)}`;
}

// A click does it, and so do Enter and the space bar.
export function pressable(element: SVGElement, act: () => void): SVGElement {
  element.addEventListener("click", act);
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
  return element;
}

export function curve(points: { x: number; y: number }[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  let path = `M${first.x.toFixed(1)} ${first.y.toFixed(1)}`;
  for (let i = 0; i < rest.length; ++i) {
    const at = rest[i] as { x: number; y: number };
    const next = rest[i + 1];
    if (!next) path += `L${at.x.toFixed(1)} ${at.y.toFixed(1)}`;
    else path += `Q${at.x.toFixed(1)} ${at.y.toFixed(1)} ${((at.x + next.x) / 2).toFixed(1)} ${((at.y + next.y) / 2).toFixed(1)}`;
  }
  return path;
}

// The tip of an arrow at the end of a line, in its direction.
export function tip(points: { x: number; y: number }[]): SVGElement | undefined {
  const [from, to] = points.slice(-2);
  if (!from || !to) return undefined;
  const turned = Math.atan2(to.y - from.y, to.x - from.x) * 180 / Math.PI;
  return svg("path", { class: "tip", d: "M0 0l-7 -3.5v7z", transform: `translate(${to.x.toFixed(1)} ${to.y.toFixed(1)}) rotate(${turned.toFixed(0)})` });
}

// A scope that is closed: one box for all in it.
export function closedScope(side: Side, scope: Scope, box: Box, noun: string, toggle: () => void): SVGElement {
  const { count } = scope;
  const relation: Relation = count.different > 0 ? "different" : count.close > 0 ? "close"
    : count.same > 0 ? "same" : side === "left" ? "left_only" : "right_only";
  const all = Object.values(count).reduce((a, b) => a + b);
  const parts = (["different", "close", "same", `${side}_only`] as const).filter((one) => count[one] > 0)
    .map((one) => `${SIGNS[one]} ${grouped(count[one])}`);
  const label = `${visible(scope.label).slice(0, 200)}: ${grouped(all)} ${noun}, ${parts.join(", ")}, ${side}`;
  const group = svg("g", { class: `node scope ${relation}${scope.causes > 0 ? " has-cause" : ""}`, tabindex: 0, role: "button",
    transform: `translate(${box.x - NODE.width / 2} ${box.y - NODE.height / 2})`, "aria-expanded": "false",
    "data-scope": scope.id.slice(0, 1000), "data-unit": `s${scope.id}` },
  svg("title", {}, label),
  svg("rect", { class: "box", width: NODE.width, height: NODE.height, rx: 12 }),
  svg("rect", { class: "under", x: 4, y: 4, width: NODE.width - 8, height: NODE.height - 8, rx: 9 }),
  svg("text", { class: "op", x: 12, y: 19 }, `${shortEnd(visible(scope.label), 22)} `),
  svg("text", { class: "label", x: 12, y: 34 }, `${grouped(all)} ${noun}  ${parts.join("  ")}`));
  return pressable(group, toggle);
}

// One that is open: a frame with a button that closes it.
export function openScope(scope: Scope, box: Box, toggle: () => void): SVGElement {
  const [left, top] = [box.x - box.width / 2, box.y - box.height / 2];
  const label = visible(scope.label);
  const most = Math.max(6, Math.floor((box.width - 44) / 7));
  const close = pressable(svg("g", { class: "expander", transform: `translate(${left + 16} ${top + 11})`, tabindex: 0,
    role: "button", "aria-expanded": "true", "data-unit": `s${scope.id}` },
  svg("title", {}, `Close ${label.slice(0, 200)}`), svg("rect", { x: -9, y: -8, width: 18, height: 16, rx: 8 }),
  svg("text", { y: 4, "text-anchor": "middle" }, "−")), toggle);
  return svg("g", {},
    svg("rect", { class: "frame", x: left, y: top, width: box.width, height: box.height, rx: 10 }),
    svg("text", { class: "frame-label", x: left + 30, y: top + 15 }, shortEnd(label, most)), close);
}

export class GraphDrawing {
  private readonly names: Record<Side, Map<string, string>>;

  constructor(private readonly comparison: Comparison, private readonly joint: JointGraph,
    private readonly actions: GraphActions) {
    const namesOf = (side: Side): Map<string, string> =>
      shortenApart(comparison.report[side].results.map((result) => this.nameOf(result)), MOST_LETTERS);
    this.names = { left: namesOf("left"), right: namesOf("right") };
  }

  private nameOf(result: Result | undefined): string {
    return visible(this.comparison.brief(pathAndName(result), "", madeBy(result)));
  }

  // Below its name: constants that it reads, its attributes, and its type.
  private below(side: Side, node: JointNode): string[] {
    const result = this.joint.result(side, node);
    if (!result) return [];
    const constants = this.joint.constantsOf(side, node).map((one) => `${visible(this.comparison.brief(pathAndName(one)))} ${visible(one.type)}`);
    const more = constants.length > 1 ? `${short(constants[0] ?? "", 20)} +${constants.length - 1}` : constants[0] ?? "";
    return [more, visible(result.attributes ?? ""), result.type === "" ? "" : `→ ${visible(result.type)}`].filter((line) => line !== "");
  }

  height(node: JointNode): number {
    return NODE.height + LINE * Math.max(...SIDES.map((side) => this.below(side, node).length));
  }

  node(side: Side, key: number, node: JointNode, box: Box, selected: boolean): SVGElement {
    const result = this.joint.result(side, node);
    const row = this.comparison.row(node.row);
    const operator = visible(madeBy(result));
    const relation = node.absorbed ? "absorbed" : node.relation;
    const pairsError = node.left !== undefined && node.right !== undefined ? farthest(row?.diff) : "";
    const sign = node.absorbed ? "" : SIGNS[node.relation];
    const causes = !node.absorbed &&
      this.joint.rowsOf(side, node).some((of) => this.comparison.causesAt(of).length > 0);
    const error = `${sign} ${pairsError}`.trim();
    const most = Math.floor((NODE.width - 24 - 7.2 * error.length) / 8);
    const texts = [short(operator, Math.max(4, most)), error,
      this.names[side].get(this.nameOf(result)) ?? ""];
    const below = this.below(side, node);
    const { height } = box;
    const group = svg("g", { class: `node ${relation}${selected ? " selected" : ""}${causes ? " has-cause" : ""}`,
      transform: `translate(${box.x - NODE.width / 2} ${box.y - height / 2})`, tabindex: 0, role: "button",
      "data-node": node.row, "data-unit": key },
    // Its name for those who hear it, and what the pointer shows.
    svg("title", {}, [`${operator} ${error} ${visible(pathAndName(result)).slice(0, 400)}`, visible(result?.attributes ?? ""),
      visible(result?.type ?? ""), `${side}, row ${node.row}`].filter((line) => line !== "").join("\n")),
    svg("rect", { class: "around", x: -5, y: -5, width: NODE.width + 10, height: height + 10, rx: 9 }),
    svg("rect", { class: "box", width: NODE.width, height, rx: 5 }),
    svg("rect", { class: "bar", width: 5, height, rx: 2 }),
    svg("text", { class: "op", x: 12, y: 18 }, `${texts[0]} `),
    svg("text", { class: "error", x: NODE.width - 7, y: 18, "text-anchor": "end" }, `${texts[1]} `),
    svg("text", { class: "label", x: 12, y: 35 }, `${texts[2] ?? ""} `),
    ...below.map((line, i) => svg("text", { class: "fact", x: 12, y: 35 + LINE * (i + 1) }, `${short(line, MOST_LETTERS)} `)));
    return pressable(group, () => this.actions.choose(key, node.row));
  }

  // `of`: the node that it is at.
  expander(of: number, keys: number[], x: number, y: number, label: string): SVGElement {
    const open = svg("g", { class: "expander", transform: `translate(${x} ${y})`, tabindex: 0, role: "button", "data-unit": of },
    svg("title", {}, label), svg("rect", { x: -14, y: -8, width: 28, height: 16, rx: 8 }),
    svg("text", { y: 4, "text-anchor": "middle" }, `+${keys.length}`));
    return pressable(open, () => this.actions.expand(keys));
  }

  // A box around a pair and what it stands for, where these stand together.
  fusion(boxes: Box[], text: string): SVGElement {
    const pad = 8;
    const left = Math.min(...boxes.map((one) => one.x - one.width / 2)) - pad;
    const right = Math.max(...boxes.map((one) => one.x + one.width / 2)) + pad;
    const top = Math.min(...boxes.map((one) => one.y - one.height / 2)) - pad;
    const bottom = Math.max(...boxes.map((one) => one.y + one.height / 2)) + pad;
    return svg("g", {},
      svg("rect", { class: "fusion", x: left, y: top, width: right - left, height: bottom - top, rx: 10 },
        svg("title", {}, text)),
      svg("text", { class: "fusion-label", x: left + 6, y: top - 3 }, short(text, 44)));
  }
}
