// The part above the table: the verdict, both models, the causes, other findings.
import { type Comparison, affixesOf, madeBy, pathAndName } from "./comparison";
import { type Child, button, facts, html, shortName, table, wholeName } from "./dom";
import { attributeTable, figures, histogram, worstTable } from "./figures";
import { elementsView } from "./heatmap";
import { type Cause, type ModelSide, type Report, type Result, type Side, SIDES, real } from "./report";
import { bytes, digits, farthest, grouped, many, percent, plain, shareApart, visible } from "./text";

export interface Actions {
  showRow(row: number): void;
  showInGraph(row: number): void;
  showPlaces(rows: number[], what: string, side?: Side): void;
  copy(text: string, done: string): void;
}

const VERDICT_SIGNS = { same: "=", close: "≈", untested: "?", different: "≠", failed: "✕" };

export function verdictSection(comparison: Comparison): HTMLElement {
  const report = comparison.report;
  const [first = "", ...others] = report.words ?? [];
  // The sentence stands before the figures, which have a line of their own.
  const end = report.verdict === "failed" ? "; " : ": ";
  const at = first.indexOf(end);
  const [sentence, figures] = at < 0 ? [first, ""] : [first.slice(0, at), first.slice(at + end.length)];
  return html("section", { class: `verdict ${report.verdict}`, "aria-labelledby": "verdict" },
    html("h1", { id: "verdict" },
      html("span", { class: "sign", "aria-hidden": "true" }, VERDICT_SIGNS[report.verdict]),
      report.verdict),
    html("div", { class: "words" },
      sentence !== "" && html("p", { class: "first" }, visible(sentence)),
      figures !== "" && html("p", { class: "figures" }, visible(figures)),
      files(report),
      ...others.map((line) => html("p", { class: line.startsWith("but ") ? undefined : "quiet" }, visible(line))),
      proofPart(report),
      counts(report),
      setLinks(report)));
}

// Both files by the ends of their paths, which tell them apart.
function files(report: Report): HTMLElement {
  const file = (side: Side): Child => {
    const { source, nodes } = report[side];
    return html("span", { class: "file" }, html("b", {}, `${side} `), shortName(source, lastPart(source)),
      Number(nodes) > 0 && html("span", { class: "quiet" }, ` ${many(nodes, "node")}`));
  };
  return html("p", { class: "files" }, ...SIDES.map(file));
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1) || path;
}

// On what the proof rests, where it ends, and each rewrite once.
function proofPart(report: Report): Child {
  const proof = report.proof;
  if (!proof) return null;
  const rewrites = proof.rewrites ?? [];
  return html("details", { class: "proof" },
    html("summary", {}, proof.proved ? "Proved: what it rests on" : "Not proved: why"),
    html("ul", {}, ...proof.text.map((line) => html("li", {}, visible(line))),
      ...rewrites.slice(0, MOST_REWRITES).map((rewrite) => html("li", {},
        `${Number(rewrite.places) > 1 ? `${grouped(rewrite.places)} × ` : ""}${visible(rewrite.what)}: ${rewrite.finding}`,
        rewrite.counterexample && `: ${visible(rewrite.counterexample)}`,
        rewrite.at_ends && `, but ${visible(rewrite.at_ends)}`,
        rewrite.repro && ` (${visible(rewrite.repro)})`)),
      rewrites.length > MOST_REWRITES && html("li", {}, `${rewrites.length - MOST_REWRITES} more rewrites`)));
}

const MOST_REWRITES = 100;

function counts(report: Report): HTMLElement {
  if (report.rows.length === 0) return html("p", { class: "quiet" }, report.exit === undefined ? "" : `Exit status ${report.exit}.`);
  const paired = report.rows.filter((row) => row.left.length > 0 && row.right.length > 0);
  const of = (relation: string): number => paired.filter((row) => row.relation === relation).length;
  const parts = [
    `${grouped(of("same"))} with the same bits`,
    `${grouped(of("close"))} within tolerance`,
    `${grouped(of("different"))} different`,
  ];
  return html("p", { class: "quiet" },
    `${many(paired.length, "pair")} of results: ${parts.join(", ")}.`,
    report.exit === undefined ? "" : ` Exit status ${report.exit}.`);
}

function setLinks(report: Report): Child {
  const page = report.page;
  if (!page?.sets || page.set === undefined) return null;
  return html("nav", { class: "sets", "aria-label": "Sets of inputs" },
    html("span", {}, `Set ${page.set} of ${page.sets.length}: ${visible(page.set_name ?? "")}`),
    ...page.sets.map((file, set) => set === page.set
      ? html("b", { "aria-current": "page" }, `set ${set}`)
      : html("a", { href: encodeURI(`./${file}`) }, `set ${set}`)));
}

