// The rows of the table, of which only those that can be seen are in the document.
import { type Comparison, madeBy, pathAndName, shortType } from "./comparison";
import { type Child, button, html, shortName } from "./dom";
import { type Item } from "./selection";
import { type Row, type Side } from "./report";
import { RELATIONS, SIGNS, digits, farthest, many, percent, proofOf, shareApart, shareOfRange, visible } from "./text";

const OVERSCAN = 12;
const MOST_PRINTED = 26;
const LAST_PRINTED = 4;
const LEAST_OF_NAME = 14;

export interface ListEvents {
  select(row: number): void;
  open(row: number): void;
  unfold(first: number): void;
}

export class RowList {
  readonly element: HTMLElement;
  private readonly body = html("div", { class: "rows", role: "rowgroup" });
  private items: Item[] = [];
  private readonly placeOfRow: Int32Array;
  private readonly shown = new Map<number, HTMLElement>();
  private current = -1;
  // As they were measured last: asking for them makes the browser lay everything out.
  private height = 32;
  private room = 0;
  private headRoom = 0;
  private top = 0;
  private pending = false;
  private later = 0;
  private content = 0;

  constructor(private readonly comparison: Comparison, private readonly events: ListEvents) {
    this.element = html("div", {
      class: "grid", role: "grid", tabindex: 0, "aria-label": "Results of both sides", "aria-colcount": 8,
    }, this.head(), this.body);
    this.placeOfRow = new Int32Array(comparison.report.rows.length).fill(-1);
    const alike = comparison.report.rows.filter((row) => this.isAlike(row)).length;
    this.element.classList.toggle("alike", alike > 0.8 * comparison.report.rows.length);
    this.element.addEventListener("scroll", () => this.schedule(), { passive: true });
    new ResizeObserver(() => this.measure()).observe(this.element);
    let printed: HTMLElement | undefined;
    window.addEventListener("beforeprint", () => {
      printed?.remove();
      printed = this.printed();
      this.body.hidden = true;
      this.element.append(printed);
    });
    window.addEventListener("afterprint", () => {
      printed?.remove();
      this.body.hidden = false;
    });
  }

  private head(): HTMLElement {
    const cell = (name: string, text: Child): HTMLElement =>
      html("div", { role: "columnheader", class: `cell ${name}` }, text);
    return html("div", { class: "head-row", role: "rowgroup" }, html("div", { class: "row head", role: "row" },
      cell("number", "#"), cell("sign", html("span", { class: "unseen" }, "relation")), cell("left", "left"), cell("right", "right"), cell("type", "type"),
      cell("max", "max. difference"), cell("share", "on the whole"), cell("marks", "marks")));
  }

  // `atOnce`: what can be seen is painted before what is beyond.
  show(items: Item[], atOnce = false): void {
    this.items = items;
    this.placeOfRow.fill(-1);
    items.forEach((item, place) => {
      if ("row" in item) this.placeOfRow[item.row] = place;
      else if ("fold" in item) for (const row of item.fold) this.placeOfRow[row] = place;
    });
    this.element.setAttribute("aria-rowcount", String(items.length + 1));
    this.clear();
    this.fit(atOnce ? 0 : OVERSCAN);
    clearTimeout(this.later);
    if (atOnce) this.later = window.setTimeout(() => this.render(), 100);
  }

  // Where a row or its fold is, if it is shown.
  private placeOf(row: number): number | undefined {
    const place = this.placeOfRow[row] ?? -1;
    return place < 0 ? undefined : place;
  }

  get selected(): number {
    return this.current;
  }

  select(row: number, scroll = true): void {
    const before = this.current;
    this.current = row;
    for (const number of [before, row]) {
      this.shown.get(this.placeOf(number) ?? -1)?.setAttribute("aria-selected", String(number === row));
    }
    const place = this.placeOf(row);
    if (place === undefined) return;
    if (scroll) this.reveal(place);
    this.element.setAttribute("aria-activedescendant", `row-${row}`);
  }

  isFolded(row: number): number | undefined {
    const item = this.items[this.placeOf(row) ?? -1];
    return item && "fold" in item ? item.fold[0] : undefined;
  }

  has(row: number): boolean {
    return this.placeOf(row) !== undefined;
  }

  // So many rows on, past folds.
  move(by: number): number {
    let place = this.placeOf(this.current) ?? (by > 0 ? -1 : this.items.length);
    place = Math.max(0, Math.min(this.items.length - 1, place + by));
    const step = by > 0 ? 1 : -1;
    for (const direction of [step, -step]) {
      for (let at = place; at >= 0 && at < this.items.length; at += direction) {
        const item = this.items[at];
        if (item && "row" in item) return item.row;
      }
    }
    return -1;
  }

