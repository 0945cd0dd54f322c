// One row in depth, beside the table.
import { type Comparison, madeBy, pathAndName } from "./comparison";
import { type Child, button, facts, html, wholeName } from "./dom";
import { attributeTable, figures, histogram, histogramOf, statisticsTable, worstTable } from "./figures";
import { elementsView } from "./heatmap";
import { type Explanation, type Row, type Side, SIDES, real } from "./report";
import { type Actions } from "./summary";
import { RELATIONS, SIGNS, digits, proofOf, visible } from "./text";

const MOST_LINKS = 24;

export function details(comparison: Comparison, number: number, actions: Actions, close: () => void): Node[] {
  const row = comparison.row(number);
  if (!row) return [];
  const explanation = comparison.report.explanation?.row === number ? comparison.report.explanation : undefined;
  const causes = comparison.causesAt(number);
  const left = comparison.face("left", row);
  const right = comparison.face("right", row);
  const proof = proofOf(row);
  const parts: Child[] = [
    html("header", {},
      html("h3", { id: "details-title" }, `Row ${number} `,
        html("span", { class: `relation ${row.relation}` }, `${SIGNS[row.relation]} ${RELATIONS[row.relation]}`)),
      button("✕", close, { class: "dismiss", "aria-label": "Close the details" })),
    causes.length > 0 && html("p", {}, ...causes.map((cause) =>
      html("a", { href: `#cause-${cause}` }, `Cause ${cause + 1} begins here. `))),
    ...SIDES.map((side) => sideBlock(comparison, side, row)),
    row.marks.length > 0 && html("p", {}, `Marks: ${row.marks.join(", ")}`),
    proof !== undefined && html("p", {}, `For all inputs: ${proof.words}`),
    row.left.length > 0 && row.right.length > 0 && html("section", {}, html("h4", {}, "Difference"), figures(row.diff)),
    explanation?.own !== undefined && facts([
      ["own error", `${digits(real(explanation.own))}, the right's node being given the left's inputs`],
      ["inherited", explanation.inherited !== undefined && `${digits(real(explanation.inherited))} by its own inputs`],
    ]),
    attributesOf(comparison, number, explanation),
    explanation ? histogramOf(explanation) : row.values && histogram(row.values),
    explanation && explanation.worst.length > 0 ? worstTable(explanation.worst)
      : row.diff?.worst && row.diff.worst.length > 0 && worstTable(row.diff.worst),
    row.values && elementsView(row.values, left, right),
    statisticsTable(left?.statistics, row.relation === "same" ? left?.statistics : right?.statistics),
    neighbours(comparison, row),
    html("p", { class: "buttons" },
      button("In the graph", () => actions.showInGraph(number)),
      button("Copy link", () => actions.copy(`${location.href.split("#")[0]}#row-${number}`, "The link was copied."))),
    !explanation && row.diff !== undefined && html("p", { class: "quiet" },
      row.values || (comparison.report.page?.left_out ?? []).length === 0 ? "More of this pair: "
        : "Its elements were left out to keep this page small. More of this pair: ",
      html("code", {}, `--explain ${number}`)),
  ];
  return parts.filter((part): part is Node => part instanceof Node);
}

// As a cause has them, without an explanation.
function attributesOf(comparison: Comparison, number: number, explanation: Explanation | undefined): Child {
  const causes = comparison.causesAt(number).map((cause) => comparison.report.causes[cause]?.attributes ?? []);
  const attributes = explanation?.attributes ?? causes.find((some) => some.length > 0) ?? [];
  return attributes.length > 0 && attributeTable(attributes);
}

function sideBlock(comparison: Comparison, side: Side, row: Row): Child {
  const last = row[side].at(-1);
  const result = comparison.result(side, last);
  if (last === undefined || !result) return null;
  const absorbed = row[side].slice(0, -1);
  return html("section", { class: "side" },
    html("h4", {}, `${side}: ${visible(madeBy(result))}`,
      result.domain ? html("span", { class: "quiet" }, ` ${visible(result.domain)}`) : ""),
    html("p", { class: "names" }, wholeName(result.name)),
    facts([
      ["type", visible(result.type)],
      ["node", result.node !== undefined && result.node !== "" && wholeName(result.node)],
      ["module", result.module !== undefined && wholeName(result.module)],
      ["line of the program", result.source_line !== undefined && wholeName(result.source_line)],
      ["within", result.path.length > 0 && wholeName(result.path.join("/"))],
      ["stands for", absorbed.length > 0 && html("span", {}, ...absorbed.map((one, i) => html("span", {},
        i > 0 ? " → " : "", visible(madeBy(comparison.result(side, one))))),
      ` → ${visible(madeBy(result))}`)],
    ]));
}

// The inputs of each side's result, and its readers.
function neighbours(comparison: Comparison, row: Row): Child {
  const pairs = SIDES.flatMap((side): [string, Child][] => {
    const last = row[side].at(-1);
    if (last === undefined) return [];
    return [[`${side}: made from`, links(comparison, side, comparison.inputs(side, last))],
      [`${side}: read by`, links(comparison, side, comparison.readers(side, last))]];
  });
  return html("section", {}, html("h4", {}, "Around it"), facts(pairs));
}

function links(comparison: Comparison, side: Side, results: number[]): Child {
  if (results.length === 0) return null;
  const list = html("ul", { class: "links" });
  for (const result of results.slice(0, MOST_LINKS)) {
    const row = comparison.rowOfResult(side, result);
    const it = comparison.result(side, result);
    const relation = comparison.row(row)?.relation;
    const text = `${relation ? SIGNS[relation] : ""} ${visible(madeBy(it))} `;
    list.append(html("li", {}, row < 0 ? text : html("a", { href: `#row-${row}`, title: visible(pathAndName(it)).slice(0, 500) },
      text, `row ${row}`)));
  }
  if (results.length > MOST_LINKS) list.append(html("li", {}, `and ${results.length - MOST_LINKS} more`));
  return list;
}