export function modelsSection(comparison: Comparison, actions: Actions): HTMLElement {
  const report = comparison.report;
  const command = report.page?.command ?? "";
  return html("section", { class: "models", "aria-labelledby": "models" },
    html("h2", { id: "models" }, "Models and inputs"),
    ...SIDES.map((side) => modelLine(side, report[side])),
    fedLine(report),
    notesOf(report),
    command !== "" && html("div", { class: "line" },
      html("b", {}, "command"),
      html("code", { class: "command" }, visible(command)),
      button("Copy", () => actions.copy(command, "The command was copied."), { "aria-label": "Copy the command" })),
    (report.page?.left_out?.length ?? 0) > 0 && html("p", { class: "quiet" },
      `To keep this page small it lacks ${report.page?.left_out?.join(", ")}. --html-size sets how large it may be.`));
}

function modelLine(side: Side, model: ModelSide): HTMLElement {
  const opsets = Object.entries(model.opsets)
    .map(([domain, version]) => `${domain === "" ? "opset" : visible(domain)} ${version}`);
  const isRecording = Number(model.nodes) === 0;
  const parts = isRecording ? (model.results.length > 0 ? [`recording of ${many(model.results.length, "result")}`] : [])
    : [many(model.nodes, "node"), many(model.operators, "operator"), many(model.initializers, "initializer")];
  if (Number(model.bytes) > 0) parts.push(bytes(model.bytes));
  return html("div", { class: "line" },
    html("b", {}, side), wholeName(model.source),
    html("span", { class: "quiet" }, [...parts, ...opsets].join(" · ")),
    model.ran_in !== undefined && html("span", {}, `ran in ${visible(model.ran_in)}`),
    model.error !== undefined && html("p", { class: "error" }, visible(model.error)));
}

function fedLine(report: Report): Child {
  const inputs = SIDES.map((side) => report[side].results.filter((result) => result.kind === "INPUT"))
    .find((some) => some.length > 0) ?? [];
  if (inputs.length === 0) return null;
  const shown = inputs.slice(0, 6).map((input) => {
    const statistics = input.statistics;
    const from = statistics ? ` ${plain(statistics.min, 3)}` : "";
    const to = statistics && statistics.max !== statistics.min ? ` … ${plain(statistics.max, 3)}` : "";
    return html("span", { class: "fed" }, wholeName(input.name),
      html("span", { class: "quiet" }, ` ${visible(input.type)}${from}${to}`));
  });
  return html("div", { class: "line" }, html("b", {}, "fed"), ...shown,
    inputs.length > 6 && html("span", { class: "quiet" }, `and ${inputs.length - 6} more`));
}

function notesOf(report: Report): Child {
  const notes = [...report.notes, ...report.left.notes.map((note) => `left: ${note}`),
    ...report.right.notes.map((note) => `right: ${note}`)];
  const missing = report.coverage?.missing ?? [];
  for (const node of missing.slice(0, 100)) {
    notes.push(`not exercised whole: ${node.side} ${node.op_type} ${node.name}: ${node.why}`);
  }
  if (notes.length === 0) return null;
  return html("details", {}, html("summary", {}, many(notes.length, "note")),
    html("ul", {}, ...notes.map((note) => html("li", {}, visible(note)))));
}

// Wrong by themselves, or other ways to compute the same.
const KINDS: Record<string, string> = {
  operator: "an operator that computes something else",
  initializer: "a constant with other numbers",
  input: "another input",
  precision: "a coarser type on one side",
  approximation: "another way to compute the same",
  quantization: "quantized on one side",
};

function kindOf(cause: Cause, left: Result | undefined, right: Result | undefined): string {
  if (cause.overflow) return "a number that its type cannot hold";
  const areConstants = left?.kind === "INITIALIZER" && right?.kind === "INITIALIZER";
  return KINDS[cause.kind === "operator" && areConstants ? "initializer" : cause.kind] ?? cause.kind;
}

const MOST_CAUSES = 8;
const MOST_PRINTED = 2;  // causes of which the elements are on paper
// Narrower windows have the graphs below a cause, which is to be short.
const isNarrow = (): boolean => window.matchMedia("(max-width: 700px)").matches;

