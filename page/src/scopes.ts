// All nodes as a tree: by the bodies and functions that they are in, then by the modules that their
// exporter noted or the scopes in their names, and what is still too much by their order.
import { type LayoutTask } from "./layout";
import { type Relation } from "./report";

export interface Scope {
  id: string;
  label: string;
  parent: Scope | undefined;
  scopes: Scope[];
  keys: number[];  // its own nodes; those of scopes are theirs
  first: number;   // the row of the first node in it
  count: Record<Relation, number>;
  panes: Set<string>;
  causes: number;
}

// A node, known by a key.
export interface Scoped {
  key: number;
  parts: string[];  // the scopes that it is in
  row: number;
  relation: Relation;
  panes: string[];
  causes: number;
}

const MOST_IN_ONE = 40;

export class ScopeTree {
  readonly root: Scope = newScope("", "", undefined);
  private readonly scopeOf = new Map<number, Scope>();

  constructor(nodes: Iterable<Scoped>) {
    const byId = new Map<string, Scope>([["", this.root]]);
    const byKey = new Map<number, Scoped>();
    for (const node of nodes) {
      byKey.set(node.key, node);
      let scope = this.root;
      for (const part of node.parts) {
        const id = `${scope.id}/${part}`;
        let next = byId.get(id);
        if (!next) {
          next = newScope(id, part, scope);
          scope.scopes.push(next);
          byId.set(id, next);
        }
        scope = next;
      }
      scope.keys.push(node.key);
    }
    simplify(this.root);
    split(this.root, (key) => byKey.get(key)?.row ?? 0);
    this.sum(this.root, byKey);
  }

  // The innermost that a node is in; undefined if it is in none, as constants.
  of(key: number): Scope | undefined {
    return this.scopeOf.get(key);
  }

  // Those around a node, from the inside, with the root.
  around(key: number): Scope[] {
    const all: Scope[] = [];
    for (let scope = this.of(key); scope; scope = scope.parent) all.push(scope);
    return [this.root, ...all];
  }

  private sum(scope: Scope, byKey: Map<number, Scoped>): void {
    for (const key of scope.keys) {
      this.scopeOf.set(key, scope);
      const node = byKey.get(key);
      if (!node) continue;
      scope.first = Math.min(scope.first, node.row);
      ++scope.count[node.relation];
      for (const pane of node.panes) scope.panes.add(pane);
      scope.causes += node.causes;
    }
    for (const inner of scope.scopes) {
      this.sum(inner, byKey);
      scope.first = Math.min(scope.first, inner.first);
      scope.causes += inner.causes;
      for (const [relation, count] of Object.entries(inner.count)) scope.count[relation as Relation] += count;
      for (const pane of inner.panes) scope.panes.add(pane);
    }
  }
}

// The drawn units: nodes by their keys, closed and open scopes by their ids.
export interface Units {
  nodes: Map<string, number>;
  closed: Map<string, Scope>;
  open: Map<string, Scope>;
  unitOf(key: number): string | undefined;
  groupOf(key: number): string | undefined;  // the open scope around it
}

// Of a tree of which these are open.
export function unitsOf(tree: ScopeTree, opened: ReadonlySet<Scope>): Units {
  const group = (scope: Scope | undefined): string | undefined => scope && scope !== tree.root ? `s${scope.id}` : undefined;
  const units: Units = { nodes: new Map(), closed: new Map(), open: new Map(), groupOf: (key) => group(tree.of(key)),
    unitOf: (key) => {
      let scope = tree.of(key);
      if (!scope) return undefined;
      let unit = String(key);
      for (; scope; scope = scope.parent) if (!opened.has(scope)) unit = `s${scope.id}`;
      return unit;
    } };
  const look = (scope: Scope): void => {
    if (scope !== tree.root) units.open.set(`s${scope.id}`, scope);
    for (const key of scope.keys) units.nodes.set(String(key), key);
    for (const inner of scope.scopes) {
      if (opened.has(inner)) look(inner);
      else units.closed.set(`s${inner.id}`, inner);
    }
  };
  look(tree.root);
  return units;
}

export interface Size {
  width: number;
  height: number;
}

// Of each edge: the keys of its ends, and the panes that have it.
export type Edges = Iterable<[number, number, Iterable<string>]>;

// `panes`: those that have each edge of the task.
export function taskOf(units: Units, sizeOf: (key: number) => Size, closed: Size, edges: Edges): { task: LayoutTask; panes: Set<string>[] } {
  const groupOf = (scope: Scope | undefined): string | undefined => scope && units.open.has(`s${scope.id}`) ? `s${scope.id}` : undefined;
  const found = new Map<string, { ends: [string, string]; panes: Set<string> }>();
  for (const [before, key, of] of edges) {
    const [from, to] = [units.unitOf(before), units.unitOf(key)];
    if (from === undefined || to === undefined || from === to) continue;
    const edge = found.get(`${from}\n${to}`) ?? { ends: [from, to], panes: new Set() };
    for (const pane of of) edge.panes.add(pane);
    found.set(`${from}\n${to}`, edge);
  }
  const all = [...found.values()];
  return {
    task: {
      nodes: [
        ...[...units.nodes].map(([id, key]) => ({ id, ...sizeOf(key), group: units.groupOf(key) })),
        ...[...units.closed].map(([id, scope]) => ({ id, ...closed, group: groupOf(scope.parent) })),
      ],
      groups: [...units.open].map(([id, scope]) => ({ id, group: groupOf(scope.parent) })),
      edges: all.map(({ ends }) => ends),
    },
    panes: all.map(({ panes }) => panes),
  };
}

function newScope(id: string, label: string, parent: Scope | undefined): Scope {
  return { id, label, parent, scopes: [], keys: [], first: Infinity, panes: new Set(), causes: 0,
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
function split(scope: Scope, rowOf: (key: number) => number): void {
  for (const inner of scope.scopes) split(inner, rowOf);
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
