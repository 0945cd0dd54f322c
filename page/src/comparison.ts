// The report with what the page looks up in it.
import { type Report, type Result, type Row, type Side, type Cause } from "./report";

export class Comparison {
  // By result: the row that shows it.
  private readonly rowOf: Record<Side, Int32Array>;
  private readonly readersOf: Record<Side, number[][] | undefined> = { left: undefined, right: undefined };
  private readonly causesOfRow = new Map<number, number[]>();

  constructor(readonly report: Report) {
    this.rowOf = {
      left: new Int32Array(report.left.results.length).fill(-1),
      right: new Int32Array(report.right.results.length).fill(-1),
    };
    report.rows.forEach((row, number) => {
      for (const result of row.left) this.rowOf.left[result] = number;
      for (const result of row.right) this.rowOf.right[result] = number;
    });
    report.causes.forEach((cause, number) => {
      const row = this.rowOfCause(cause);
      if (row >= 0) this.causesOfRow.set(row, [...(this.causesOfRow.get(row) ?? []), number]);
    });
  }

  // A name without the beginning and the end that most have, without the scope that is named above
  // it, and without the operator that stands beside it: what tells it from others.
  brief(name: string, scope = "", operator = ""): string {
    const { prefix, suffix } = (this.common ??= commonAffixes(this.report));
    let [from, to] = [0, name.length];
    const lead = name.startsWith("/") ? 1 : 0;
    if (scope !== "" && name.startsWith(`${scope}/`, lead)) from = lead + scope.length + 1;
    else if (prefix !== "" && name.startsWith(prefix)) from = prefix.length;
    if (suffix !== "" && name.endsWith(suffix)) to -= suffix.length;
    const own = name.slice(from, to);
    const without = operator !== "" && own.endsWith(`/${operator}`) ? own.slice(0, -operator.length - 1) : own;
    return without !== "" ? without : own !== "" ? own : name;
  }
  private common: { prefix: string; suffix: string } | undefined;

  row(number: number): Row | undefined {
    return this.report.rows[number];
  }

  result(side: Side, result: number | null | undefined): Result | undefined {
    return result === null || result === undefined ? undefined : this.report[side].results[result];
  }

  // The result that stands for the side in this row, after those that it absorbed.
  face(side: Side, row: Row): Result | undefined {
    return this.result(side, row[side].at(-1));
  }

  rowOfResult(side: Side, result: number | null | undefined): number {
    return result === null || result === undefined ? -1 : this.rowOf[side][result] ?? -1;
  }

  rowOfCause(cause: Cause): number {
    const left = this.rowOfResult("left", cause.left ?? cause.in_body?.left);
    const right = this.rowOfResult("right", cause.right ?? cause.in_body?.right);
    // The other node may properly be paired with a third one.
    if (left >= 0 && right >= 0 && this.row(left)?.relation === "same") return right;
    return left >= 0 ? left : right;
  }

  causesAt(row: number): number[] {
    return this.causesOfRow.get(row) ?? [];
  }

  // Another way to compute the same, which is nothing to mend.
  isHarmless(cause: number): boolean {
    const kind = this.report.causes[cause]?.kind;
    return kind === "approximation" || kind === "quantization";
  }

  inputs(side: Side, result: number): number[] {
    const it = this.report[side].results[result];
    if (!it) return [];
    if (it.source !== undefined) return [it.source];
    const read = [...(it.inputs ?? []), ...(it.captures ?? [])].filter((r): r is number => r !== null);
    const body = this.bodies(side).get(it);
    return body ? [...read, ...body] : read;
  }

  // By the result of an If, Loop or Scan: what its body gives, of a loop the last iteration's.
  private bodies(side: Side): Map<Result, number[]> {
    return (this.bodiesOf[side] ??= findBodies(this.report[side].results));
  }
  private readonly bodiesOf: Record<Side, Map<Result, number[]> | undefined> = { left: undefined, right: undefined };

  readers(side: Side, result: number): number[] {
    let all = this.readersOf[side];
    if (!all) {
      all = this.report[side].results.map(() => []);
      for (let reader = 0; reader < all.length; ++reader) {
        for (const read of new Set(this.inputs(side, reader))) all[read]?.push(reader);
      }
      this.readersOf[side] = all;
    }
    return all[result] ?? [];
  }
}

