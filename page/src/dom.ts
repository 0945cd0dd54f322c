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

// The place itself, or the one before if it is within a character.
function notWithin(text: string, place: number): number {
  const code = text.charCodeAt(place);
  return place > 0 && code >= 0xdc00 && code <= 0xdfff ? place - 1 : place;
}

const TAIL = 18;
const MOST_HEAD = 240;

// A name in one line, of which the head gives way to the tail: tails tell names apart.
export function shortName(name: string, brief = name): HTMLElement {
  const shown = visible(brief);
  const title = visible(name.slice(0, 1000));
  const cut = notWithin(shown, Math.max(0, shown.length - TAIL));
  const head = shown.slice(0, cut);
  return html("span", { class: "name", title },
    head !== "" && html("span", { class: "head" },
      head.length > MOST_HEAD ? head.slice(0, MOST_HEAD) + "…" : head),
    html("span", { class: "tail" }, shown.slice(cut)));
}

const MOST_OF_NAME = 400;

// A name as a whole, broken where it must be; nobody reads one of pages before being asked.
export function wholeName(name: string): HTMLElement {
  const element = html("bdi", { class: "whole", dir: "ltr" });
  if (name.length <= MOST_OF_NAME) {
    element.append(visible(name));
    return element;
  }
  const more = button(`… all ${name.length} characters`, () => element.replaceChildren(visible(name)), { class: "more" });
  element.append(visible(name.slice(0, notWithin(name, MOST_OF_NAME / 2))), more,
    visible(name.slice(notWithin(name, name.length - MOST_OF_NAME / 2))));
  return element;
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

// A table whose first row is its head, without columns that say nothing; wide ones scroll by themselves.
export function table(caption: string, head: string[], all: Child[][], numeric: number[] = []): HTMLElement {
  const kept = head.map((_, column) => all.some((row) => row[column]));
  const cell = (tag: "td" | "th", child: Child, column: number): HTMLElement =>
    html(tag, { class: numeric.includes(column) ? "number" : isBrief(child) ? "brief" : undefined,
      scope: tag === "th" ? "col" : undefined }, child);
  return html("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": caption },
    html("table", {},
      html("caption", {}, caption),
      html("thead", {}, html("tr", {}, ...head.map((text, i) => kept[i] && cell("th", text, i)))),
      html("tbody", {}, ...all.map((row) => html("tr", {}, ...row.map((child, i) => kept[i] && cell("td", child, i)))))));
}

// After the first paint, when nothing else is to be done.
export function whenIdle(act: () => void): void {
  // Safari has no such callback.
  if (typeof window.requestIdleCallback === "function") window.requestIdleCallback(act, { timeout: 2000 });
  else window.setTimeout(act, 300);
}
