// The steps of two decoders, of which the comparison on this page is one.
import { type Child, html, svg, table } from "./dom";
import { type Real, type Relation, real } from "./report";
import { SIGNS, digits, plain, visible } from "./text";

interface Both<T> {
  left: T;
  right: T;
}

export interface Generation {
  prompts: number[][];
  steps: {
    relation: Relation | null;
    state: string | null;
    rows: { token: Both<number>; margin: Both<Real | null>; max_difference: Real | null; kl: Real | null }[];
  }[];
  failing_step: number | null;
  lines: string[];
}

const MOST_LINES = 500;
const WIDTH = 640;
const HEIGHT = 120;
const MARGIN = 44;

// Numbers that JSON cannot hold are null.
function number(value: Real | null | undefined): number {
  return value === null || value === undefined ? Infinity : real(value);
}

function cell(value: Real | null): string {
  return value === null ? "not finite" : plain(value, 2);
}

export function generationSection(generation: Generation | undefined): HTMLElement | null {
  if (!generation) return null;
  const { steps, failing_step: failing } = generation;
  const several = generation.prompts.length > 1;
  const rows: Child[][] = [];
  steps.slice(0, MOST_LINES).forEach((step, i) => step.rows.forEach((row, prompt) => rows.push([
    prompt === 0 ? `${step.relation === null ? "" : SIGNS[step.relation]} ${i}${i === failing ? ", on this page" : ""}` : "",
    several ? String(prompt) : "",
    row.token.left === row.token.right ? String(row.token.left) : html("strong", { class: "differs" }, String(row.token.left)),
    row.token.left === row.token.right ? String(row.token.right) : html("strong", { class: "differs" }, String(row.token.right)),
    cell(row.margin.left), cell(row.margin.right), cell(row.max_difference), cell(row.kl),
    prompt === 0 && step.state !== null && visible(step.state),
  ])));
  return html("section", { class: "generation", "aria-labelledby": "generation" },
    html("h2", { id: "generation" }, "Step by step"),
    ...generation.lines.map((line) => html("p", {}, visible(line))),
    steps.length > 1 && drift(generation),
    table(steps.length > MOST_LINES ? `The first ${MOST_LINES} of ${steps.length} steps` : "Steps",
      ["step", "prompt", "left's token", "right's token", "left's margin", "right's margin", "max |l − r|", "KL, nats", "state that differs"],
      rows, [1, 2, 3, 4, 5, 6, 7]));
}

// The greatest difference and the divergence of each step, by decades.
function drift(generation: Generation): HTMLElement | null {
  const most = (of: (row: Generation["steps"][number]["rows"][number]) => Real | null): number[] =>
    generation.steps.map((step) => Math.max(0, ...step.rows.map((row) => number(of(row)))));
  const lines: [string, number[]][] = [["max |l − r|", most((row) => row.max_difference)], ["KL", most((row) => row.kl)]];
  const shown = lines.flatMap(([, values]) => values).filter((value) => value > 0 && Number.isFinite(value));
  if (shown.length === 0) return null;
  const least = shown.reduce((a, b) => Math.min(a, b));
  const high = Math.ceil(Math.log10(shown.reduce((a, b) => Math.max(a, b))));
  const low = Math.min(Math.floor(Math.log10(least)), high - 1);
  const count = generation.steps.length;
  const x = (step: number): number => MARGIN + (step * (WIDTH - MARGIN - 10)) / Math.max(1, count - 1);
  const y = (value: number): number => {
    if (!(value > 0)) return HEIGHT - 18;
    const share = Number.isFinite(value) ? (Math.log10(value) - low) / (high - low) : 1;
    return HEIGHT - 24 - share * (HEIGHT - 36);
  };
  const path = (values: number[]): string =>
    values.map((value, i) => `${i === 0 ? "M" : "L"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const label = (at: [number, number], text: string, anchor: string): SVGElement =>
    svg("text", { x: at[0], y: at[1], "text-anchor": anchor }, text);
  const failing = generation.failing_step;
  return html("figure", { class: "drift" },
    html("figcaption", {}, "How far the two drift apart: the greatest difference of the logits ",
      html("span", { class: "line-one" }, "―"), ", Kullback-Leibler divergence ", html("span", { class: "line-two" }, "╌"),
      "; the lower edge is 0"),
    svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
      "aria-label": `Drift over ${count} steps, from ${digits(least)} to ${digits(Math.max(...shown))}` },
      ...[low, high].map((decade) => label([MARGIN - 6, y(10 ** decade) + 4], `1e${decade}`, "end")),
      ...[0, count - 1].map((step) => label([x(step), HEIGHT - 4], String(step), step === 0 ? "start" : "end")),
      failing !== null && failing < count && svg("path", { class: "failing", d: `M${x(failing)} 6V${HEIGHT - 18}` }),
      ...lines.map(([, values], i) => svg("path", { class: i === 0 ? "line-one" : "line-two", d: path(values) }))));
}
