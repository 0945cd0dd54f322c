// Drawings as one file, which shows them without this page.
import { svg } from "./dom";

const GAP = 40;

// Drawings side by side, with the styles of the page.
function asOne(drawings: SVGSVGElement[]): SVGSVGElement {
  const size = (one: SVGSVGElement, name: string): number => Number(one.getAttribute(name));
  const height = Math.max(...drawings.map((one) => size(one, "height")), 1);
  const all = svg("svg", { class: "graph", height }, svg("style", {}, document.querySelector("style")?.textContent ?? ""));
  let left = 0;
  for (const drawing of drawings) {
    for (const open of drawing.querySelectorAll(".expander")) open.remove();
    drawing.setAttribute("x", String(left));
    all.append(drawing);
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

function textOf(drawings: SVGSVGElement[]): { blob: Blob; width: number; height: number } {
  const all = asOne(drawings);
  return { blob: new Blob([new XMLSerializer().serializeToString(all)], { type: "image/svg+xml" }),
    width: Number(all.getAttribute("width")), height: Number(all.getAttribute("height")) };
}

export function saveDrawings(drawings: SVGSVGElement[]): void {
  download(textOf(drawings).blob, "graphs.svg");
}

// Browsers draw no larger pictures.
const MOST_PIXELS = 8192;

// The same for who takes no SVG, twice as fine as it is shown.
export async function savePng(drawings: SVGSVGElement[]): Promise<void> {
  const { blob, width, height } = textOf(drawings);
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
