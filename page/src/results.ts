// The table of results with its search, filters and order, and the row that is looked at.
import { type Comparison } from "./comparison";
import { button, html } from "./dom";
import { details } from "./details";
import { RowList } from "./list";
import { type Relation, type Row } from "./report";
import { FIGURES, Selection } from "./selection";
import { type Actions, causeNames } from "./summary";
import { ALL_RELATIONS, RELATIONS, SIGNS, farthest, grouped } from "./text";
import { madeBy, pathAndName } from "./comparison";

const MOST_COPIED = 5000;
const ROWS_AT_ONCE = 2000;

export class Results {
  readonly element: HTMLElement;
  readonly search = html("input", {
    type: "search", id: "search", placeholder: "name, operator, type, mark", autocomplete: "off", spellcheck: "false",
  });
  private readonly selection: Selection;
  private readonly list: RowList;
  private readonly status = html("span", { role: "status", class: "quiet" });
  // Beside the graph and the table, whichever is looked at: it stands beside the page's sections.
  readonly pane = html("aside", { class: "details", hidden: true, "aria-labelledby": "details-title", tabindex: -1 });
  private readonly foldButton: HTMLButtonElement;
  private rows: number[] = [];
  private paneScrolled = false;

  constructor(private readonly comparison: Comparison, private readonly actions: Actions) {
    this.selection = new Selection(comparison);
    this.list = new RowList(comparison, {
      select: (row) => this.choose(row, false),
      open: (row) => this.choose(row, true),
      unfold: (first) => {
        this.unfold(first);
        this.list.select(first, false);
      },
    });
    this.foldButton = button("Unfold all", () => {
      this.selection.folding = !this.selection.folding;
      this.selection.opened.clear();
      this.update();
    });
    this.element = html("section", { class: "results", "aria-labelledby": "results" },
      html("h2", { id: "results" }, "All results, in the order they are computed"),
      this.tools(), this.list.element,
      html("p", { class: "quiet keys" }, "Keys: ",
        ...["j", "k"].map((key) => html("kbd", {}, key)), " next and previous row, ",
        html("kbd", {}, "n"), " next difference, ", html("kbd", {}, "/"), " search, ",
        html("kbd", {}, "Enter"), " details, ", html("kbd", {}, "g"), " in the graph, ",
        html("kbd", {}, "Esc"), " close. --explain takes the numbers of rows."));
    this.search.addEventListener("input", () => this.searchFor(this.search.value));
    this.search.addEventListener("keydown", (event) => this.searchKey(event));
    this.list.element.addEventListener("keydown", (event) => this.gridKey(event));
    this.pane.addEventListener("scroll", () => (this.paneScrolled = true), { passive: true });
    this.update();
  }

  private tools(): HTMLElement {
    const counts = this.selection.counts();
    const filters = ALL_RELATIONS.filter((relation) => counts[relation] > 0).map((relation) => {
      const toggle = button(`${SIGNS[relation]} ${RELATIONS[relation]} ${grouped(counts[relation])}`, () => {
        const hide = !this.selection.hidden.has(relation);
        if (hide) this.selection.hidden.add(relation);
        else this.selection.hidden.delete(relation);
        toggle.setAttribute("aria-pressed", String(!hide));
        this.update();
      }, { class: `filter ${relation}`, "aria-pressed": "true", "data-filter": relation });
      return toggle;
    });
    const sort = html("select", { id: "sort" }, html("option", { value: "order" }, "order of computation"),
      ...FIGURES.map((figure) => html("option", { value: figure.id }, figure.title)),
      html("option", { value: "name" }, "name"), html("option", { value: "operator" }, "operator"));
    sort.addEventListener("change", () => {
      this.selection.sort = sort.value;
      this.update();
      this.list.toTop();
    });
    return html("div", { class: "tools" },
      html("div", { class: "field" }, html("label", { for: "search" }, "Search"), this.search),
      html("div", { class: "filters", role: "group", "aria-label": "Show rows that are" }, ...filters),
      html("div", { class: "field" }, html("label", { for: "sort" }, "Sort by"), sort),
      html("div", { class: "field" }, this.foldButton,
        button("Copy as text", () => this.actions.copy(this.asText(), "The report was copied as text."))),
      this.status);
  }

  // What the first search would wait for otherwise: texts of all rows, the fonts of the details, code
  // that has not run yet. Nothing of it is ever painted. True if it is to be called again.
  prepare(): boolean {
    if (!this.pane.hidden || this.search.value !== "") return false;
    if (this.selection.index(ROWS_AT_ONCE)) return true;
    const unseen = html("aside", { class: "details", "aria-hidden": "true" },
      ...details(this.comparison, this.rows.at(-1) ?? 0, this.actions, () => undefined));
    unseen.style.visibility = "hidden";
    this.element.append(unseen);
    unseen.getBoundingClientRect();
    unseen.remove();
    this.selection.query = "a b";
    this.selection.items(this.selection.rows());
    this.selection.query = "";
    return false;
  }