export function causesSection(comparison: Comparison, actions: Actions): Child {
  const report = comparison.report;
  if (report.causes.length === 0) {
    if (report.causes_not_searched === undefined) return null;
    return html("section", { "aria-labelledby": "causes" }, html("h2", { id: "causes" }, "Causes"),
      html("p", {}, `No cause was looked for: ${visible(report.causes_not_searched)}.`));
  }
  const cards = report.causes.map((cause, number) => causeCard(comparison, cause, number, actions));
  // Wrong ones come first. The others are told, but they are nothing to look at first.
  const wrong = report.causes.filter((_, number) => !comparison.isHarmless(number)).length;
  const most = Math.min(MOST_CAUSES, wrong > 0 ? wrong : 2);
  const shown = cards.slice(0, most);
  const rest = cards.slice(most);
  return html("section", { "aria-labelledby": "causes" },
    html("h2", { id: "causes" }, report.causes.length === 1 ? "The cause"
      : `${report.causes.length} causes${wrong === 0 ? ", none of which is wrong by itself" : ""}`),
    html("div", { class: "cards" }, ...shown),
    rest.length > 0 && html("details", {}, html("summary", {}, `${rest.length} more ${rest.length === 1 ? "cause" : "causes"}${wrong === 0 ? ", all of them other ways to compute the same" : ""}`),
      html("div", { class: "cards" }, ...rest)));
}

export function causeNames(comparison: Comparison, cause: Cause): [string, string] {
  if (cause.in_body) {
    return [[...cause.in_body.left_path, cause.in_body.left_name].join("/"),
      [...cause.in_body.right_path, cause.in_body.right_name].join("/")];
  }
  return [pathAndName(comparison.result("left", cause.left)), pathAndName(comparison.result("right", cause.right))];
}

function causeCard(comparison: Comparison, cause: Cause, number: number, actions: Actions): HTMLElement {
  const left = comparison.result("left", cause.left);
  const right = comparison.result("right", cause.right);
  const row = comparison.rowOfCause(cause);
  const [leftName, rightName] = causeNames(comparison, cause);
  const operators = [...new Set([madeBy(left), madeBy(right)])].filter((text) => text !== "").join(" | ");
  const explanation = comparison.report.explanation;
  const explained = explanation && explanation.left === cause.left && explanation.right === cause.right
    ? explanation : undefined;
  const attributes = explained?.attributes ?? cause.attributes ?? [];
  const title = html("h3", {}, `${operators === "" ? cause.kind : operators} `,
    html("span", { class: `kind kind-${cause.kind}` }, kindOf(cause, left, right)));
  const differing = attributes.filter((fact) => fact.differs);
  const rest = attributes.length - differing.length;
  return html("article", { class: "cause", "data-cause": number, id: `cause-${number}` },
    title,
    html("p", { class: "names" }, wholeName(leftName === "" ? rightName : leftName),
      leftName !== "" && rightName !== "" && rightName !== leftName && html("span", { class: "quiet" }, " on the right "),
      leftName !== "" && rightName !== "" && rightName !== leftName && wholeName(rightName)),
    facts(placeOf(comparison, cause)),
    html("ul", { class: "said" }, ...saidOf(cause).map((part) => html("li", {}, visible(part)))),
    differing.length > 0 && attributeTable(differing),
    elementsOf(comparison, row, number === 0 && !isNarrow(), number < MOST_PRINTED),
    measured(cause),
    rest > 0 && html("details", {}, html("summary", {}, `All ${attributes.length} attributes`), attributeTable(attributes)),
    cause.diff?.worst && cause.diff.worst.length > 0 && html("details", {},
      html("summary", {}, "Worst elements, the right's node being given the left's values"),
      worstTable(cause.diff.worst)),
    explained && html("details", {}, html("summary", {}, "All that was measured"), figures(explained.diff)),
    reproOf(comparison, cause, number),
    row >= 0 && html("p", { class: "buttons" },
      html("a", { href: `#row-${row}`, class: "button" }, `Row ${row}`),
      button("In the graph", () => actions.showInGraph(row))));
}

const MOST_READERS = 2;

