// Which rows the table shows, in which order.
import { type Comparison, madeBy, pathAndName } from "./comparison";
import { Groups } from "./groups";
import { type Relation, type Row, real } from "./report";
import { ALL_RELATIONS, SIGNS, proofOf, shareApart, shareOfRange } from "./text";

// `within`: the scope that the heading above names.
export type Item = { row: number; within?: string } | { fold: number[]; what: string } | { heading: string };

export interface Figure {
  id: string;
  title: string;
  // The worst first; NaN last.
  badness(row: Row): number;
}

export const FIGURES: Figure[] = [
  { id: "max", title: "largest difference", badness: (row) => row.diff?.reason ? Infinity : real(row.diff?.max_absolute) },
  { id: "range", title: "difference of the range", badness: (row) => shareOfRange(row.diff) },
  { id: "whole", title: "difference on the whole", badness: (row) => shareApart(row.diff) },
  { id: "relative", title: "largest relative difference", badness: (row) => real(row.diff?.max_relative) },
  { id: "beyond", title: "elements beyond tolerance", badness: (row) => row.diff ? Number(row.diff.beyond) : NaN },
  { id: "sqnr", title: "SQNR, lowest first", badness: (row) => -real(row.diff?.sqnr_db) },
  { id: "cosine", title: "cosine, lowest first", badness: (row) => -real(row.diff?.cosine) },
  { id: "ulp", title: "units in the last place", badness: (row) => real(row.diff?.max_ulp) },
];

const LEAST_FOLD = 4;
const FEW_ROWS = 40;

export class Selection {
  query = "";
  sort = "order";
  folding = true;
  readonly hidden = new Set<Relation>();
  // Rows that are shown although they could be folded, by the first row of their fold.
  readonly opened = new Set<number>();
  private readonly texts: string[] = [];
  // The rows in which all of these words stand, whatever is hidden.
  private searched: { words: string[]; found: number[] } = { words: [], found: [] };
  private groups: Groups | undefined;
  private readonly ranks: Record<string, Float64Array> = {};

  constructor(private readonly comparison: Comparison) {}

  // Makes the texts of so many more rows that a search looks at; false if none is left.
  index(most: number): boolean {
    const { rows } = this.comparison.report;
    const end = Math.min(rows.length, this.texts.length + most);
    for (let row = this.texts.length; row < end; ++row) this.texts.push(this.searchedText(rows[row] as Row));
    return end < rows.length;
  }

  // All that a search looks at, in lower case.
  private searchedText(row: Row): string {
    const parts: string[] = [SIGNS[row.relation], row.relation, ...row.marks, proofOf(row)?.words ?? ""];
    for (const side of ["left", "right"] as const) {
      for (const number of row[side]) {
        const result = this.comparison.result(side, number);
        if (!result) continue;
        parts.push(pathAndName(result), madeBy(result), result.type, result.dtype ?? "", result.node ?? "");
        if (result.domain) parts.push(result.domain);
        if (result.module) parts.push(result.module);
        if (result.source_line) parts.push(result.source_line);
      }
    }
    return parts.join("\n").toLowerCase();
  }

  // The rows that match, in order, without folds.
  rows(): number[] {
    const words = this.query.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const rows = this.comparison.report.rows;
    const matching = words.length > 0 ? this.matching(words) : rows.map((_, number) => number);
    const found = this.hidden.size === 0 ? matching.slice()
      : matching.filter((number) => !this.hidden.has((rows[number] as Row).relation));
    if (this.sort !== "order") this.order(found);
    return found;
  }

  // Who types on narrows what was found.
  private matching(words: string[]): number[] {
    const before = this.searched;
    if (before.words.join(" ") === words.join(" ")) return before.found;
    this.index(Infinity);
    const narrower = before.words.length > 0 &&
      before.words.every((word) => words.some((longer) => longer.includes(word)));
    const holds = (number: number): boolean => words.every((word) => (this.texts[number] as string).includes(word));
    const found = narrower ? before.found.filter(holds) : [];
    if (!narrower) {
      for (let number = 0; number < this.texts.length; ++number) if (holds(number)) found.push(number);
    }
    this.searched = { words, found };
    return found;
  }

