// Changes of the right model against the left one: each kind once, as a link to its places.
import { type Comparison } from "./comparison";
import { type Child, button, html } from "./dom";
import { type Change } from "./report";
import { type Actions } from "./summary";
import { grouped, visible } from "./text";

const KINDS_AT_ONCE = 6;

// The changes of one label, the first of many at once.
function line(label: string, changes: Change[], actions: Actions): HTMLElement {
  const items = changes.map((change) => item(change, actions));
  const list = (some: HTMLElement[]): HTMLElement => html("ul", {}, ...some);
  const rest = items.slice(KINDS_AT_ONCE + 1);
  const shown = rest.length > 0 ? items.slice(0, KINDS_AT_ONCE) : items;
  return html("div", { class: "change" }, html("h3", {}, label), html("div", {}, list(shown),
    rest.length > 0 && html("details", {}, html("summary", {}, `${rest.length + 1} other kinds`),
      list(items.slice(KINDS_AT_ONCE)))));
}

const NOUNS = new Set(["initializer", "input", "result", "output"]);

// In which a number stays with its operator.
function textOf({ text, count }: Change): string {
  const plural = NOUNS.has(text) && Number(count) !== 1 ? "s" : "";
  return visible(text + plural).replace(/([+-]\d+) (?=\S)/g, "$1\u00a0");
}

function item(change: Change, actions: Actions): HTMLElement {
  const text = textOf(change);
  const rows = change.rows ?? [];
  const count = change.count === undefined ? "" : `${grouped(change.count)} `;
  const times = change.kind === "fused" || change.kind === "split" ? "× " : "";
  const words: Child[] = [count !== "" && html("b", {}, count + times), text];
  if (rows.length === 0) return html("li", {}, ...words);
  const side = ({ fused: "right", split: "left" } as const)[change.kind as string];
  const mark = button("", () => actions.showPlaces(rows, text, side), { class: "places", title: "Mark its places in both graphs" });
  mark.append(...words.filter((word): word is Node | string => Boolean(word)));
  return html("li", {}, mark);
}

export function changesSection(comparison: Comparison, actions: Actions): HTMLElement | undefined {
  const changes = comparison.report.changes ?? [];
  const labels = [...new Set(changes.map((change) => change.kind))];
  if (labels.length === 0) return undefined;
  return html("section", { class: "changes", "aria-labelledby": "changes" },
    html("h2", { id: "changes" }, "What changed"),
    ...labels.map((label) => line(label, changes.filter((change) => change.kind === label), actions)));
}
