// All results as a tree: by the bodies and functions that they are in, then by the modules that
// their exporter noted or the scopes in their names, and what is still too much by their order.
import { type Comparison } from "./comparison";
import { partsOf } from "./groups";
import { type JointGraph } from "./joint";
import { type Relation, type Side, SIDES } from "./report";

export interface Scope {
  id: string;
  label: string;
  parent: Scope | undefined;
  scopes: Scope[];
  keys: number[];  // its own nodes; those of scopes are theirs
  first: number;   // the row of the first node in it
  count: Record<Relation, number>;
  sides: Set<Side>;
  causes: number;
}

const MOST_IN_ONE = 40;

export class ScopeTree {
  readonly root: Scope = newScope("", "", undefined);
  private readonly scopeOf = new Map<number, Scope>();

  constructor(comparison: Comparison, joint: JointGraph) {
    const byId = new Map<string, Scope>([["", this.root]]);
    for (const key of joint.keys()) {
      const node = joint.node(key);
      if (!node || joint.isPlain(key)) continue;
      const result = joint.result("left", node) ?? joint.result("right", node);
      let scope = this.root;
      for (const part of partsOf(result)) {
        const id = `${scope.id}/${part}`;
        let next = byId.get(id);
        if (!next) {
          next = newScope(id, part, scope);
          scope.scopes.push(next);
          byId.set(id, next);
        }
        scope = next;
      }
      scope.keys.push(key);
    }
    simplify(this.root);
    split(this.root, joint);
    this.sum(this.root, comparison, joint);
  }

  // The innermost that a node is in; undefined if it is in none, as constants.
  of(key: number): Scope | undefined {
    return this.scopeOf.get(key);
  }

  private sum(scope: Scope, comparison: Comparison, joint: JointGraph): void {
    for (const key of scope.keys) {
      this.scopeOf.set(key, scope);
      const node = joint.node(key);
      if (!node) continue;
      scope.first = Math.min(scope.first, node.row);
      ++scope.count[node.absorbed ? comparison.row(node.row)?.relation ?? "same" : node.relation];
      for (const side of SIDES) if (node[side] !== undefined) scope.sides.add(side);
      if (!node.absorbed) scope.causes += comparison.causesAt(node.row).length;
    }
    for (const inner of scope.scopes) {
      this.sum(inner, comparison, joint);
      scope.first = Math.min(scope.first, inner.first);
      scope.causes += inner.causes;
      for (const [relation, count] of Object.entries(inner.count)) scope.count[relation as Relation] += count;
      for (const side of inner.sides) scope.sides.add(side);
    }
  }
}

function newScope(id: string, label: string, parent: Scope | undefined): Scope {
  return { id, label, parent, scopes: [], keys: [], first: Infinity, sides: new Set(), causes: 0,
    count: { same: 0, close: 0, different: 0, left_only: 0, right_only: 0 } };
}

// A scope that has but another one, or one node, tells nothing by itself.
function simplify(scope: Scope): void {
  const inner: Scope[] = [];
  for (let one of scope.scopes) {
    let label = one.label;
    while (one.keys.length === 0 && one.scopes.length === 1) {
      one = one.scopes[0] as Scope;
      label += `/${one.label}`;
    }
    one.label = label;
    one.parent = scope;
    simplify(one);
    if (one.scopes.length === 0 && one.keys.length <= 1) scope.keys.push(...one.keys);
    else inner.push(one);
  }
  scope.scopes = inner;
}

// Nobody reads a drawing of hundreds of nodes that stand in no scope: they get some by their order.
function split(scope: Scope, joint: JointGraph): void {
  for (const inner of scope.scopes) split(inner, joint);
  const rowOf = (key: number): number => joint.node(key)?.row ?? 0;
  scope.keys.sort((a, b) => rowOf(a) - rowOf(b));
  if (scope.keys.length <= MOST_IN_ONE) return;
  let level: Scope[] = [];
  const size = Math.ceil(scope.keys.length / Math.ceil(scope.keys.length / MOST_IN_ONE));
  for (let begin = 0; begin < scope.keys.length; begin += size) {
    const keys = scope.keys.slice(begin, begin + size);
    const part = newScope(`${scope.id}/#${begin}`, `rows ${rowOf(keys[0] ?? 0)}–${rowOf(keys.at(-1) ?? 0)}`, scope);
    part.keys = keys;
    level.push(part);
  }
  for (let depth = 0; level.length > MOST_IN_ONE; ++depth) {
    const above: Scope[] = [];
    for (let begin = 0; begin < level.length; begin += MOST_IN_ONE) {
      const parts = level.slice(begin, begin + MOST_IN_ONE);
      const [head] = parts;
      const tail = parts.at(-1);
      if (!head || !tail) continue;
      const ends = [head.label.replace(/–.*/, ""), tail.label.replace(/.*–/, "")];
      const whole = newScope(`${scope.id}/#${depth}:${begin}`, ends.join("–"), scope);
      whole.scopes = parts;
      for (const part of parts) part.parent = whole;
      above.push(whole);
    }
    level = above;
  }
  scope.keys = [];
  scope.scopes.push(...level);
}
