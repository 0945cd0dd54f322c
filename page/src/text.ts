// Numbers, names and relations as people read them.
import { type Diff, type Integer, type Real, type Relation, type Row, real } from "./report";

export const SIGNS: Record<Relation, string> = {
  same: "=", close: "≈", different: "≠", left_only: "−", right_only: "+",
};
export const RELATIONS: Record<Relation, string> = {
  same: "the same bits",
  close: "within tolerance",
  different: "different",
  left_only: "only left",
  right_only: "only right",
};

// The sign of a row's proof and its words; nothing without a proof.
export function proofOf(row: Row): { sign: string; words: string } | undefined {
  if (row.differs_exactly) return { sign: "!", words: "differs in exact arithmetic" };
  if (row.proved_given) return { sign: "∴", words: "proved given the rows before" };
  if (row.proved === undefined) return undefined;
  return row.proved ? { sign: "✓", words: "proved" } : { sign: "?", words: "not proved" };
}

export const ALL_RELATIONS = Object.keys(SIGNS) as Relation[];

// A number halfway between two of so many digits, which C rounds to the even one and scripts up.
function toEven(size: number, count: number): number {
  const [, first = "", rest = ""] = /^([\d.]+?)(50*)e/.exec(size.toExponential(Math.min(100, count + 60))) ?? [];
  const isHalfway = rest !== "" && first.replace(".", "").length === count;
  return isHalfway && "02468".includes(first.at(-1) ?? "") ? size * (1 - 2 ** -40) : size;
}

// With so many digits, as the program writes them elsewhere: 1.8e-04, 0.053, 12, 3.4e+06.
export function digits(value: number, count = 2): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const shown = size >= 1 && size < 1e6 ? Math.max(count, 3) : count;
  const even = Math.sign(value) * toEven(size, shown);
  // In two digits some below are 0.001 and not 1.0e-03.
  if ((size < 1e-3 && even.toExponential(count - 1) !== (1e-3).toExponential(count - 1)) || size >= 1e6) return even.toExponential(count - 1).replace(/e([+-])(\d)$/, "e$10$2");
  if (Number.isInteger(value)) return String(value);
  return String(Number(even.toPrecision(shown)));
}

export function percent(share: number): string {
  return share >= 10 ? `${digits(share)} times` : `${digits(100 * share)} %`;
}

export function many(count: Integer, noun: string): string {
  return `${grouped(count)} ${noun}${String(count) === "1" ? "" : "s"}`;
}

export function grouped(count: Integer): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

export function bytes(count: Integer): string {
  const size = Number(count);
  if (size < 1000) return `${size} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let unit = 0;
  let scaled = size / 1000;
  while (scaled >= 1000 && unit + 1 < units.length) {
    scaled /= 1000;
    ++unit;
  }
  return `${Number(scaled.toPrecision(3))} ${units[unit]}`;
}

// How far apart as a whole: root mean square of the differences against that of the left's values.
export function shareApart(diff: Diff | undefined): number {
  if (diff?.sqnr_db !== undefined && diff.reason === undefined) {
    const decibels = real(diff.sqnr_db);
    return Number.isNaN(decibels) ? NaN : 10 ** (-decibels / 20);
  }
  return NaN;
}

// The greatest difference against the range of the left's values.
export function shareOfRange(diff: Diff | undefined): number {
  if (diff?.range === undefined || diff.reason !== undefined) return NaN;
  const share = real(diff.max_absolute) / real(diff.range);
  return Number.isFinite(share) ? share : NaN;
}

export function farthest(diff: Diff | undefined): string {
  if (diff === undefined) return "";
  if (diff.reason) return `other ${diff.reason.split(/[ :]/, 1)[0] ?? ""}`;
  const disagree = Number(diff.non_finite_disagree ?? 0);
  if (disagree > 0) return `${grouped(disagree)} NaN/∞`;
  return digits(real(diff.max_absolute));
}

export function tolerance(diff: Diff): string {
  const parts: string[] = [];
  const rtol = real(diff.rtol);
  const atol = real(diff.atol);
  if (rtol === 0 && atol === 0) parts.push("equal");
  else parts.push(`${digits(atol)} + ${digits(rtol)} · max(|a|, |b|) an element`);
  const whole = real(diff.whole);
  if (Number.isFinite(whole)) parts.push(`${digits(whole)} on the whole`);
  return parts.join(", ");
}

type Cut = (text: string) => string;

// Names in so many letters each that stay different: of those that are too long the end stays, which
// tells most; where ends are alike, what tells them apart.
export function shortenApart(names: Iterable<string>, most: number): Map<string, string> {
  const shown = new Map<string, string>();
  const alike = new Map<string, string[]>();
  for (const name of new Set(names)) {
    const text = name.length <= most ? name : `…${name.slice(1 - most)}`;
    shown.set(name, text);
    alike.set(text, [...(alike.get(text) ?? []), name]);
  }
  for (const group of alike.values()) {
    if (group.length < 2) continue;
    const [first = "", last = ""] = [group.reduce((a, b) => a < b ? a : b), group.reduce((a, b) => a > b ? a : b)];
    let shared = 0;
    while (shared < first.length && first[shared] === last[shared]) ++shared;
    const half = Math.floor((most - 1) / 2);
    const begin = Math.max(0, shared - 2);
    const cuts: Cut[] = [
      (text) => `${text.slice(0, half)}…${text.slice(half + 1 - most)}`,
      (text) => `…${text.slice(begin, begin + most - 2)}…`,
    ];
    const best = cuts.map((cut) => group.map(cut)).reduce((a, b) => new Set(b).size > new Set(a).size ? b : a);
    if (new Set(best).size > 1) group.forEach((name, i) => shown.set(name, best[i] ?? name));
  }
  return shown;
}

const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

// Characters that nobody sees, or that turn the text around them, as what they are.
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

export function plain(value: Real | undefined, count = 6): string {
  return value === undefined ? "" : digits(real(value), count);
}
