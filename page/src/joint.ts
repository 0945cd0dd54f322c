// Both graphs as one: a pair of results is one node, what only one side has is its own.
import { type Comparison } from "./comparison";
import { type Relation, type Result, type Side, SIDES } from "./report";

export interface JointNode {
  row: number;
  relation: Relation;
  left?: number;   // results
  right?: number;
  absorbed: boolean;  // into the pair of its row
}

// A node is known by a number: a row if it is that row's pair, or else one of a side's results after
// all rows.
export class JointGraph {
  private readonly rows: number;
  private readonly lefts: number;
  // By result: the output that stands for its node, of several the first that has a pair.
  private readonly mains: Record<Side, number[]>;

  constructor(private readonly comparison: Comparison) {
    this.mains = { left: this.mainsOf("left"), right: this.mainsOf("right") };
    this.rows = comparison.report.rows.length;
    this.lefts = comparison.report.left.results.length;
  }

  private mainsOf(side: Side): number[] {
    const results = this.comparison.report[side].results;
    const mains = results.map((_, number) => number);
    for (let first = 0; first < results.length; ++first) {
      let end = first + 1;
      while (results[end]?.slot !== undefined) ++end;
      if (end === first + 1) continue;
      const outputs = mains.slice(first, end);
      const main = outputs.find((result) => this.isPair(side, result)) ?? first;
      for (const result of outputs) mains[result] = main;
      first = end - 1;
    }
    return mains;
  }

  // All outputs of its node.
  private outputsOf(side: Side, result: number): number[] {
    const mains = this.mains[side];
    let [first, end] = [result, result + 1];
    while (first > 0 && mains[first - 1] === mains[result]) --first;
    while (end < mains.length && mains[end] === mains[result]) ++end;
    return mains.slice(first, end).map((_, i) => first + i);
  }

  private isPair(side: Side, result: number): boolean {
    const it = this.comparison.row(this.comparison.rowOfResult(side, result));
    return it !== undefined && it.left.length > 0 && it.right.length > 0 && it[side].at(-1) === result;
  }

  keyOf(side: Side, output: number): number {
    const result = this.mains[side][output] ?? output;
    const row = this.comparison.rowOfResult(side, result);
    if (this.isPair(side, result)) return row;
    return this.rows + (side === "left" ? 0 : this.lefts) + result;
  }

  keyOfRow(row: number): number {
    const it = this.comparison.row(row);
    const left = it?.left.at(-1);
    const right = it?.right.at(-1);
    if (left !== undefined) return this.keyOf("left", left);
    return right === undefined ? -1 : this.keyOf("right", right);
  }

  // The row's pair, and what it absorbed.
  keysOfRow(row: number): number[] {
    const it = this.comparison.row(row);
    return it ? SIDES.flatMap((side) => it[side].map((result) => this.keyOf(side, result))) : [];
  }

  node(key: number): JointNode | undefined {
    if (key < this.rows) {
      const row = this.comparison.row(key);
      const [left, right] = [row?.left.at(-1), row?.right.at(-1)];
      if (!row || left === undefined || right === undefined) return undefined;
      // A further output of a node is in its node's box.
      const node: JointNode = { row: key, relation: row.relation, absorbed: false };
      if (this.mains.left[left] === left) node.left = left;
      if (this.mains.right[right] === right) node.right = right;
      return node.left === undefined && node.right === undefined ? undefined : node;
    }
    const side: Side = key - this.rows < this.lefts ? "left" : "right";
    const result = key - this.rows - (side === "left" ? 0 : this.lefts);
    const row = this.comparison.rowOfResult(side, result);
    const relation: Relation = side === "left" ? "left_only" : "right_only";
    const it = this.comparison.row(row);
    const absorbed = it !== undefined && it.left.length > 0 && it.right.length > 0;
    return { row, relation, [side]: result, absorbed };
  }

  // Of all outputs of a node that its box stands for.
  rowsOf(side: Side, node: JointNode): number[] {
    const result = node[side];
    if (result === undefined) return [node.row];
    return this.outputsOf(side, result).map((output) => this.comparison.rowOfResult(side, output));
  }

  *keys(): Generator<number> {
    const { left, right, rows } = this.comparison.report;
    for (let row = 0; row < rows.length; ++row) {
      if (this.node(row) !== undefined) yield row;
    }
    for (const [side, results] of [["left", left.results], ["right", right.results]] as const) {
      for (let result = 0; result < results.length; ++result) {
        const key = this.keyOf(side, result);
        if (key >= this.rows && this.mains[side][result] === result && this.comparison.rowOfResult(side, result) >= 0) yield key;
      }
    }
  }

  result(side: Side, node: JointNode): Result | undefined {
    return this.comparison.result(side, node[side]);
  }

  // By the sides that have the edge.
  private neighbours(key: number, of: (side: Side, result: number) => number[]): Map<number, Set<Side>> {
    const node = this.node(key);
    const found = new Map<number, Set<Side>>();
    if (!node) return found;
    for (const side of SIDES) {
      const result = node[side];
      if (result === undefined) continue;
      for (const other of of(side, result)) {
        const to = this.keyOf(side, other);
        if (to === key) continue;
        const sides = found.get(to) ?? new Set();
        found.set(to, sides.add(side));
      }
    }
    return found;
  }

  before(key: number): Map<number, Set<Side>> {
    return this.neighbours(key, (side, result) => this.comparison.inputs(side, result));
  }

  after(key: number): Map<number, Set<Side>> {
    return this.neighbours(key, (side, result) =>
      this.outputsOf(side, result).flatMap((output) => this.comparison.readers(side, output)));
  }

  // Those that it reads and that are no boxes.
  constantsOf(side: Side, node: JointNode): Result[] {
    const result = node[side];
    if (result === undefined) return [];
    return this.comparison.inputs(side, result).filter((input) => this.isPlain(this.keyOf(side, input)))
      .map((input) => this.comparison.result(side, input)).filter((one) => one !== undefined);
  }

  // Constants with the same bits tell nothing, and there are many.
  isPlain(key: number): boolean {
    const node = this.node(key);
    if (!node || node.relation === "different" || node.relation === "close") return false;
    return SIDES.every((side) => {
      const result = this.result(side, node);
      return !result || result.kind === "INITIALIZER" || result.op_type === "Constant" ||
        (result.op_type === "Identity" && (result.inputs ?? []).every((input) =>
          this.comparison.result(side, input)?.kind === "INITIALIZER"));
    });
  }
}