  // The next row that this holds of.
  find(by: 1 | -1, holds: (row: Row) => boolean): number {
    const start = this.placeOf(this.current) ?? (by > 0 ? -1 : this.items.length);
    for (let at = start + by; at >= 0 && at < this.items.length; at += by) {
      const item = this.items[at];
      const row = item && "row" in item ? this.comparison.row(item.row) : undefined;
      if (item && "row" in item && row && holds(row)) return item.row;
    }
    return -1;
  }

  private reveal(place: number): void {
    const top = place * this.height;
    const room = this.room - this.headRoom;
    if (top < this.top || top + this.height > this.top + room) this.scrollTo(top - room / 3);
    this.render();
  }

  private scrollTo(top: number): void {
    this.top = Math.max(0, Math.min(top, this.lowest()));
    this.element.scrollTop = this.top;
  }

  private lowest(): number {
    return Math.max(0, this.items.length * this.height + this.headRoom - this.room);
  }

  toTop(): void {
    if (this.top > 0) this.scrollTo(0);
    this.render();
  }

  private clear(): void {
    // As when rows are scrolled away.
    if (this.body.contains(document.activeElement)) this.element.focus({ preventScroll: true });
    this.shown.clear();
    this.body.replaceChildren();
  }

  // How high a row is follows from the style: wider windows have them in one line.
  private measure(): void {
    const height = parseFloat(getComputedStyle(this.element).getPropertyValue("--row-height")) || 32;
    if (height !== this.height) {
      this.height = height;
      this.content = 0;
      this.clear();
    }
    this.room = this.element.clientHeight;
    this.headRoom = (this.element.firstElementChild as HTMLElement).offsetHeight;
    this.top = this.element.scrollTop;
    this.fit();
  }

  private fit(overscan = OVERSCAN): void {
    this.body.style.height = `${this.items.length * this.height}px`;
    // Few rows need no room below them; a search leaves the page below where it is.
    this.content = Math.max(this.content, this.items.length * this.height + this.headRoom + 2);
    this.element.style.setProperty("--content", `${this.content}px`);
    this.top = Math.min(this.top, this.lowest());
    this.render(overscan);
  }

