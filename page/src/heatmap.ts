// The elements of a pair: few as numbers, more as maps of slices, both sides and the difference.
import { button, html, table } from "./dom";
import { type Result, type Slice, type Values, real } from "./report";
import { digits, grouped } from "./text";

type Color = [number, number, number];

// Cividis and a scale from blue by white to orange: people who see red and green alike tell them
// apart, and so does who prints them.
const SEQUENTIAL: Color[] = [[0, 32, 77], [35, 62, 108], [87, 92, 109], [124, 123, 120], [166, 157, 117], [211, 193, 100], [255, 233, 69]];
const DIVERGING: Color[] = [[5, 48, 97], [67, 147, 195], [209, 229, 240], [247, 247, 247], [253, 219, 170], [224, 130, 20], [127, 59, 8]];
const EQUAL: Color = [235, 238, 241];
const NOT_FINITE: Color = [200, 0, 120];

const LEAST = 2, GREATEST = 254, INFINITE = 255;
const LEAST_DIFFERENCE = 1;
const MOST_PIXELS = 256;

function mix(scale: Color[], share: number): Color {
  const at = Math.min(scale.length - 1.0001, Math.max(0, share) * (scale.length - 1));
  const [from, to] = [scale[Math.floor(at)] as Color, scale[Math.floor(at) + 1] as Color];
  return from.map((value, i) => value + (at - Math.floor(at)) * ((to[i] ?? 0) - value)) as Color;
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function valueOf(byte: number, [least, greatest]: [number, number]): number {
  if (byte === 0) return NaN;
  if (byte === 1) return -Infinity;
  if (byte === INFINITE) return Infinity;
  const share = (byte - LEAST) / (GREATEST - LEAST);
  return least * (1 - share) + greatest * share;
}

function differenceOf(byte: number, [least, greatest]: [number, number]): number {
  if (byte === 0) return 0;
  if (byte === INFINITE) return Infinity;
  return 10 ** (least + ((byte - LEAST_DIFFERENCE) / (GREATEST - LEAST_DIFFERENCE)) * (greatest - least));
}

// Numbers on both sides of 0 get a color for 0.
function colorOf(value: number, [least, greatest]: [number, number]): Color {
  if (!Number.isFinite(value)) return NOT_FINITE;
  if (least < 0 && greatest > 0) {
    const most = Math.max(-least, greatest);
    return mix(DIVERGING, 0.5 + value / (2 * most));
  }
  return mix(SEQUENTIAL, greatest > least ? (value - least) / (greatest - least) : 0.5);
}

function pairOf(range: Values["scale"]): [number, number] {
  return range ? [real(range[0]), real(range[1])] : [0, 0];
}

export function elementsView(values: Values, left: Result | undefined, right: Result | undefined): HTMLElement | null {
  if (values.left && values.right) return numbersTable(values.left.map(real), values.right.map(real), left);
  if (values.slices && values.slices.length > 0) return new HeatMaps(values, left, right).element;
  return null;
}

function indexText(shape: number[], index: number): string {
  const parts: number[] = [];
  for (let axis = shape.length - 1; axis >= 0; --axis) {
    const size = shape[axis] || 1;
    parts.unshift(index % size);
    index = Math.floor(index / size);
  }
  return `[${parts.join(",")}]`;
}

function numbersTable(left: number[], right: number[], result: Result | undefined): HTMLElement {
  const shape = (result?.shape ?? [left.length]).map(Number);
  return table("All elements", ["at", "left", "right", "difference"], left.map((value, i) => {
    const other = right[i] ?? NaN;
    const equal = Object.is(value, other) || value === other;
    return [indexText(shape, i), digits(value, 6), digits(other, 6),
      equal ? "equal" : digits(Math.abs(other - value), 2)];
  }), [1, 2, 3]);
}

interface Panel {
  id: "left" | "right" | "difference";
  canvas: HTMLCanvasElement;
  legend: HTMLElement;
}

class HeatMaps {
  readonly element: HTMLElement;
  private readonly panels: Panel[];
  private readonly readout = html("p", { class: "readout", role: "status" });
  private readonly place = html("span", { class: "quiet" });
  private readonly rows: number;
  private readonly columns: number;
  private slice = 0;
  private cell = 0;
  private sameScale = false;
  private bytes: Record<Panel["id"], Uint8Array> = { left: new Uint8Array(), right: new Uint8Array(), difference: new Uint8Array() };

  constructor(private readonly values: Values, left: Result | undefined, right: Result | undefined) {
    [this.rows, this.columns] = (values.cells ?? [1, 1]).map(Number) as [number, number];
    this.panels = (["left", "right", "difference"] as const).map((id) => ({
      id, canvas: html("canvas", { width: this.columns, height: this.rows, tabindex: 0, role: "img" }),
      legend: html("div", { class: "map-legend" }),
    }));
    const count = values.slices?.length ?? 0;
    const step = (by: number): void => {
      this.slice = (this.slice + by + count) % count;
      this.draw();
    };
    const same = html("input", { type: "checkbox" });
    same.addEventListener("change", () => {
      this.sameScale = same.checked;
      this.draw();
    });
    const type = left?.type === right?.type ? left?.type : `${left?.type} | ${right?.type}`;
    this.element = html("div", { class: "maps", role: "group", "aria-label": "Elements of both sides as maps" },
      html("p", { class: "buttons" },
        count > 1 && button("Slice before", () => step(-1), { class: "slice-before" }),
        count > 1 && button("Next slice", () => step(1), { class: "slice-next" }), this.place),
      html("div", { class: "panels" }, ...this.panels.map(({ id, canvas, legend }) =>
        html("figure", {}, html("figcaption", {}, id), canvas, legend))),
      html("p", {}, html("label", {}, same, " the difference on the scale of the values")),
      this.readout,
      html("p", { class: "quiet" }, this.note(type ?? "")));
    for (const { canvas } of this.panels) this.listen(canvas);
    this.draw();
  }

  private note(type: string): string {
    const [rows, columns] = (this.values.size ?? [1, 1]).map(Number) as [number, number];
    const all = Number(this.values.all_slices ?? 1);
    const shown = this.values.slices?.length ?? 0;
    const blocks = rows > this.rows || columns > this.columns
      ? `A cell is the pair that is farthest apart of up to ${Math.ceil(rows / this.rows)} × ${Math.ceil(columns / this.columns)} elements. ` : "";
    const left = all > shown ? `Of ${grouped(all)} slices ${shown} ${shown === 1 ? "is" : "are"} here, the first with the greatest difference. ` : "";
    return `${type}: ${left}${blocks}Arrow keys go from cell to cell.`;
  }

  private current(): Slice | undefined {
    return this.values.slices?.[this.slice];
  }

  private draw(): void {
    const slice = this.current();
    if (!slice) return;
    this.bytes = { left: bytesOf(slice.left), right: bytesOf(slice.right), difference: bytesOf(slice.difference) };
    const at = slice.at === "" ? "" : ` at ${slice.at.slice(0, -1)},:,:]`;
    this.place.textContent = `slice ${this.slice + 1} of ${this.values.slices?.length ?? 1}${at}`;
    for (const panel of this.panels) this.paint(panel, at);
    this.tell(this.cell);
  }

  private paint({ id, canvas, legend }: Panel, at: string): void {
    const context = canvas.getContext("2d");
    if (!context) return;
    const image = context.createImageData(this.columns, this.rows);
    this.bytes[id].forEach((byte, i) => image.data.set([...this.color(id, byte), 255], 4 * i));
    context.putImageData(image, 0, 0);
    const pixels = Math.max(1, Math.min(16, Math.floor(MOST_PIXELS / Math.max(this.columns, this.rows))));
    canvas.style.width = `${Math.max(96, pixels * this.columns)}px`;
    canvas.style.height = `${Math.max(12, pixels * this.rows)}px`;
    const ends = this.ends(id);
    canvas.setAttribute("aria-label", `${id}${at}: ${this.rows} by ${this.columns} cells from ${ends[0]} to ${ends[1]}`);
    const bar = html("canvas", { width: 64, height: 1, class: "map-bar", "aria-hidden": "true" });
    const barContext = bar.getContext("2d");
    for (let i = 0; i < 64; ++i) {
      if (!barContext) break;
      const first = id === "difference" ? LEAST_DIFFERENCE : LEAST;
      barContext.fillStyle = `rgb(${this.color(id, first + (i / 63) * (GREATEST - first)).map(Math.round).join(" ")})`;
      barContext.fillRect(i, 0, 1, 1);
    }
    legend.replaceChildren(html("span", {}, ends[0]), bar, html("span", {}, ends[1]));
  }

  private ends(id: Panel["id"]): [string, string] {
    if (id !== "difference") return pairOf(this.values.scale).map((end) => digits(end, 3)) as [string, string];
    return pairOf(this.values.scale_of_difference).map((end) => digits(10 ** end, 2)) as [string, string];
  }

  private color(id: Panel["id"], byte: number): Color {
    const scale = pairOf(this.values.scale);
    if (id !== "difference") return colorOf(valueOf(byte, scale), scale);
    const [least, greatest] = pairOf(this.values.scale_of_difference);
    const difference = differenceOf(byte, [least, greatest]);
    if (difference === 0) return EQUAL;
    if (!Number.isFinite(difference)) return NOT_FINITE;
    if (this.sameScale) return colorOf(difference, scale[0] < 0 ? scale : [0, Math.max(scale[1], difference)]);
    return mix(SEQUENTIAL, greatest > least ? (Math.log10(difference) - least) / (greatest - least) : 1);
  }

  private tell(cell: number): void {
    this.cell = Math.max(0, Math.min(this.rows * this.columns - 1, cell));
    const [row, column] = [Math.floor(this.cell / this.columns), this.cell % this.columns];
    const scale = pairOf(this.values.scale);
    const byte = (id: Panel["id"]): number => this.bytes[id][this.cell] ?? 0;
    const difference = differenceOf(byte("difference"), pairOf(this.values.scale_of_difference));
    const [rows, columns] = (this.values.size ?? [1, 1]).map(Number) as [number, number];
    const range = (at: number, cells: number, all: number): string => {
      const [from, to] = [Math.ceil((at * all) / cells), Math.ceil(((at + 1) * all) / cells) - 1];
      return from >= to ? String(from) : `${from}…${to}`;
    };
    const text = difference === 0 ? "equal" : Number.isFinite(difference) ? `differ by ${digits(difference, 2)}` : "not finite on one side";
    this.readout.textContent = `row ${range(row, this.rows, rows)}, column ${range(column, this.columns, columns)}: ` +
      `about ${digits(valueOf(byte("left"), scale), 3)} | ${digits(valueOf(byte("right"), scale), 3)}, ${text}`;
  }

  private listen(canvas: HTMLCanvasElement): void {
    canvas.addEventListener("pointermove", (event) => {
      const box = canvas.getBoundingClientRect();
      const column = Math.min(this.columns - 1, Math.floor(((event.clientX - box.left) / box.width) * this.columns));
      const row = Math.min(this.rows - 1, Math.floor(((event.clientY - box.top) / box.height) * this.rows));
      this.tell(row * this.columns + column);
    });
    canvas.addEventListener("keydown", (event) => {
      const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.columns, ArrowUp: -this.columns };
      const step = steps[event.key];
      if (step === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      this.tell(this.cell + step);
    });
  }
}
