// Numbers of one pair: what cards and details show.
import { type Child, facts, html, svg, table } from "./dom";
import { type Diff, type Element, type Explanation, type Fact, type Statistics, type Values, real } from "./report";
import { digits, grouped, percent, plain, shareApart, shareOfRange, tolerance, visible } from "./text";

export function figures(diff: Diff | undefined): Child {
  if (!diff) return html("p", { class: "quiet" }, "The bits are the same.");
  const at = (index: string): string => index === "" ? "" : ` at ${index}`;
  const apart = shareApart(diff);
  const range = shareOfRange(diff);
  const counted = (left: string, right: string, l: unknown, r: unknown): [string, Child] =>
    [`${left}`, (l !== undefined || r !== undefined) && `${right} ${grouped(Number(l ?? 0))} | ${grouped(Number(r ?? 0))}`];
  return facts([
    ["differs in", diff.reason !== undefined && visible(diff.reason)],
    ["largest difference", `${plain(diff.max_absolute, 4)}${at(diff.max_absolute_at)}`],
    ["of the left's range", Number.isFinite(range) && percent(range)],
    ["largest relative", `${plain(diff.max_relative, 3)}${at(diff.max_relative_at)}`],
    ["on the whole", Number.isFinite(apart) && `${digits(apart)} of the values' size`],
    ["SQNR", diff.sqnr_db !== undefined && `${digits(real(diff.sqnr_db), 3)} dB`],
    ["cosine", diff.cosine !== undefined && cosine(real(diff.cosine))],
    ["units in the last place", diff.max_ulp !== undefined && real(diff.max_ulp) > 0 && digits(real(diff.max_ulp), 3)],
    ["beyond tolerance", `${grouped(diff.beyond)} of ${grouped(diff.elements)} elements`],
    ["tolerance", tolerance(diff)],
    ["fault", diff.fault !== undefined && visible(diff.fault)],
    counted("NaN", "left | right", diff.nan_left, diff.nan_right),
    counted("infinite", "left | right", diff.infinite_left, diff.infinite_right),
  ]);
}

// The distance from 1 tells more than the value.
function cosine(value: number): string {
  return value < 1 && value > 0.9999 ? `1 − ${digits(1 - value)}` : digits(value, 6);
}

export function worstTable(worst: Element[]): HTMLElement {
  const inDouble = worst.some((element) => element.double !== undefined && element.double !== "");
  const head = ["at", "left", "right", ...(inDouble ? ["left in double"] : []), "difference"];
  return table("Worst elements", head, worst.map((element) => [
    element.index, visible(element.left), visible(element.right),
    ...(inDouble ? [element.double ?? ""] : []), plain(element.absolute, 3),
  ]), inDouble ? [1, 2, 3, 4] : [1, 2, 3]);
}

export function attributeTable(attributes: Fact[]): HTMLElement {
  return table("Attributes of both nodes", ["attribute", "left", "right", "relation"], attributes.map((fact) => [
    visible(fact.name), visible(fact.left === "" ? "not given" : fact.left),
    visible(fact.right === "" ? "not given" : fact.right),
    fact.differs && html("strong", { class: "differs" }, "≠ differs"),
  ]));
}

export function statisticsTable(left: Statistics | undefined, right: Statistics | undefined): Child {
  if (!left && !right) return null;
  const names: (keyof Statistics)[] = ["min", "max", "mean", "deviation", "zeros", "nans", "infinities"];
  const cell = (of: Statistics | undefined, name: keyof Statistics): string => {
    if (!of) return "";
    const value = of[name] ?? 0;
    const number = Number(value);
    return Number.isInteger(number) ? grouped(number) : digits(number, 5);
  };
  return table("Statistics", ["figure", "left", "right"],
    names.map((name) => [name, cell(left, name), cell(right, name)]), [1, 2]);
}

// How many elements differ by how much, a bar a decade.
export function histogramOf(explanation: Explanation): Child {
  return histogram({ ...explanation, decades: explanation.decades.map((one) => [one.decade, one.elements]) });
}

export function histogram(values: Pick<Values, "decades" | "not_finite" | "equal" | "counted">, of = ""): Child {
  const bars: [string, number][] = values.decades.map(([decade, elements]) => [`10^${decade}`, Number(elements)]);
  if (Number(values.not_finite ?? 0) > 0) bars.unshift(["not finite", Number(values.not_finite)]);
  bars.push(["equal", Number(values.equal)]);
  const most = Math.max(1, ...bars.map(([, count]) => count));
  return html("figure", { class: "histogram" },
    html("figcaption", {}, `Elements by the size of their difference${of}` +
      (values.counted === undefined ? "" : `, of ${grouped(values.counted)} that are spread evenly`)),
    html("ul", {}, ...bars.map(([label, count]) => {
      const width = count === 0 ? 0 : Math.max(1, (100 * count) / most);
      return html("li", {}, html("span", {}, label),
        svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
          svg("rect", { width, height: 10, class: "bar" })),
        html("span", { class: "number" }, grouped(count)));
    })));
}
