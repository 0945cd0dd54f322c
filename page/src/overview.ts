// A chain of models or several sets of inputs, each part of which has a report in the document.
import { button, html } from "./dom";
import { type Report } from "./report";
import { grouped, visible } from "./text";

export interface ChainStep {
  from: string;
  to: string;
  sets: number;
  verdict: Report["verdict"];
  exit_status: number;
  set: string;
  text: string;
  changes?: string;
  causes: string[];
}

export interface Chain {
  models: string[];
  steps: ChainStep[];
  ends: ChainStep | null;
  broken_by: number | null;
  adds_up_at?: number | null;
  optimizers?: string[];
  verdict: Report["verdict"];
  exit_status: number;
  command?: string;
}

// Several sets of inputs.
export interface Sets {
  sets: { name: string; verdict: Report["verdict"]; exit_status: number; text: string }[];
  verdict: Report["verdict"];
  exit_status: number;
  command?: string;
}

// A document that has several reports: of steps or of sets.
export type Overview = Chain | Sets;

interface Part {
  name: string;
  verdict: Report["verdict"];
  exit_status: number;
  what: string;
  text: string;
  changes?: string;
  causes: string[];
}

const SIGNS = { same: "=", close: "≈", untested: "?", different: "≠", failed: "✕" };

export function isOverview(data: unknown): data is Overview {
  if (typeof data !== "object" || data === null) return false;
  return (Array.isArray((data as Chain).steps) && "broken_by" in data) || Array.isArray((data as Sets).sets);
}

function fileOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1) || path;
}

function partsOf(overview: Overview): Part[] {
  if ("sets" in overview) {
    return overview.sets.map((set, number) => ({ ...set, name: `set ${number + 1}`, what: set.name, causes: [] }));
  }
  const steps = overview.ends ? [...overview.steps, overview.ends] : overview.steps;
  return steps.map((step, number) => ({
    ...step, name: number < overview.steps.length ? `step ${number + 1}` : "first and last",
    what: `${fileOf(step.from)} → ${fileOf(step.to)}`,
  }));
}

function outcome(overview: Overview, parts: Part[]): string {
  const failing = parts.filter((part) => part.exit_status !== 0);
  if ("sets" in overview) {
    return failing.length === 0 ? `All ${grouped(parts.length)} sets of inputs pass.`
      : `Of ${grouped(parts.length)} sets of inputs ${grouped(failing.length)} ${failing.length === 1 ? "fails" : "fail"}.`;
  }
  const steps = grouped(overview.steps.length);
  if (overview.broken_by !== null) {
    return `Of ${steps} steps the first that fails is step ${overview.broken_by + 1}: ` +
      `${visible(parts[overview.broken_by]?.what ?? "")}.` + (overview.optimizers === undefined || overview.optimizers.length === 0 ? ""
      : ` It passes without ${visible(overview.optimizers.join(", "))}.`);
  }
  if (failing.length === 0) return `All ${steps} steps pass.`;
  const at = overview.adds_up_at ?? null;
  return `Each of ${steps} steps passes, but not all of them together` +
    (at === null ? "." : `: from step ${at + 1} on the model differs from the first one.`);
}

export class OverviewSection {
  readonly element: HTMLElement;
  // The part to begin with: the first that fails, or else the last, which are a chain's two ends.
  readonly first: number;
  private readonly rows: HTMLElement[];
  private readonly parts: Part[];

  constructor(overview: Overview, show: (part: number) => void) {
    const parts = partsOf(overview);
    const failing = parts.findIndex((part) => part.exit_status !== 0);
    this.first = failing >= 0 ? failing : "sets" in overview ? 0 : parts.length - 1;
    // Narrow windows have the cells below each other, which would take their roles from them.
    const cell = { role: "cell" };
    const hasChanges = parts.some((part) => (part.changes ?? "") !== "");
    const hasCauses = parts.some((part) => part.causes.length > 0);
    this.rows = parts.map((part, number) => html("tr", { role: "row", "data-step": number },
      html("td", { ...cell, class: "brief" }, button(part.name, () => show(number), { "aria-label": `Show ${part.name}` })),
      html("td", { ...cell, class: `brief outcome ${part.verdict}` }, `${SIGNS[part.verdict]} ${part.verdict}`),
      html("td", cell, visible(part.what)),
      html("td", cell, visible(part.text)),
      hasChanges && html("td", { ...cell, class: "quiet" }, html("div", { class: "clamped", title: visible(part.changes ?? "") }, visible(part.changes ?? ""))),
      hasCauses && html("td", cell, ...part.causes.slice(0, 3).map((cause) => html("p", {}, visible(cause))),
        part.causes.length > 3 && html("p", { class: "quiet" }, `and ${part.causes.length - 3} more`))));
    this.parts = parts;
    const heads = ["", "verdict", "sets" in overview ? "inputs" : "models", "outputs", ...(hasChanges ? ["what it changed"] : []),
      ...(hasCauses ? ["causes"] : [])];
    const sets = "sets" in overview;
    this.element = html("section", { class: `chain ${overview.verdict}`, "aria-label": sets ? "All sets of inputs" : "The whole chain" },
      html("h1", { id: "chain" }, html("span", { "aria-hidden": "true" }, `${SIGNS[overview.verdict]} `), overview.verdict),
      html("p", { class: "first" }, outcome(overview, parts)),
      overview.command !== undefined && html("p", {}, html("code", { class: "command" }, visible(overview.command))),
      html("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": sets ? "Sets of inputs" : "Steps of the chain" },
        html("table", { role: "table" }, html("caption", {}, `${sets ? "Sets" : "Steps"}; a button shows one below`),
          html("thead", { role: "rowgroup" }, html("tr", { role: "row" }, ...heads.map((head) =>
            head === "" ? html("td", cell) : html("th", { scope: "col", role: "columnheader" }, head)))),
          html("tbody", { role: "rowgroup" }, ...this.rows))));
  }

  // The line below: the name and its kind.
  titleOf(part: number): string {
    const it = this.parts[part];
    return it ? `${it.name.charAt(0).toUpperCase()}${it.name.slice(1)}: ${visible(it.what)}` : "";
  }

  mark(part: number): void {
    this.rows.forEach((row, number) => {
      if (number === part) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
    });
  }
}