  private schedule(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.top = this.element.scrollTop;
      this.render();
    });
  }

  // On paper a page of rows: where causes are, what differs or is on one side alone, the first, and
  // the last ones.
  private printed(): HTMLElement {
    const interest = (item: Item): number => {
      const row = "row" in item ? this.comparison.row(item.row) : undefined;
      if (!("row" in item) || !row) return 3;
      if (this.comparison.causesAt(item.row).length > 0) return 0;
      const isAlone = row.left.length === 0 || row.right.length === 0;
      const op = (this.comparison.face("left", row) ?? this.comparison.face("right", row))?.op_type ?? "Constant";
      return row.relation === "different" ? 1 : isAlone && op !== "Constant" ? 2 : 3;
    };
    const places = [...this.items.keys()];
    const last = places.slice(-LAST_PRINTED);
    const others = places.slice(0, -LAST_PRINTED).sort((a, b) => interest(this.items[a] as Item) - interest(this.items[b] as Item) || a - b);
    const chosen = [...others.slice(0, MOST_PRINTED - LAST_PRINTED), ...last].sort((a, b) => a - b);
    const rows = html("div", { class: "rows printed", role: "rowgroup" }, ...chosen.map((place) => this.make(place)));
    if (chosen.length < places.length) {
      rows.append(html("p", { class: "quiet" }, `${many(places.length - chosen.length, "line")} of the table ${
        places.length - chosen.length === 1 ? "is" : "are"} not printed.`));
    }
    return rows;
  }

  private render(overscan = OVERSCAN): void {
    const top = Math.floor(this.top / this.height);
    const first = Math.max(0, top - overscan);
    const last = Math.min(this.items.length, top + Math.ceil(this.room / this.height) + 1 + overscan);
    for (const [place, element] of this.shown) {
      if (place >= first && place < last) continue;
      // The focus stays in the grid when what has it goes.
      if (element.contains(document.activeElement)) this.element.focus({ preventScroll: true });
      element.remove();
      this.shown.delete(place);
    }
    let next: Element | null = this.body.firstElementChild;
    for (let place = first; place < last; ++place) {
      let element = this.shown.get(place);
      if (!element) {
        element = this.make(place);
        this.shown.set(place, element);
        this.body.insertBefore(element, next);
      }
      next = element.nextElementSibling;
    }
  }

  private make(place: number): HTMLElement {
    const item = this.items[place];
    if (!item) return html("div");
    const element = "row" in item ? this.rowElement(item.row, item.within)
      : "fold" in item ? this.foldElement(item.fold, item.what) : headingElement(item.heading);
    element.setAttribute("aria-rowindex", String(place + 2));
    element.style.top = `${place * this.height}px`;
    return element;
  }

  private foldElement(rows: number[], what: string): HTMLElement {
    const [first] = rows;
    const unfold = (): void => {
      if (first !== undefined) this.events.unfold(first);
    };
    return html("div", { class: "row fold", role: "row" },
      html("div", { role: "gridcell", class: "cell", "aria-colspan": 8 },
        button(`… ${many(rows.length, "result")} ${what}`, unfold, { "aria-expanded": "false" })));
  }

  private rowElement(number: number, within = ""): HTMLElement {
    const row = this.comparison.row(number);
    if (!row) return html("div");
    const left = this.comparison.face("left", row);
    const right = this.comparison.face("right", row);
    const type = left && right && shortType(left) !== shortType(right)
      ? `${shortType(left)} | ${shortType(right)}` : shortType(left ?? right);
    const apart = shareApart(row.diff);
    const range = shareOfRange(row.diff);
    const cell = (name: string, ...children: Child[]): HTMLElement =>
      html("div", { role: "gridcell", class: `cell ${name}` }, ...children);
    const causes = this.comparison.causesAt(number).map((cause) =>
      html("strong", { class: this.comparison.isHarmless(cause) ? "begins harmless" : "begins" }, `← cause ${cause + 1}`));
    const element = html("div", {
      class: `row ${row.relation}`, role: "row", id: `row-${number}`, "data-row": number,
      "data-relation": row.relation, "aria-selected": String(number === this.current),
    },
    cell("number", String(number)),
    cell("sign", html("span", { "aria-hidden": "true" }, SIGNS[row.relation]),
      html("span", { class: "unseen" }, RELATIONS[row.relation]), proofMark(row)),
    cell("left", ...this.sideCell("left", row, within)),
    cell("right", ...this.sideCell("right", row, within)),
    cell("type", html("span", { title: visible(type).slice(0, 500) }, visible(type).slice(0, 200))),
    cell("max", farthest(row.diff)),
    cell("share", Number.isFinite(apart) ? digits(apart) : Number.isFinite(range) ? `${percent(range)} of range` : ""),
    cell("marks", ...causes, this.marks(row)));
    element.addEventListener("click", () => this.events.select(number));
    element.addEventListener("dblclick", () => this.events.open(number));
    return element;
  }

  // Of the same name and operator on both sides.
  private isAlike(row: Row): boolean {
    const [left, right] = [this.comparison.face("left", row), this.comparison.face("right", row)];
    return left !== undefined && right !== undefined && madeBy(left) === madeBy(right) &&
      pathAndName(left) === pathAndName(right);
  }

  private marks(row: Row): Child {
    const counts = row.left.length > 1 || row.right.length > 1 ? ` ${row.left.length}→${row.right.length}` : "";
    const text = row.marks.join(", ") + (row.left.length > 0 && row.right.length > 0 ? counts : "");
    return text === "" ? null : html("span", { title: text }, text);
  }

  private sideCell(side: Side, row: Row, within: string): Child[] {
    const result = this.comparison.face(side, row);
    if (!result) return [];
    const operator = madeBy(result);
    const name = pathAndName(result);
    if (side === "right" && this.isAlike(row)) {
      return [html("span", { class: "ditto", title: "as on the left" }, "″")];
    }
    const brief = this.comparison.brief(name, within, operator);
    const shown = shortName(name, brief);
    // The operator gives way to the end of a name, not to all of it.
    shown.style.minWidth = `${Math.min(brief.length, LEAST_OF_NAME)}ch`;
    return [html("span", { class: "op", title: operator.slice(0, 300) }, visible(operator).slice(0, 60)), shown];
  }
}

// Of the part of the program that the rows below come from.
function proofMark(row: Row): Child {
  const proof = proofOf(row);
  return proof && html("span", { class: "proof", title: proof.words },
    html("span", { "aria-hidden": "true" }, proof.sign), html("span", { class: "unseen" }, `, ${proof.words}`));
}

function headingElement(title: string): HTMLElement {
  return html("div", { class: "row heading", role: "row" },
    html("div", { role: "gridcell", class: "cell", "aria-colspan": 8, title: visible(title).slice(0, 500) }, visible(title).slice(0, 200)));
}