  private update(atOnce = false): void {
    this.rows = this.selection.rows();
    const items = this.selection.items(this.rows);
    this.list.show(items, atOnce);
    const all = this.comparison.report.rows.length;
    const folds = items.some((item) => "fold" in item);
    this.foldButton.textContent = this.selection.folding && folds ? "Unfold all" : "Fold what is the same";
    this.foldButton.disabled = !folds && this.selection.folding && this.selection.opened.size === 0;
    if (this.foldButton.disabled) this.foldButton.textContent = "Nothing is folded";
    this.status.textContent = this.rows.length === all ? `${grouped(all)} rows`
      : `${grouped(this.rows.length)} of ${grouped(all)} rows`;
  }

  private searchFor(query: string): void {
    this.selection.query = query.trim();
    this.update(true);
    this.list.toTop();
  }

  private searchKey(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      this.search.value = "";
      this.searchFor("");
      this.list.element.focus();
    } else if (event.key === "Enter") {
      this.searchFor(this.search.value);
      const [first] = this.rows;
      if (first !== undefined) {
        this.list.select(first);
        // Matches come into view first.
        requestAnimationFrame(() => this.selected === first && this.choose(first, false));
      }
      this.list.element.focus({ preventScroll: true });
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private gridKey(event: KeyboardEvent): void {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -1e9, End: 1e9 };
    const step = steps[event.key];
    if (step === undefined || event.target !== this.list.element) return;
    event.preventDefault();
    this.step(step);
  }

  step(by: number): void {
    this.choose(this.list.move(by), false);
  }

  nextDifference(by: 1 | -1): void {
    this.choose(this.list.find(by, (row: Row) => row.relation === "different"), false);
  }

  get selected(): number {
    return this.list.selected;
  }

  private choose(row: number, open: boolean): void {
    if (row < 0) return;
    this.list.select(row);
    if (open || !this.pane.hidden || window.matchMedia("(min-width: 1100px)").matches) this.open(row);
    history.replaceState(null, "", `#row-${row}`);
  }

  // Shows the row whatever is folded, hidden or searched for.
  reveal(row: number, open = true): void {
    const it = this.comparison.row(row);
    if (!it) return;
    if (!this.list.has(row)) {
      this.selection.query = "";
      this.search.value = "";
      this.selection.hidden.delete(it.relation);
      this.element.querySelector(`[data-filter="${it.relation satisfies Relation}"]`)?.setAttribute("aria-pressed", "true");
      this.update();
    }
    const fold = this.list.isFolded(row);
    if (fold !== undefined) this.unfold(fold);
    this.list.select(row);
    if (open) this.open(row);
  }

  private unfold(first: number): void {
    this.selection.opened.add(first);
    this.update();
  }

  openSelected(): void {
    if (this.selected >= 0) this.open(this.selected);
  }

  private open(row: number): void {
    this.pane.replaceChildren(...details(this.comparison, row, this.actions, () => this.close()));
    this.pane.hidden = false;
    document.body.classList.add("with-details");
    if (this.paneScrolled) this.pane.scrollTop = 0;
    this.paneScrolled = false;
  }

  close(): void {
    if (this.pane.hidden) return;
    const focused = this.pane.contains(document.activeElement);
    this.pane.hidden = true;
    document.body.classList.remove("with-details");
    if (focused) this.list.element.focus({ preventScroll: true });
  }

  focus(): void {
    this.list.element.focus({ preventScroll: true });
  }

  // The report as it is shown: verdict, causes, rows.
  private asText(): string {
    const report = this.comparison.report;
    const lines = [`${report.verdict}: ${(report.words ?? []).join("\n  ")}`];
    for (const cause of report.causes) {
      const names = [...new Set(causeNames(this.comparison, cause))].join(" | ");
      lines.push(`cause: ${names}: ${cause.text}`);
    }
    if (report.page?.command) lines.push(report.page.command);
    lines.push("", ["row", "", "left", "", "right", "", "max. difference", "marks"].join("\t"));
    for (const number of this.rows.slice(0, MOST_COPIED)) {
      const row = this.comparison.row(number);
      if (!row) continue;
      const left = this.comparison.face("left", row);
      const right = this.comparison.face("right", row);
      lines.push([number, SIGNS[row.relation], madeBy(left), pathAndName(left), madeBy(right), pathAndName(right),
        farthest(row.diff), row.marks.join(" ")].join("\t"));
    }
    if (this.rows.length > MOST_COPIED) lines.push(`and ${this.rows.length - MOST_COPIED} more rows`);
    return lines.join("\n") + "\n";
  }
}