// Where the program has it: names such as val_73 say nothing, their modules and readers do.
function placeOf(comparison: Comparison, cause: Cause): [string, Child][] {
  if (cause.in_body) return [];
  const both = SIDES.map((side) => ({ side, number: cause[side], result: comparison.result(side, cause[side]) }));
  const told = (of: (one: (typeof both)[number]) => string | undefined): Child => {
    const texts = [...new Set(both.map(of).filter((text) => text !== undefined && text !== ""))];
    return texts.length > 0 && wholeName(texts.join(" | "));
  };
  const readersOf = ({ side, number }: (typeof both)[number]): string => {
    if (number === null) return "";
    // Shapes of a result are read beside it.
    const all = comparison.readers(side, number);
    const isShape = (reader: number): boolean => comparison.result(side, reader)?.op_type === "Shape";
    const readers = [...all.filter((reader) => !isShape(reader)), ...all.filter(isShape)];
    const names = readers.slice(0, MOST_READERS).map((reader) => {
      const it = comparison.result(side, reader);
      const within = it?.module === undefined ? "" : ` of ${it.module}`;
      return `${madeBy(it)} ${comparison.brief(pathAndName(it), "", madeBy(it))}${within}`;
    });
    return names.join(", ") + (readers.length > MOST_READERS ? ` and ${readers.length - MOST_READERS} more` : "");
  };
  // The other side's readers are mostly the same by other names.
  const readers = both.map(readersOf).find((text) => text !== "") ?? "";
  return [
    ["module", told(({ result }) => result?.module)],
    ["line of the program", told(({ result }) => result?.source_line)],
    ["read by", readers !== "" && wholeName(readers)],
  ];
}

// Of the row that the cause is in; `open` at once, or made when somebody looks, or before it is
// `printed`.
function elementsOf(comparison: Comparison, number: number, open: boolean, printed: boolean): Child {
  const row = comparison.row(number);
  const values = row?.values;
  if (!row || !values) return null;
  const parts = (): HTMLElement[] =>
    [elementsView(values, comparison.face("left", row), comparison.face("right", row)), histogram(values)]
      .filter((part): part is HTMLElement => part instanceof HTMLElement);
  const view = html("details", { class: "elements", open },
    html("summary", {}, "Elements as they came out"));
  if (open) view.append(...parts());
  const make = (): void => {
    if (view.childElementCount === 1) view.append(...parts());
  };
  view.addEventListener("toggle", make);
  if (!printed) return view;
  let wasOpen = open;
  window.addEventListener("beforeprint", () => {
    if (!view.isConnected) return;
    wasOpen = view.open;
    make();
    view.open = true;
  });
  window.addEventListener("afterprint", () => (view.open = wasOpen));
  return view;
}

