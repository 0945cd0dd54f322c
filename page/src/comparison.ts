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

  // A name without the beginning and the end that most have: what tells it from others.
  brief(name: string): string {
    const { prefix, suffix } = (this.common ??= commonAffixes(this.report));
    let [from, to] = [0, name.length];
    if (prefix !== "" && name.startsWith(prefix)) from = prefix.length;
    if (suffix !== "" && name.endsWith(suffix)) to -= suffix.length;
    return to > from ? name.slice(from, to) : name;
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
    return left >= 0 ? left : this.rowOfResult("right", cause.right ?? cause.in_body?.right);
  }

  causesAt(row: number): number[] {
    return this.causesOfRow.get(row) ?? [];
  }

  inputs(side: Side, result: number): number[] {
    const it = this.report[side].results[result];
    if (!it) return [];
    if (it.source !== undefined) return [it.source];
    return [...(it.inputs ?? []), ...(it.captures ?? [])].filter((r): r is number => r !== null);
  }

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

// Scopes that most computed results of the left are in, and an end such as _output_0.
function commonAffixes(report: Report): { prefix: string; suffix: string } {
  const names = report.left.results.filter((result) => result.kind === "RESULT" && result.path.length === 0)
    .map((result) => result.name);
  const most = 0.6 * names.length;
  const holdsOfMost = (holds: (name: string) => boolean): boolean =>
    names.length >= 8 && names.filter(holds).length >= most;
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
    if (longer === "" || names.length < 8 || count < most) break;
    prefix = longer;
  }
  const suffix = holdsOfMost((name) => name.endsWith("_output_0")) ? "_output_0" : "";
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