// A body's path ends in what its node is called: "loop_1[3]", "if_2[then_branch]".
function findBodies(results: Result[]): Map<Result, number[]> {
  const bodies = new Map<Result, number[]>();
  if (!results.some((result) => result.path.length > 0)) return bodies;
  const read = new Set<number>();
  const ofPath = new Map<string, number[]>();
  results.forEach((result, number) => {
    for (const input of [...(result.inputs ?? []), ...(result.captures ?? [])]) if (input !== null) read.add(input);
    if (result.path.length === 0) return;
    const path = result.path.join("/");
    const inPath = ofPath.get(path);
    if (inPath) inPath.push(number);
    else ofPath.set(path, [number]);
  });
  const last = new Map<string, string>();  // by the node's path and name: the body that ran last
  for (const path of ofPath.keys()) {
    const bracket = path.lastIndexOf("[");
    if (path.endsWith("]") && bracket > path.lastIndexOf("/")) last.set(path.slice(0, bracket), path);
  }
  results.forEach((result, number) => {
    if (result.inputs === undefined) return;
    // Its first output names a node that has no name.
    const before = results[number - 1];
    const body = before && bodies.get(before);
    if (body && isOfOneNode(before, result)) {
      bodies.set(result, body);
      return;
    }
    for (const name of [result.name, result.node ?? ""]) {
      const body = last.get([...result.path, name].join("/"));
      const inside = body === undefined ? [] : ofPath.get(body) ?? [];
      const ends = inside.filter((number) => !read.has(number) && results[number]?.op_type !== "Constant");
      if (ends.length === 0) continue;
      bodies.set(result, ends);
      break;
    }
  });
  return bodies;
}

function isOfOneNode(a: Result, b: Result): boolean {
  return a.op_type === b.op_type && a.node === b.node && String(a.inputs) === String(b.inputs) &&
    String(a.captures) === String(b.captures) && String(a.path) === String(b.path);
}

const LEAST_NAMES = 8;

// Scopes that most computed results of the left are in, and an end such as _output_0.
function commonAffixes(report: Report): { prefix: string; suffix: string } {
  const names = report.left.results.filter((result) => result.kind === "RESULT" && result.path.length === 0)
    .map((result) => result.name);
  return affixesOf(names, Math.ceil(0.6 * names.length), LEAST_NAMES);
}

const BOUNDARY = /[/._:]/;

// The longest beginning, of whole scopes, and the longest end, of whole words, that so many names
// have; none of few names.
export function affixesOf(names: string[], most = names.length, least = 2): { prefix: string; suffix: string } {
  if (names.length < least) return { prefix: "", suffix: "" };
  let prefix = "";
  for (;;) {
    const counts = new Map<string, number>();
    for (const name of names) {
      if (!name.startsWith(prefix)) continue;
      const end = name.indexOf("/", prefix.length + 1);
      if (end < 0) continue;
      const longer = name.slice(0, end + 1);
      counts.set(longer, (counts.get(longer) ?? 0) + 1);
    }
    const [longer, count] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), ["", 0]);
    if (longer === "" || count < most) break;
    prefix = longer;
  }
  let suffix = "";
  for (;;) {
    const counts = new Map<string, number>();
    for (const name of names) {
      if (!name.endsWith(suffix)) continue;
      let at = name.length - suffix.length - 1;
      while (at >= prefix.length && !BOUNDARY.test(name[at] ?? "")) --at;
      // A name's own word stays.
      if (at <= prefix.length || name[at] === "/") continue;
      const longer = name.slice(at);
      counts.set(longer, (counts.get(longer) ?? 0) + 1);
    }
    const [longer, count] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), ["", 0]);
    if (longer === "" || count < most) break;
    suffix = longer;
  }
  return { prefix, suffix };
}

// The operator, or what stands for one.
export function madeBy(result: Result | undefined): string {
  if (!result) return "";
  return result.op_type ?? { INITIALIZER: "init", INPUT: "input", OUTPUT: "output", RESULT: "result" }[result.kind];
}

export function pathAndName(result: Result | undefined): string {
  return result ? [...result.path, result.name].join("/") : "";
}

const SHORT_TYPES: Record<string, string> = {
  float64: "f64", float32: "f32", float16: "f16", bfloat16: "bf16", int64: "i64", int32: "i32",
  int16: "i16", int8: "i8", uint64: "u64", uint32: "u32", uint16: "u16", uint8: "u8",
};

export function shortType(result: Result | undefined): string {
  if (!result) return "";
  if (!result.shape || result.dtype === undefined) return result.type;
  const type = SHORT_TYPES[result.dtype] ?? result.dtype;
  return result.shape.length === 0 ? type : `${type} ${result.shape.join("×")}`;
}
