// How errors grow: the rows in order against how far their pairs are apart.
import { type Comparison, madeBy, pathAndName } from "./comparison";
import { html, svg } from "./dom";
import { type Diff, type Result, type Row, SIDES, real } from "./report";
import { RELATIONS, SIGNS, digits, shareApart, shareOfRange, visible } from "./text";

interface Measure {
  id: string;
  title: string;
  unit: string;
  error(diff: Diff): number;
  tolerance(diff: Diff, left: Result | undefined): number;
  label(value: number): string;
}

function largest(result: Result | undefined): number {
  const statistics = result?.statistics;
  return statistics ? Math.max(Math.abs(real(statistics.min)), Math.abs(real(statistics.max))) : NaN;
}

// Ratios of signal to noise are what people know of these.
function isQuantizedOnOneSide(comparison: Comparison): boolean {
  const [left, right] = SIDES.map((side) => comparison.report[side].results.some((result) =>
    /^(QLinear|Quantize|DynamicQuantize|QGemm|QAttention|ConvInteger|MatMulInteger)/.test(result.op_type ?? "")));
  return left !== right;
}

const MEASURES: Measure[] = [
  {
    id: "whole", title: "difference on the whole", unit: "of the values' size (root mean square)",
    error: shareApart, tolerance: (diff) => real(diff.whole), label: (value) => digits(value),
  },
  {
    id: "range", title: "largest difference of an element", unit: "of the values' range",
    error: shareOfRange,
    tolerance: (diff, left) => (real(diff.atol) + real(diff.rtol) * largest(left)) / real(diff.range),
    label: (value) => digits(value),
  },
  {
    id: "sqnr", title: "signal to quantization noise (SQNR)", unit: "dB, less is worse",
    error: shareApart, tolerance: (diff) => real(diff.whole),
    label: (value) => `${digits(-20 * Math.log10(value), 3)} dB`,
  },
];

interface Point {
  row: number;
  x: number;
  y: number;
  value: number;
}

const MOST_DECADES = 12;
const HEIGHT = 280;
const MARGIN = { left: 62, right: 12, top: 26, bottom: 46 };

export class GrowthPlot {
  readonly element: HTMLElement;
  private readonly frame: HTMLElement;
  private readonly readout = html("p", { class: "readout", role: "status" });
  private measure: Measure = MEASURES[0] as Measure;
  private readonly signs: [HTMLElement, string][] = [];  // of the legend, with what they explain
  private points: Point[] = [];
  private current = -1;
  private cursor: SVGElement | undefined;

  constructor(private readonly comparison: Comparison, private readonly showRow: (row: number) => void) {
    this.frame = html("div", {
      class: "plot", tabindex: 0, role: "group",
      "aria-label": "Growth of the error; arrow keys go from result to result, Enter shows its row",
    });
    const select = html("select", { id: "measure" },
      ...MEASURES.map((measure) => html("option", { value: measure.id }, measure.title)));
    if (comparison.report.quantization || isQuantizedOnOneSide(comparison)) {
      select.value = "sqnr";
      this.measure = MEASURES[2] as Measure;
    }
    select.addEventListener("change", () => {
      this.measure = MEASURES.find((measure) => measure.id === select.value) ?? this.measure;
      this.draw();
    });
    this.element = html("section", { "aria-labelledby": "growth" },
      html("h2", { id: "growth" }, "Where it begins and how it grows"),
      html("div", { class: "field" }, html("label", { for: "measure" }, "Measure"), select),
      this.frame, this.legend(), this.readout);
    this.frame.addEventListener("pointermove", (event) => this.point(event));
    this.frame.addEventListener("click", (event) => {
      this.point(event);
      this.show();
    });
    this.frame.addEventListener("keydown", (event) => this.key(event));
    let width = 0;
    new ResizeObserver(() => {
      if (this.frame.clientWidth === width) return;
      width = this.frame.clientWidth;
      this.draw();
    }).observe(this.frame);
  }

