// Both drawings as one file, which shows them without this page.
import { svg } from "./dom";

const GAP = 40;

// The drawings of both panes side by side, as they are drawn, with the styles of the page.
function asOne(panes: HTMLElement[]): SVGSVGElement {
  const drawings = panes.map((pane) => pane.querySelector("svg")).filter((one) => one !== null);
  const size = (one: SVGSVGElement, name: string): number => Number(one.getAttribute(name));
  const height = Math.max(...drawings.map((one) => size(one, "height")), 1);
  const all = svg("svg", { class: "graph", height }, svg("style", {}, document.querySelector("style")?.textContent ?? ""));
  let left = 0;
  for (const drawing of drawings) {
    const copy = drawing.cloneNode(true) as SVGSVGElement;
    for (const open of copy.querySelectorAll(".expander")) open.remove();
    copy.removeAttribute("style");
    copy.setAttribute("x", String(left));
    all.append(copy);
    left += size(drawing, "width") + GAP;
  }
  all.setAttribute("width", String(left));
  all.setAttribute("viewBox", `0 0 ${left} ${height}`);
  return all;
}

export function saveDrawings(panes: HTMLElement[]): void {
  const text = new XMLSerializer().serializeToString(asOne(panes));
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "graphs.svg";
  link.click();
  URL.revokeObjectURL(url);
}