  private order(found: number[]): void {
    if (this.sort === "name" || this.sort === "operator") {
      const key = (number: number): string => {
        const row = this.comparison.row(number);
        if (!row) return "";
        const face = this.comparison.face("left", row) ?? this.comparison.face("right", row);
        return this.sort === "name" ? pathAndName(face) : madeBy(face);
      };
      const keys = new Map(found.map((number) => [number, key(number)]));
      const collator = new Intl.Collator("en", { numeric: true });
      found.sort((a, b) => collator.compare(keys.get(a) ?? "", keys.get(b) ?? "") || a - b);
      return;
    }
    const ranks = this.ranksOf(this.sort);
    found.sort((a, b) => {
      const [x, y] = [ranks[a] ?? NaN, ranks[b] ?? NaN];
      if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a - b;
      return x === y ? a - b : x < y ? 1 : -1;
    });
  }

  private ranksOf(id: string): Float64Array {
    const figure = FIGURES.find((one) => one.id === id);
    const ranks = this.ranks[id] ??
      Float64Array.from(this.comparison.report.rows, (row) => figure ? figure.badness(row) : NaN);
    this.ranks[id] = ranks;
    return ranks;
  }

  // The rows with those folded that need no attention, where nobody searches or sorts.
  items(rows: number[]): Item[] {
    const folds = this.folding && this.query === "" && this.sort === "order" && rows.length > FEW_ROWS;
    const plain = folds ? this.folded(rows) : rows.map((row) => ({ row }));
    return this.query === "" && this.sort === "order" ? this.withHeadings(plain) : plain;
  }

  private folded(rows: number[]): Item[] {
    const items: Item[] = [];
    let run: number[] = [];
    let what = "";
    const end = (): void => {
      const [first] = run;
      if (run.length < LEAST_FOLD || (first !== undefined && this.opened.has(first))) {
        items.push(...run.map((row) => ({ row })));
      } else {
        items.push({ fold: run, what });
      }
      run = [];
    };
    for (const number of rows) {
      const kind = this.foldOf(number);
      if (kind !== what) end();
      what = kind;
      if (kind === "") items.push({ row: number });
      else run.push(number);
    }
    end();
    return items;
  }

  // A fold that reaches over several groups is in none of them.
  private withHeadings(items: Item[]): Item[] {
    this.groups ??= new Groups(this.comparison);
    const groups = this.groups.of(items.flatMap((item) => "row" in item ? [item.row] : []));
    const titles = new Map(groups.map((group) => [group.rows[0], group]));
    let within = "";
    return items.flatMap((item): Item[] => {
      if (!("row" in item)) return [item];
      const group = titles.get(item.row);
      if (group) within = group.scope;
      const row = { row: item.row, within };
      return group && group.title !== "" ? [{ heading: group.title }, row] : [row];
    });
  }

  // The kind under which a row may be folded with others; "" if it needs attention.
  private foldOf(number: number): string {
    const row = this.comparison.row(number);
    if (!row || this.comparison.causesAt(number).length > 0) return "";
    if (row.relation === "same") return "with the same bits";
    if (row.relation !== "left_only" && row.relation !== "right_only") return "";
    const side = row.relation === "left_only" ? "left" : "right";
    const isConstant = row[side].every((one) => {
      const result = this.comparison.result(side, one);
      return result?.kind === "INITIALIZER" || result?.op_type === "Constant";
    });
    return isConstant ? `of constants on the ${side} only` : "";
  }

  counts(): Record<Relation, number> {
    const counts = Object.fromEntries(ALL_RELATIONS.map((relation) => [relation, 0])) as Record<Relation, number>;
    for (const row of this.comparison.report.rows) ++counts[row.relation];
    return counts;
  }
}