function reproOf(comparison: Comparison, cause: Cause, number: number): Child {
  if (cause.repro === undefined || cause.repro === "") return null;
  const folder = comparison.report.page?.repro?.find((one) => one.cause === number)?.folder;
  const link = (file: string): Child => folder === undefined ? `${file} `
    : html("a", { href: encodeURI(folder.startsWith("/") ? `file://${folder}/${file}` : `./${folder}/${file}`).replace(/[?#]/g, encodeURIComponent) },
      file, " ");
  return html("p", {}, "As two small models: ", link("left.onnx"), link("right.onnx"),
    html("code", {}, visible(`onnxcmp ${cause.repro}/left.onnx ${cause.repro}/right.onnx`)));
}

// The sentence of a cause has its parts between semicolons.
function saidOf(cause: Cause): string[] {
  const parts = cause.text.split("; ").filter((part) => part !== "");
  // An attribute says more than a distance, as in the table.
  const first = parts[0] ?? "";
  const isTelling = parts[1]?.startsWith("operator: ") && first.includes(": ");
  if (parts.length > 1 && !isTelling && /^(gives something else )?on the left's own inputs/.test(first)) parts.push(...parts.splice(0, 1));
  if ((cause.count ?? 1) > 1) parts.push(`${cause.count} such places`);
  if (cause.truth_text) parts.push(cause.truth_text);
  if (cause.proof_text) parts.push(cause.proof_text);
  if (cause.certificate) parts.push(cause.certificate);
  return parts;
}

function measured(cause: Cause): HTMLElement {
  const diff = cause.diff;
  const apart = shareApart(diff);
  return facts([
    ["largest own difference", diff && `${farthest(diff)}${["", "[]"].includes(diff.max_absolute_at) ? "" : ` at ${diff.max_absolute_at}`}`],
    ["against the values' size", Number.isFinite(apart) && percent(apart)],
    ["elements beyond tolerance", diff && !cause.overflow && Number(diff.elements) > 0 && diff.reason === undefined &&
      `${grouped(diff.beyond)} of ${grouped(diff.elements)}, the right's node being given the left's values`],
    ["the outputs move by it alone", cause.effect !== undefined && `${digits(real(cause.effect))} of their size`],
  ]);
}

export function outputsSection(comparison: Comparison): Child {
  const report = comparison.report;
  const alone = SIDES.flatMap((side) =>
    report[`outputs_${side}_only`].map((name) => html("li", {}, `only ${side}: `, wholeName(name))));
  if (report.outputs.length === 0 && alone.length === 0) return null;
  const rows = report.outputs.slice(0, 200).map((output): Child[] => [
    output.diff.agree ? (output.diff.same_bits ? "= same bits" : "≈ agrees") : "≠ differs",
    output.left === output.right ? shortName(output.left)
      : html("span", {}, shortName(output.left), " | ", shortName(output.right)),
    visible(output.type),
    farthest(output.diff),
    output.diff.max_absolute_at,
    output.diff.reason ?? output.diff.fault ?? (Number(output.diff.beyond) > 0
      ? `${grouped(output.diff.beyond)} of ${grouped(output.diff.elements)} elements beyond tolerance` : ""),
    output.tolerance ?? "",
  ].map((cell) => typeof cell === "string" ? visible(cell) : cell));
  return html("section", { "aria-labelledby": "outputs" },
    html("h2", { id: "outputs" }, "Outputs, which decide the verdict"),
    rows.length > 0 && table("Outputs", ["verdict", "name", "type", "largest difference", "at", "why", "tolerance"], rows, [3]),
    alone.length > 0 && html("ul", {}, ...alone));
}

// Masks and the like hold infinity on purpose.
export function isNotFiniteNews(comparison: Comparison): boolean {
  return SIDES.some((side) => (comparison.report[`not_finite_${side}`] ?? []).some((origin) => origin.reason !== "given" ||
    comparison.row(comparison.rowOfResult(side, origin.result))?.relation === "different"));
}

export function notFiniteSection(comparison: Comparison): Child {
  const report = comparison.report;
  const lines = SIDES.flatMap((side) => (report[`not_finite_${side}`] ?? []).map((origin) => {
    const result = comparison.result(side, origin.result);
    const row = comparison.rowOfResult(side, origin.result);
    return html("li", {}, `${side}: ${visible(madeBy(result))} `, wholeName(pathAndName(result)),
      ` is ${origin.value} at ${origin.index ?? "?"}`, origin.text ? `: ${visible(origin.text)}` : "",
      ` (${origin.reason.replaceAll("_", " ")}, ${many(origin.elements, "element")}) `,
      row >= 0 && html("a", { href: `#row-${row}` }, `row ${row}`));
  }));
  if (lines.length === 0) return null;
  return html("section", { "aria-labelledby": "not-finite" },
    html("h2", { id: "not-finite" }, "Where numbers become NaN or infinite"), html("ul", {}, ...lines));
}

const LAYERS_AT_ONCE = 12;

function layersTable(caption: string, rows: Child[][]): HTMLElement {
  return table(caption, ["result", "operator", "type", "own SQNR, dB", "SQNR, dB", "cost", "saturated", "mistake"], rows, [3, 4, 5, 6]);
}

export function quantizationSection(comparison: Comparison): Child {
  const quantization = comparison.report.quantization;
  if (!quantization) return null;
  const nameOf = (result: number): string => pathAndName(comparison.result(quantization.side, result));
  // What all share would be all that there is room for.
  const { prefix, suffix } = affixesOf([...new Set(quantization.layers.map((layer) => nameOf(layer.result)))]);
  const link = (result: number): Child => {
    const row = comparison.rowOfResult(quantization.side, result);
    const whole = nameOf(result);
    const name = shortName(whole, whole.startsWith(prefix) && whole.endsWith(suffix) ? whole.slice(prefix.length, whole.length - suffix.length) : whole);
    return row < 0 ? name : html("a", { href: `#row-${row}` }, name);
  };
  const decibels = (value: Parameters<typeof real>[0]): string => value === undefined ? "" : digits(real(value), 3);
  const rows = quantization.layers.slice(0, 300).map((layer): Child[] => [
    link(layer.result), layer.made_by, layer.dtype ?? "", decibels(layer.own_sqnr), decibels(layer.sqnr),
    layer.cost === undefined ? "" : digits(real(layer.cost)),
    layer.saturated === undefined ? "" : percent(real(layer.saturated)), visible(layer.mistake ?? ""),
  ]);
  return html("section", { "aria-labelledby": "quantization" },
    html("h2", { id: "quantization" }, "Quantized layers"),
    quantization.mistakes.length > 0 && html("ul", {}, ...quantization.mistakes.map((mistake) =>
      html("li", {}, link(mistake.result), `: ${visible(mistake.text)}`))),
    layersTable("Layers of the quantized side, what costs the outputs most first", rows.slice(0, LAYERS_AT_ONCE)),
    rows.length > LAYERS_AT_ONCE && html("details", {}, html("summary", {}, `${rows.length - LAYERS_AT_ONCE} more layers`),
      layersTable("The other layers", rows.slice(LAYERS_AT_ONCE))));
}
