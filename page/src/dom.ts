// Elements made from code. Text becomes text nodes and nothing else: no name in a model is markup.
import { visible } from "./text";

export type Child = Node | string | null | undefined | false;
export type Attributes = Record<string, string | number | boolean | undefined | EventListener>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child) element.append(child);
  }
}

export function html<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag, attributes: Attributes = {}, ...children: Child[]
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

const TAIL = 18;
const MOST_HEAD = 240;

// A name in one line, of which the head gives way to the tail: tails tell names apart.
export function shortName(name: string, brief = name): HTMLElement {
  const shown = visible(brief);
  const title = visible(name.slice(0, 1000));
  let cut = Math.max(0, shown.length - TAIL);
  const code = shown.charCodeAt(cut);
  if (cut > 0 && code >= 0xdc00 && code <= 0xdfff) --cut;  // not within a character
  const head = shown.slice(0, cut);
  return html("span", { class: "name", title },
    head !== "" && html("span", { class: "head" },
      head.length > MOST_HEAD ? head.slice(0, MOST_HEAD) + "…" : head),
    html("span", { class: "tail" }, shown.slice(cut)));
}

// A name as a whole, broken where it must be.
export function wholeName(name: string): HTMLElement {
  return html("bdi", { class: "whole", dir: "ltr" }, visible(name));
}

export function button(label: string, click: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return html("button", { type: "button", click: () => click(), ...attributes }, label);
}

export function facts(pairs: [string, Child][]): HTMLElement {
  const list = html("dl", { class: "facts" });
  for (const [term, value] of pairs) {
    if (!value) continue;
    list.append(html("div", {}, html("dt", {}, term), html("dd", {}, value)));
  }
  return list;
}

function isBrief(child: Child): boolean {
  return typeof child === "string" && child.length <= 24;
}

// A table whose first row is its head; wide ones scroll by themselves.
export function table(caption: string, head: string[], rows: Child[][], numeric: number[] = []): HTMLElement {
  const cell = (tag: "td" | "th", child: Child, column: number): HTMLElement =>
    html(tag, { class: numeric.includes(column) ? "number" : isBrief(child) ? "brief" : undefined,
      scope: tag === "th" ? "col" : undefined }, child);
  return html("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": caption },
    html("table", {},
      html("caption", {}, caption),
      html("thead", {}, html("tr", {}, ...head.map((text, i) => cell("th", text, i)))),
      html("tbody", {}, ...rows.map((row) => html("tr", {}, ...row.map((child, i) => cell("td", child, i)))))));
}
