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

function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

function textOf(panes: HTMLElement[]): { blob: Blob; width: number; height: number } {
  const all = asOne(panes);
  return { blob: new Blob([new XMLSerializer().serializeToString(all)], { type: "image/svg+xml" }),
    width: Number(all.getAttribute("width")), height: Number(all.getAttribute("height")) };
}

export function saveDrawings(panes: HTMLElement[]): void {
  download(textOf(panes).blob, "graphs.svg");
}

// Browsers draw no larger pictures.
const MOST_PIXELS = 8192;

// The same for who takes no SVG, twice as fine as it is shown.
export async function savePng(panes: HTMLElement[]): Promise<void> {
  const { blob, width, height } = textOf(panes);
  const url = URL.createObjectURL(blob);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const scale = Math.min(2, MOST_PIXELS / Math.max(width, height));
    const canvas = Object.assign(document.createElement("canvas"), { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
    const context = canvas.getContext("2d");
    if (!context) return;
    context.fillStyle = getComputedStyle(document.body).backgroundColor;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    const png = await new Promise<Blob | null>((done) => { canvas.toBlob(done, "image/png"); });
    if (png) download(png, "graphs.png");
  } finally {
    URL.revokeObjectURL(url);
  }
}
