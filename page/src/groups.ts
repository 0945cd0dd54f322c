// Groups of rows that come from one part of the program: calls and bodies, modules that the
// exporter noted, scopes in names; where there are none, lines of the program.
import { type Comparison } from "./comparison";
import { type Result, SIDES } from "./report";

const LEAST_ROWS = 3;  // a heading for so many rows at least
const MOST_PARTS = 8;

// "loop[3]" is within "loop"; a name's last part is its own.
export function partsOf(result: Result | undefined): string[] {
  const { path, name, module } = result ?? { path: [], name: "", module: undefined };
  const parts = path.flatMap((part) => {
    const bracket = part.endsWith("]") ? part.lastIndexOf("[") : -1;
    return bracket > 0 ? [part.slice(0, bracket), part] : [part];
  });
  if (module !== undefined) return [...parts, ...module.split(".").filter((part) => part !== "")];
  const names = name.split("/").filter((part) => part !== "");
  return [...parts, ...names.slice(0, -1)];
}

function isComputed(result: Result): boolean {
  return result.op_type !== undefined && result.op_type !== "Constant";
}

export interface Group {
  rows: number[];
  title: string;
  scope: string;  // what names of results in it begin with; "" if they do not
}

export class Groups {
  // By row; undefined: a constant or an input, which stands in the group around it.
  private readonly parts: (string[] | undefined)[];
  private readonly lines: (string | undefined)[];
  private readonly isOfCalls: boolean;
  private readonly between: string;  // parts of a title

  constructor(comparison: Comparison) {
    const { rows } = comparison.report;
    const faces = rows.map((row) => SIDES.map((side) => comparison.face(side, row)).filter((result) => result !== undefined));
    this.parts = faces.map((both) => {
      const result = both.find((one) => one.module !== undefined) ?? both[0];
      return both.every(isComputed) ? partsOf(result) : undefined;
    });
    this.lines = faces.map((both) => both.every(isComputed) ? both.find((one) => one.source_line !== undefined)?.source_line : undefined);
    this.isOfCalls = faces.some((both) => both.some((one) => one.path.length > 0));
    const isOfModules = faces.some((both) => both.some((one) => one.module !== undefined));
    this.between = isOfModules && !this.isOfCalls ? "." : "/";
  }

  // These rows in groups, as deep as leaves some rows to each; one without a title if that makes none.
  of(rows: number[]): Group[] {
    const parts = this.filled(rows, this.parts);
    const depth = this.depthOf(rows, parts);
    if (depth > 0) {
      const groups = gather(rows, (place) => titleOf((parts[place] ?? []).slice(0, depth), this.between));
      for (const group of groups) if (this.between === "/") group.scope = group.title;
      for (const group of groups) {
        const lines = linesText(group.rows.map((row) => this.lines[row]));
        if (lines !== "" && !this.isOfCalls) group.title += `  ${lines}`;
      }
      return groups;
    }
    const lines = this.filled(rows, this.lines);
    const groups = gather(rows, (place) => lines[place] ?? "");
    return pays(groups.length, rows.length) && groups.some((group) => group.title !== "elsewhere") ? groups : [{ rows, title: "", scope: "" }];
  }

  // By place: what the row has, or the one before it.
  private filled<T>(rows: number[], of: (T | undefined)[]): (T | undefined)[] {
    let last: T | undefined;
    return rows.map((row) => (last = of[row] ?? last));
  }

  private depthOf(rows: number[], parts: (string[] | undefined)[]): number {
    // By depth: where groups would begin that one less deep has not.
    const begins = new Array<number>(MOST_PARTS + 1).fill(0);
    let before: string[] = [];
    for (const some of parts) {
      const now = some ?? [];
      if (now === before) continue;
      let alike = 0;
      while (alike < now.length && now[alike] === before[alike]) ++alike;
      if (alike < Math.max(now.length, before.length) && alike < MOST_PARTS) ++begins[alike + 1]!;
      before = now;
    }
    let best = 0;
    let groups = 0;
    for (let depth = 1; depth <= MOST_PARTS; ++depth) {
      groups += begins[depth] ?? 0;
      if (groups === 0) continue;
      if (!pays(groups, rows.length)) break;
      // One group for all tells nothing, and deeper ones that are the same tell no more.
      if (groups > 1 && (begins[depth] ?? 0) > 0) best = depth;
    }
    return best;
  }
}

function pays(groups: number, rows: number): boolean {
  return groups * LEAST_ROWS <= rows;
}

function gather(rows: number[], titleAt: (place: number) => string): Group[] {
  const groups: Group[] = [];
  let title: string | undefined;
  rows.forEach((row, place) => {
    const now = titleAt(place);
    if (now !== title || groups.length === 0) {
      groups.push({ rows: [], scope: "", title: now === "" ? (groups.length === 0 ? "" : "elsewhere") : now });
      title = now;
    }
    groups.at(-1)?.rows.push(row);
  });
  return groups;
}

// "loop[3]" says that it is in "loop".
function titleOf(parts: string[], between: string): string {
  return parts.filter((part, i) => !parts[i + 1]?.startsWith(`${part}[`)).join(between);
}

// "net.py:23–25" of lines of one file, "" of several files or none.
function linesText(sources: (string | undefined)[]): string {
  let file: string | undefined;
  let [least, most] = [Infinity, -Infinity];
  for (const source of sources) {
    const [, name, line] = /^(.*):(\d+)$/.exec(source ?? "") ?? [];
    if (name === undefined) continue;
    if (file !== undefined && name !== file) return "";
    file = name;
    least = Math.min(least, Number(line));
    most = Math.max(most, Number(line));
  }
  return file === undefined ? "" : `${file}:${least}${least === most ? "" : `–${most}`}`;
}