  private legend(): HTMLElement {
    const sample = (shape: SVGElement, text: string): HTMLElement => {
      const item = html("li", {}, svg("svg", { viewBox: "-8 -8 16 16", width: 16, height: 16, "aria-hidden": "true" }, shape), text);
      this.signs.push([item, `.${shape.getAttribute("class")?.replace(" ", ".") ?? ""}`]);
      return item;
    };
    return html("ul", { class: "legend" },
      sample(svg("path", { class: "dot close", d: "M0 0h0" }), "within tolerance"),
      sample(svg("path", { class: "cross different", d: crosses([[0, 0]]) }), "different"),
      sample(svg("path", { class: "ring", d: rings([[0, 0]]) }), "fused"),
      sample(svg("path", { class: "tick same", d: "M0 -5v10" }), "the same bits"),
      sample(svg("path", { class: "tick alone", d: "M0 -5v10" }), "on one side only"),
      sample(svg("path", { class: "diamond", d: diamond(0, 0) }), "own error of a cause or a quantized layer, its inputs being the other side's"),
      sample(svg("path", { class: "tolerance", d: "M-8 0h16" }), "tolerance"));
  }

  private draw(): void {
    const width = Math.max(240, this.frame.clientWidth);
    const { rows } = this.comparison.report;
    const values = rows.map((row) => this.valueOf(row));
    const finite = values.filter((value) => value > 0 && Number.isFinite(value));
    const tolerances = rows.map((row) => this.toleranceOf(row));
    const bounds = [...finite, ...tolerances.filter((value) => value > 0 && Number.isFinite(value))];
    let low = -8;
    let high = 0;
    if (bounds.length > 0) {
      low = Math.floor(Math.log10(bounds.reduce((a, b) => Math.min(a, b))));
      high = Math.ceil(Math.log10(bounds.reduce((a, b) => Math.max(a, b))));
      // A mask of -3e38 makes irrelevant differences; they stand at the lower end.
      low = Math.max(low, high - MOST_DECADES);
      if (high - low < 2) high = low + 2;
    }
    const floor = HEIGHT - MARGIN.bottom;
    const xOf = (row: number): number =>
      MARGIN.left + ((width - MARGIN.left - MARGIN.right) * (row + 0.5)) / Math.max(1, rows.length);
    const yOf = (value: number): number => value === Infinity ? MARGIN.top - 10
      : floor - 20 - ((floor - 20 - MARGIN.top) * (Math.max(low, Math.log10(value)) - low)) / (high - low);
    this.points = [];
    values.forEach((value, row) => {
      if (value > 0) this.points.push({ row, x: xOf(row), y: yOf(value), value });
    });
    const drawing = svg("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img",
      "aria-label": this.summary() });
    drawing.append(...this.grid(low, high, width, floor, yOf));
    const seen = this.points.filter((point) => point.value >= 10 ** low);
    drawing.append(this.toleranceLine(tolerances, xOf, yOf), lineThrough(seen), ...this.marks(rows, xOf, floor),
      ...this.layers(xOf, yOf, low), ...this.causes(xOf, yOf, floor, low));
    this.cursor = svg("circle", { class: "cursor", r: 8, cx: -20, cy: -20 });
    drawing.append(this.cursor);
    this.frame.replaceChildren(drawing);
    // Signs that do not occur need no explanation.
    for (const [item, sign] of this.signs) item.hidden = (drawing.querySelector(sign)?.getAttribute("d") ?? "") === "";
    this.readout.textContent = this.points.length === 0
      ? "No pair differs: all have the same bits." : this.summary();
  }

  private valueOf(row: Row): number {
    if (row.left.length === 0 || row.right.length === 0 || !row.diff) return 0;
    if (row.diff.reason !== undefined || Number(row.diff.non_finite_disagree ?? 0) > 0) return Infinity;
    const value = this.measure.error(row.diff);
    if (Number.isFinite(value)) return value;
    return real(row.diff.max_absolute) > 0 ? real(row.diff.max_relative) : 0;
  }

  private toleranceOf(row: Row): number {
    if (!row.diff || row.diff.reason !== undefined) return NaN;
    return this.measure.tolerance(row.diff, this.comparison.face("left", row));
  }

  private grid(low: number, high: number, width: number, floor: number, yOf: (v: number) => number): SVGElement[] {
    const parts: SVGElement[] = [];
    const step = Math.max(1, Math.ceil((high - low) / 7));
    for (let decade = low; decade <= high; decade += step) {
      const y = yOf(10 ** decade);
      parts.push(svg("path", { class: "grid-line", d: `M${MARGIN.left} ${y}H${width - MARGIN.right}` }),
        svg("text", { x: MARGIN.left - 6, y: y + 4, "text-anchor": "end" },
          this.measure.id === "sqnr" ? `${-20 * decade}` : `1e${decade}`));
    }
    parts.push(svg("path", { class: "axis", d: `M${MARGIN.left} ${floor}H${width - MARGIN.right}` }),
      svg("text", { x: MARGIN.left - 6, y: floor + 4, "text-anchor": "end" }, "equal"),
      svg("text", { x: MARGIN.left, y: 12 }, this.measure.unit),
      svg("text", { x: MARGIN.left, y: HEIGHT - 8 }, "first result"),
      svg("text", { x: width - MARGIN.right, y: HEIGHT - 8, "text-anchor": "end" }, "last result"));
    return parts;
  }

  // In steps from row to row; of many rows one a pixel.
  private toleranceLine(tolerances: number[], xOf: (row: number) => number, yOf: (v: number) => number): SVGElement {
    let path = "";
    let before = NaN;
    tolerances.forEach((value, row) => {
      if (!(value > 0) || !Number.isFinite(value) || value === before) return;
      const [x, y] = [xOf(row).toFixed(1), yOf(value).toFixed(1)];
      path += path === "" ? `M${MARGIN.left} ${y}H${x}` : `H${x}V${y}`;
      before = value;
    });
    if (path !== "") path += `H${xOf(tolerances.length - 0.5).toFixed(1)}`;
    return svg("path", { class: "tolerance", d: path });
  }

  private marks(rows: Row[], xOf: (row: number) => number, floor: number): SVGElement[] {
    const close: [number, number][] = [];
    const different: [number, number][] = [];
    const fused: [number, number][] = [];
    for (const point of this.points) {
      const row = rows[point.row] as Row;
      (row.relation === "different" ? different : close).push([point.x, point.y]);
      if (row.marks.includes("fused")) fused.push([point.x, point.y]);
    }
    // Ticks that lie on each other are one.
    let [same, alone] = ["", ""];
    let [lastSame, lastAlone] = [-1, -1];
    rows.forEach((row, number) => {
      const x = Math.round(2 * xOf(number)) / 2;
      if (row.left.length === 0 || row.right.length === 0) {
        if (x !== lastAlone) alone += `M${x} ${floor + 8}v8`;
        lastAlone = x;
      } else if (row.relation === "same") {
        if (x !== lastSame) same += `M${x} ${floor - 4}v8`;
        lastSame = x;
      }
    });
    return [
      svg("path", { class: "tick same", d: same }),
      svg("path", { class: "tick alone", d: alone }),
      svg("path", { class: "dot close", d: dots(close) }),
      svg("path", { class: "cross different", d: crosses(different) }),
      svg("path", { class: "ring", d: rings(fused) }),
    ];
  }

  private causes(xOf: (row: number) => number, yOf: (v: number) => number, floor: number, low: number): SVGElement[] {
    const parts: SVGElement[] = [];
    const taken: [number, number][][] = [[], [], [], []];  // by line of labels: from where to where
    this.comparison.report.causes.slice(0, 100).forEach((cause, number) => {
      const row = this.comparison.rowOfCause(cause);
      if (row < 0) return;
      const x = xOf(row);
      // Other ways to compute the same are no places to look at.
      if (!this.comparison.isHarmless(number)) {
        parts.push(svg("path", { class: "cause-line", d: `M${x} ${MARGIN.top}V${floor}` }));
        const text = `cause ${number + 1}`;
        const right = x > this.frame.clientWidth - 90;
        const from = right ? x - 7.5 * text.length - 5 : x;
        const to = from + 7.5 * text.length + 5;
        const line = taken.findIndex((labels) => labels.every((label) => to < label[0] || from > label[1]));
        if (line >= 0) {
          taken[line]?.push([from, to]);
          parts.push(svg("text", { class: "cause-label", x: x + (right ? -5 : 5), y: floor - 24 - 13 * line,
            "text-anchor": right ? "end" : "start" }, text));
        }
      }
      const own = cause.diff && cause.diff.reason === undefined ? this.measure.error(cause.diff) : NaN;
      if (own >= 10 ** low && Number.isFinite(own)) parts.push(svg("path", { class: "diamond", d: diamond(x, yOf(own)) }));
    });
    return parts;
  }

  // The local error of a quantized layer, given its own inputs.
  private layers(xOf: (row: number) => number, yOf: (v: number) => number, low: number): SVGElement[] {
    const { quantization } = this.comparison.report;
    const path = this.measure.id === "range" ? [] : (quantization?.layers ?? []).flatMap((layer) => {
      const row = this.comparison.rowOfResult(quantization?.side ?? "right", layer.result);
      const own = 10 ** (-real(layer.own_sqnr) / 20);
      return row >= 0 && own >= 10 ** low && Number.isFinite(own) ? [diamond(xOf(row), yOf(own), 4)] : [];
    });
    return path.length === 0 ? [] : [svg("path", { class: "diamond own", d: path.join("") })];
  }

  private summary(): string {
    const [first] = this.points;
    if (!first) return "No pair differs.";
    const worst = this.points.reduce((a, b) => (b.value > a.value ? b : a));
    const beyond = this.points.filter((point) => this.comparison.row(point.row)?.relation === "different");
    const [begins] = beyond;
    return `${this.points.length} pairs differ in bits, from row ${first.row} on` +
      (begins ? `; ${beyond.length} beyond tolerance, the first in row ${begins.row}` : ", none beyond tolerance") +
      `. The farthest: row ${worst.row}, ${this.measure.label(worst.value)}.`;
  }

  private point(event: MouseEvent): void {
    const box = this.frame.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left + this.frame.scrollLeft, event.clientY - box.top];
    let best = -1;
    let least = Infinity;
    this.points.forEach((point, i) => {
      const distance = Math.abs(point.x - x) + 0.25 * Math.abs(point.y - y);
      if (distance < least) [best, least] = [i, distance];
    });
    this.mark(best);
  }

  private mark(place: number): void {
    const point = this.points[place];
    const row = point && this.comparison.row(point.row);
    if (!point || !row || place === this.current && this.cursor?.getAttribute("cx") === String(point.x)) return;
    this.current = place;
    this.cursor?.setAttribute("cx", String(point.x));
    this.cursor?.setAttribute("cy", String(point.y));
    const result = this.comparison.face("left", row) ?? this.comparison.face("right", row);
    const name = visible(pathAndName(result));
    this.readout.textContent = `Row ${point.row}: ${SIGNS[row.relation]} ${RELATIONS[row.relation]}, ` +
      `${this.measure.label(point.value)}, ${visible(madeBy(result))} ${name.length > 120 ? "…" + name.slice(-120) : name}`;
  }

  private show(): void {
    const point = this.points[this.current];
    if (point) this.showRow(point.row);
  }

  private key(event: KeyboardEvent): void {
    const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9 };
    const step = steps[event.key];
    if (step !== undefined) {
      this.mark(Math.max(0, Math.min(this.points.length - 1, this.current + step)));
    } else if (event.key === "Enter") {
      this.show();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

// Of thousands, those that cannot be told apart are drawn once.
function distinct(points: [number, number][]): [number, number][] {
  const fine = points.length > 1000 ? 1 : 10;
  const seen = new Set<number>();
  return points.filter(([x, y]) => {
    const place = Math.round(x * fine) * 1e5 + Math.round(y * fine);
    return !seen.has(place) && seen.add(place);
  });
}

function dots(points: [number, number][]): string {
  return distinct(points).map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join("");
}

function crosses(points: [number, number][]): string {
  return distinct(points).map(([x, y]) => `M${(x - 4).toFixed(1)} ${(y - 4).toFixed(1)}l8 8m0 -8l-8 8`).join("");
}

function rings(points: [number, number][]): string {
  return distinct(points).map(([x, y]) => `M${(x - 6.5).toFixed(1)} ${y.toFixed(1)}a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0 -13 0`).join("");
}

function diamond(x: number, y: number, size = 7): string {
  return `M${x.toFixed(1)} ${(y - size).toFixed(1)}l${size} ${size}l-${size} ${size}l-${size} -${size}z`;
}

// Of many points in one column of pixels the greatest.
function lineThrough(points: Point[]): SVGElement {
  let path = "";
  let column = -1;
  let top: Point | undefined;
  const end = (): void => {
    if (top) path += `${path === "" ? "M" : "L"}${top.x.toFixed(1)} ${top.y.toFixed(1)}`;
  };
  for (const point of points) {
    const at = Math.floor(point.x);
    if (at === column && top) {
      if (point.y < top.y) top = point;
      continue;
    }
    end();
    column = at;
    top = point;
  }
  end();
  return svg("path", { class: "growth", d: path });
}
