// The report as docs/comparison.schema.json defines it: the members that the page shows.
import { type Generation } from "./generation";

export type Real = number | "NaN" | "Infinity" | "-Infinity";
export type Integer = number | string;
export type Relation = "same" | "close" | "different" | "left_only" | "right_only";
export type Side = "left" | "right";
export const SIDES: readonly Side[] = ["left", "right"];

export interface Element {
  index: string;
  left: string;
  right: string;
  absolute: Real;
  relative?: Real;
  double?: string;
}

export interface Diff {
  agree: boolean;
  reason?: string;
  elements: Integer;
  beyond: Integer;
  both_nan: Integer;
  rtol: Real;
  atol: Real;
  whole?: Real;
  apart?: Real;
  fault?: string;
  max_absolute: Real;
  max_absolute_at: string;
  max_relative: Real;
  max_relative_at: string;
  same_bits?: boolean;
  mean_absolute?: Real;
  rms?: Real;
  cosine?: Real;
  sqnr_db?: Real;
  max_ulp?: Real;
  range?: Real;
  nan_left?: Integer;
  nan_right?: Integer;
  infinite_left?: Integer;
  infinite_right?: Integer;
  non_finite_disagree?: Integer;
  worst?: Element[];
}

export interface Statistics {
  min: Real;
  max: Real;
  mean: Real;
  deviation: Real;
  zeros?: Integer;
  nans?: Integer;
  infinities?: Integer;
}

export interface Result {
  kind: "INITIALIZER" | "INPUT" | "RESULT" | "OUTPUT";
  name: string;
  op_type?: string;
  domain?: string;
  node?: string;
  slot?: Integer;
  module?: string;
  source_line?: string;
  attributes?: string;
  inputs?: (number | null)[];
  captures?: (number | null)[];
  path: string[];
  source?: number;
  type: string;
  dtype?: string;
  shape?: Integer[];
  statistics?: Statistics;
}

export interface ModelSide {
  source: string;
  ran_in?: string;
  error?: string;
  bytes: Integer;
  nodes: Integer;
  operators: Integer;
  initializers: Integer;
  opsets: Record<string, Integer>;
  notes: string[];
  results: Result[];
}

export interface Slice {
  at: string;
  left: string;
  right: string;
  difference: string;
}

export interface Values {
  counted?: Integer;
  equal: Integer;
  not_finite?: Integer;
  decades: [Integer, Integer][];
  left?: Real[];
  right?: Real[];
  size?: [Integer, Integer];
  cells?: [Integer, Integer];
  scale?: [Real, Real];
  scale_of_difference?: [Real, Real];
  all_slices?: Integer;
  slices?: Slice[];
}

export interface Row {
  relation: Relation;
  left: number[];
  right: number[];
  marks: string[];
  proved?: boolean;
  proved_given?: boolean;
  differs_exactly?: boolean;
  diff?: Diff;
  values?: Values;
}

export interface Fact {
  name: string;
  left: string;
  right: string;
  differs: boolean;
}

export interface Cause {
  left: number | null;
  right: number | null;
  kind: string;
  text: string;
  repro?: string;
  count?: number;
  overflow?: boolean;
  in_body?: {
    left: number;
    right: number;
    left_path: string[];
    left_name: string;
    right_path: string[];
    right_name: string;
  };
  effect?: Real;
  certificate?: string;
  diff?: Diff;
  truth_text?: string;
  proof_text?: string;
  attributes?: Fact[];
}

export interface Output {
  left: string;
  right: string;
  type: string;
  diff: Diff;
  tolerance?: string;
  ties?: boolean;
  recorded?: boolean;
}

export interface Explanation {
  row: number;
  left: number | null;
  right: number | null;
  attributes: Fact[];
  inputs: { left: number | null; right: number | null; same_bits: boolean; diff?: Diff }[];
  diff?: Diff;
  equal: Integer;
  not_finite: Integer;
  decades: { decade: number; elements: Integer }[];
  worst: Element[];
  own?: Real;
  inherited?: Real;
}

export interface Origin {
  result: number;
  value: "nan" | "infinity";
  elements: Integer;
  reason: string;
  index?: string;
  text?: string;
}

export interface QuantizedLayer {
  result: number;
  made_by: string;
  partner?: number;
  dtype?: string;
  sqnr?: Real;
  own_sqnr?: Real;
  cost?: Real;
  saturated?: Real;
  mistake?: string;
}

export interface Proof {
  proved: boolean;
  text: string[];
  rewrites?: {
    what: string; places: Integer; finding: string; counterexample?: string; at_ends?: string;
    repro?: string;
  }[];
}

// One kind of change of the right model against the left one.
export interface Change {
  kind: "nodes" | "fused" | "split" | "changed" | "only left" | "only right";
  text: string;
  count?: Integer;
  rows?: number[];
}

export interface Report {
  verdict: "same" | "close" | "untested" | "different" | "failed";
  words?: string[];
  exit?: number;
  made_up_sets?: number;
  coverage?: { nodes: number; missing: { side: Side; op_type: string; name: string; why: string }[] };
  left: ModelSide;
  right: ModelSide;
  rows: Row[];
  causes: Cause[];
  causes_not_searched?: string;
  changes?: Change[];
  proof?: Proof;
  not_finite_left?: Origin[];
  not_finite_right?: Origin[];
  explanation?: Explanation;
  quantization?: {
    side: Side;
    layers: QuantizedLayer[];
    mistakes: { result: number; partner?: number; text: string }[];
    notes: string[];
  };
  outputs: Output[];
  outputs_left_only: string[];
  outputs_right_only: string[];
  notes: string[];
  generation?: Generation;
  page?: {
    command?: string;
    set?: number;
    set_name?: string;
    sets?: string[];
    left_out?: string[];
    repro?: { cause: number; folder: string }[];
  };
}

export function real(value: Real | undefined): number {
  return typeof value === "number" ? value : value === "Infinity" ? Infinity
    : value === "-Infinity" ? -Infinity : NaN;
}
