// Both graphs side by side, what is aligned at the same height: a neighbourhood that grows step by
// step, or all of it by scopes that open and close.
import { type BoardNodes, type Figures, type PaneScene, type Part, Board, paneHead } from "./board";
import { type Comparison, madeBy, pathAndName } from "./comparison";
import { button, html, svg, whenIdle } from "./dom";
import { GraphDrawing, NODE, closedScope, curve, openScope, tip } from "./graph_drawing";
import { partsOf } from "./groups";
import { JointGraph } from "./joint";
import { type Box, type Layout } from "./layout";
import { type LayoutService } from "./layout_worker";
import { type Relation, type Result, type Side, SIDES } from "./report";
import { type Edges, type Scope, type Scoped, type Units, ScopeTree, taskOf, unitsOf } from "./scopes";
import { type Actions } from "./summary";
import { grouped, visible } from "./text";

const MOST_AT_FIRST = 22;
const MOST_NODES = 1500;
// A box around distant nodes would enclose others.
const MOST_APART = 4 * (NODE.height + 34);

function around({ x, y, width, height }: Box): Omit<Part, "make"> {
  return { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
}

// Of a result whose size is known.
function bytesOf(result: Result | undefined): number {
  const bits = /\d+/.exec(result?.dtype ?? "")?.[0] ?? { float: 32, double: 64, bool: 8 }[result?.dtype ?? ""];
  if (bits === undefined || result?.shape === undefined) return 0;
  return result.shape.reduce<number>((product, size) => product * Number(size), Number(bits) / 8);
}

export class GraphView {
  readonly element: HTMLElement;
  private readonly joint: JointGraph;
  private readonly drawing: GraphDrawing;
  private readonly board: Board;
  private readonly byScope: HTMLButtonElement;
  private readonly shown = new Set<number>();
  private scopes: ScopeTree | undefined;
  private opened: Set<Scope> | undefined;  // there if the whole is shown by scopes
  private center = -1;
  private selected = -1;
  private positions = new Map<string, Box>();
  private draws = 0;
  private all: number | undefined;  // boxes that there are
  private height = 0;

  constructor(private readonly comparison: Comparison, private readonly actions: Actions,
    private readonly service: LayoutService) {
    this.joint = new JointGraph(comparison);
    this.drawing = new GraphDrawing(comparison, this.joint, {
      choose: (key, row) => this.choose(key, row),
      expand: (keys) => this.expand(keys),
    });
    this.byScope = button("Whole, by scope", () => this.opened ? this.start(this.center) : this.showScopes(),
      { class: "by-scope", "aria-pressed": "false" });
    const tools = [button("More around it", () => this.grow()), button("Less", () => this.start(this.center)),
      button("From the selected", () => this.start(this.selected), { class: "from-selected" }), this.byScope];
    this.board = new Board(SIDES.map((side) => paneHead(side, this.of(side))), this.nodes(), tools);
    this.element = html("section", { "aria-labelledby": "graphs", id: "graph-section" },
      html("h2", { id: "graphs" }, "Both graphs, side by side"),
      this.board.element,
      html("p", { class: "quiet" }, "Pairs stand opposite each other. A number on an edge of a node opens so many more ",
        "that it is made from, the body of an If, Loop or Scan too (above), or that read it (below). A dashed box is around what one ",
        "node of the other side stands for. By scope, a click opens one and its − closes it. Constants with the same bits are left out."));
    this.board.resized = () => {
      const box = this.positions.get(String(this.selected));
      if (box) this.board.lookAt(box);
    };
    // When it comes into view, and in any case before somebody prints.
    const begin = (): void => {
      whenSeen.disconnect();
      if (this.center < 0 && this.element.isConnected) this.start(this.joint.keyOfRow(this.firstRow()));
    };
    const whenSeen = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) begin();
    }, { rootMargin: "400px" });
    whenSeen.observe(this.element);
    whenIdle(begin);
  }

  // The side's file, and what ran it.
  private of(side: Side): string {
    const { source, ran_in } = this.comparison.report[side];
    const file = source.slice(source.lastIndexOf("/") + 1).slice(0, 80);
    return ran_in === undefined ? file : `${file} in ${ran_in}`;
  }

  // The first cause, or the first that differs, or what changed first, or the last result.
  private firstRow(): number {
    const { causes, changes, rows } = this.comparison.report;
    for (const cause of causes) {
      const row = this.comparison.rowOfCause(cause);
      if (row >= 0) return row;
    }
    const change = (changes ?? []).find((one) => (one.rows ?? []).length > 0)?.rows?.[0] ?? -1;
    const first = (relation: Relation): number => rows.findIndex((one) => one.relation === relation);
    for (const row of [first("different"), change, first("close")]) if (row >= 0) return row;
    return rows.length - 1;
  }

  // All nodes of both sides, by their keys.
  private nodes(): BoardNodes {
    let keys: number[] | undefined;
    const faces = (key: number): Result[] => {
      const node = this.joint.node(key);
      return node ? SIDES.map((side) => this.joint.result(side, node)).filter((one) => one !== undefined) : [];
    };
    return {
      all: () => (keys ??= [...this.joint.keys()].filter((key) => !this.joint.isPlain(key))),
      words: (key) => faces(key).flatMap((one) => [pathAndName(one), one.node ?? "", madeBy(one), one.module ?? ""]).join("\n"),
      attributes: (key) => faces(key).map((one) => one.attributes ?? "").join("\n"),
      changes: () => this.changes(),
      ids: (key) => this.joint.keysOfRow(this.joint.node(key)?.row ?? -1).map(String),
      goTo: (key) => this.goTo(key),
    };
  }

  // Causes and what changed; where there are none, all that differs.
  private changes(): number[] {
    const { causes, changes, rows } = this.comparison.report;
    const some = [...causes.map((cause) => this.comparison.rowOfCause(cause)), ...(changes ?? []).flatMap((change) => change.rows ?? [])];
    const all = some.length > 0 ? some : rows.flatMap(({ relation }, row) => relation === "same" || relation === "close" ? [] : [row]);
    return [...new Set(all.sort((a, b) => a - b).map((row) => this.joint.keyOfRow(row)))].filter((key) => this.joint.node(key) !== undefined);
  }

  // Marks these rows in both graphs and goes to the first of them. `side`: has one node for all rows
  // of a place.
  showPlaces(rows: number[], what: string, side?: Side): void {
    const place = (row: number): number => {
      const face = side && this.comparison.row(row)?.[side].at(-1);
      return side && face !== undefined ? this.joint.keyOf(side, face) : this.joint.keyOfRow(row);
    };
    this.board.walk(`${what}: place`, [...new Set(rows.map(place))], "marked");
    this.element.scrollIntoView({ block: "nearest" });
  }

  showRow(row: number): void {
    const key = this.joint.keyOfRow(row);
    this.selected = key;
    this.start(key);
    this.element.scrollIntoView({ block: "start" });
    this.board.frame.focus({ preventScroll: true });
  }

  // By scope, those around it open.
  private goTo(key: number): void {
    if (!this.opened || !this.scopes) {
      this.start(key);
      return;
    }
    for (const scope of this.scopes.around(key)) this.opened.add(scope);
    this.center = key;
    this.selected = key;
    void this.draw(true);
  }

  private start(key: number): void {
    if (key < 0 || !this.joint.node(key)) return;
    this.leaveScopes();
    this.center = key;
    this.selected = key;
    this.shown.clear();
    this.shown.add(key);
    // With all that its pair stands for.
    for (const one of this.joint.keysOfRow(this.joint.node(key)?.row ?? -1)) this.shown.add(one);
    this.widen(2, Math.max(MOST_AT_FIRST, this.shown.size + MOST_AT_FIRST / 2));
    void this.draw(true);
  }

  private grow(): void {
    this.leaveScopes();
    this.widen(1, MOST_NODES);
    void this.draw(false);
  }

  private leaveScopes(): void {
    this.opened = undefined;
    this.byScope.setAttribute("aria-pressed", "false");
  }

  // All closed but those around what is looked at.
  private showScopes(): void {
    this.scopes ??= new ScopeTree(this.scoped());
    this.opened = new Set(this.scopes.around(this.center));
    this.byScope.setAttribute("aria-pressed", "true");
    void this.draw(true);
  }

  private toggle(scope: Scope): void {
    if (!this.opened) return;
    if (!this.opened.delete(scope)) this.opened.add(scope);
    void this.draw(false, scope.id);
  }

  private choose(key: number, row: number): void {
    this.selected = key;
    for (const element of this.board.frame.querySelectorAll(".node.selected")) element.classList.remove("selected");
    for (const element of this.board.frame.querySelectorAll(`[data-node="${row}"]`)) element.classList.add("selected");
    this.actions.showRow(row);
  }

  private expand(keys: number[]): void {
    for (const key of keys.slice(0, MOST_NODES)) this.shown.add(key);
    void this.draw(false);
  }

  // Adds what is so many steps around all that is shown.
  private widen(steps: number, most: number): void {
    let edge = [...this.shown];
    for (let step = 0; step < steps; ++step) {
      const next: number[] = [];
      for (const key of edge) {
        for (const other of [...this.joint.before(key).keys(), ...this.joint.after(key).keys()]) {
          if (this.shown.size >= most) return;
          if (this.shown.has(other) || this.joint.isPlain(other)) continue;
          this.shown.add(other);
          next.push(other);
        }
      }
      edge = next;
    }
  }

  private hidden(neighbours: Map<number, unknown>): number[] {
    return [...neighbours.keys()].filter((key) => !this.shown.has(key) && !this.joint.isPlain(key));
  }

  private *scoped(): Generator<Scoped> {
    for (const key of this.joint.keys()) {
      const node = this.joint.node(key);
      if (!node || this.joint.isPlain(key)) continue;
      const relation = node.absorbed ? this.comparison.row(node.row)?.relation ?? "same" : node.relation;
      yield { key, row: node.row, relation, parts: partsOf(this.joint.result("left", node) ?? this.joint.result("right", node)),
        panes: SIDES.filter((side) => node[side] !== undefined), causes: node.absorbed ? 0 : this.comparison.causesAt(node.row).length };
    }
  }

  private units(): Units {
    if (this.opened && this.scopes) return unitsOf(this.scopes, this.opened);
    return { nodes: new Map([...this.shown].map((key) => [String(key), key])), closed: new Map(), open: new Map(),
      unitOf: (key) => this.shown.has(key) ? String(key) : undefined, groupOf: () => undefined };
  }

  private *edges(): Edges & Generator<[number, number, Set<Side>]> {
    for (const key of this.opened ? this.joint.keys() : this.shown) {
      for (const [before, of] of this.joint.before(key)) yield [before, key, of];
    }
  }

  private heightOf(key: number): number {
    const node = this.joint.node(key);
    return node ? this.drawing.height(node) : NODE.height;
  }

  // `scope`: the one that was opened or closed, which stays where it is.
  private async draw(again: boolean, scope = ""): Promise<void> {
    const number = ++this.draws;
    const before = this.positions.get(scope === "" ? String(this.center) : `s${scope}`);
    const screen = before && this.board.onScreen(before);
    const units = this.units();
    const count = units.nodes.size + units.closed.size;
    if (count > MOST_NODES) {
      this.board.status.textContent = `${grouped(count)} boxes are too many to draw; close some`;
      return;
    }
    const { task, panes } = taskOf(units, (key) => ({ width: NODE.width, height: this.heightOf(key) }), NODE, this.edges());
    let layout: Layout;
    try {
      const asked = this.service.layOut(task);
      this.board.status.textContent = "laying out…";
      layout = await asked;
    } catch {
      if (number === this.draws) this.board.status.textContent = "this graph is too deep to be laid out as a whole";
      return;
    }
    if (number !== this.draws) return;
    this.positions = new Map([...layout.nodes, ...layout.groups].map((box) => [box.id, box]));
    this.height = Math.max(again ? 0 : this.height, layout.height + 64);
    this.board.frame.style.setProperty("--drawing", `${this.height}px`);
    const focus = this.focused();
    this.board.show({ width: layout.width, height: layout.height, panes: SIDES.map((side) => this.sceneOf(side, units, layout, panes)) });
    if (focus) this.focusAgain(focus);
    this.all ??= [...this.joint.keys()].filter((key) => !this.joint.isPlain(key)).length;
    this.board.status.textContent = this.opened ? `${grouped(units.nodes.size)} boxes, ${grouped(units.closed.size)} closed scopes`
      : `${grouped(units.nodes.size)} of ${grouped(this.all)} boxes`;
    const center = this.positions.get(scope === "" ? String(this.center) : `s${scope}`) ?? layout.nodes[0];
    if (!center) return;
    if (again || !screen) this.board.lookAt(center);
    else this.board.keep(center, screen);
  }

  // The focused element of a drawing that is about to be removed.
  private focused(): { pane: HTMLElement; unit: string; expander: boolean } | undefined {
    const element = document.activeElement;
    const pane = this.board.paneOf(element);
    const unit = element?.getAttribute("data-unit") ?? "";
    return pane && { pane, unit, expander: element?.classList.contains("expander") ?? false };
  }

  // The same in the new one, or the node at which something opened, or else the frame.
  private focusAgain({ pane, unit, expander }: { pane: HTMLElement; unit: string; expander: boolean }): void {
    const same = [...pane.querySelectorAll<SVGElement>("[data-unit]")].filter((one) => one.getAttribute("data-unit") === unit);
    const found = same.find((one) => one.classList.contains("expander") === expander) ?? same[0];
    (found ?? this.board.frame).focus({ preventScroll: true });
  }

  private sceneOf(side: Side, units: Units, layout: Layout, edgeSides: Set<string>[]): PaneScene {
    const scene: PaneScene = { under: [], boxes: [], over: [] };
    for (const [id, scope] of units.open) {
      const box = this.positions.get(id);
      if (box && scope.panes.has(side)) scene.under.push({ ...around(box), make: () => openScope(scope, box, () => this.toggle(scope)) });
    }
    layout.edges.forEach((points, i) => {
      if (!edgeSides[i]?.has(side)) return;
      const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
      scene.under.push({ left: Math.min(...xs) - 4, right: Math.max(...xs) + 4, top: Math.min(...ys), bottom: Math.max(...ys),
        make: () => svg("g", {}, svg("path", { class: "edge", d: curve(points) }), tip(points)) });
    });
    scene.under.push(...this.fusions(side, units));
    for (const [id, scope] of units.closed) {
      const box = this.positions.get(id);
      if (!box || !scope.panes.has(side)) continue;
      const relation = scope.count.different > 0 ? "different" : scope.count.close > 0 ? "close" : "same";
      scene.boxes.push({ ...around(box), id, relation, figures: {}, make: () => closedScope(side, scope, box, "results", () => this.toggle(scope)) });
    }
    const placed = [...units.nodes].map(([id, key]) => ({ id, key, box: this.positions.get(id) }));
    placed.sort((a, b) => (a.box?.y ?? 0) - (b.box?.y ?? 0) || (a.box?.x ?? 0) - (b.box?.x ?? 0));
    for (const { id, key, box } of placed) {
      const node = this.joint.node(key);
      if (!node || !box || node[side] === undefined) continue;
      scene.boxes.push({ ...around(box), id, relation: node.absorbed ? "absorbed" : node.relation, figures: this.figures(side, key),
        make: () => this.drawing.node(side, key, node, box, key === this.selected) });
      if (!this.opened) scene.over.push(...this.expanders(key, box));
    }
    return scene;
  }

  // Of its result and of the constants that are no boxes.
  private figures(side: Side, key: number): Figures {
    const node = this.joint.node(key);
    if (!node) return {};
    const read = this.joint.constantsOf(side, node).reduce((sum, one) => sum + bytesOf(one), 0);
    return { bytes: bytesOf(this.joint.result(side, node)) + read };
  }

  private expanders(key: number, { x, y, height }: Box): Part[] {
    const ends: [number[], number, string][] = [
      [this.hidden(this.joint.before(key)), y - height / 2 - 6, "made from"],
      [this.hidden(this.joint.after(key)), y + height / 2 + 6, "read by"],
    ];
    return ends.filter(([keys]) => keys.length > 0).map(([keys, edge, what]) => {
      const middle = x + NODE.width / 2 - 22;
      return { left: middle - 14, right: middle + 14, top: edge - 8, bottom: edge + 8,
        make: () => this.drawing.expander(key, keys, middle, edge, `${what} ${keys.length} more`) };
    });
  }

  private fusions(side: Side, units: Units): Part[] {
    const groups = new Map<number, Box[]>();
    for (const [id, key] of units.nodes) {
      const node = this.joint.node(key);
      const row = node && this.comparison.row(node.row);
      const box = this.positions.get(id);
      if (!row || !box || row[side].length < 2 || row.left.length === 0 || row.right.length === 0) continue;
      if (node[side] === undefined) continue;
      const group = groups.get(node.row);
      if (group) group.push(box);
      else groups.set(node.row, [box]);
    }
    const other = side === "left" ? "right" : "left";
    return [...groups].flatMap(([number, boxes]) => {
      const row = this.comparison.row(number);
      const far = Math.max(...boxes.map((box) => box.y)) - Math.min(...boxes.map((box) => box.y));
      if (!row || boxes.length < 2 || far > MOST_APART * boxes.length) return [];
      const stands = visible(madeBy(this.comparison.face(other, row)));
      const parts = boxes.map(around);
      return [{ left: Math.min(...parts.map((one) => one.left)) - 8, right: Math.max(...parts.map((one) => one.right)) + 8,
        top: Math.min(...parts.map((one) => one.top)) - 24, bottom: Math.max(...parts.map((one) => one.bottom)) + 8,
        make: () => this.drawing.fusion(boxes, `${row[side].length} → ${stands}`) }];
    });
  }
}
