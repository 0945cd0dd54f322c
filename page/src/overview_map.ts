// A small map of a whole drawing with a frame around what is in view; a click moves the view.
import { html } from "./dom";
import { type Area, type Point } from "./viewport";

const MOST = { width: 110, height: 130 };

export class OverviewMap {
  private readonly canvas = html("canvas", { role: "img", "aria-label": "Overview" });
  private readonly frame = html("div", { class: "seen" });
  readonly element = html("div", { class: "overview", hidden: true, title: "A click moves the view" }, this.canvas, this.frame);
  private size = { width: 1, height: 1 };  // of the drawing
  private room = { width: 1, height: 1 };  // of the map

  constructor(private readonly goTo: (at: Point) => void) {
    const go = (event: PointerEvent): void => {
      const { left, top } = this.element.getBoundingClientRect();
      this.goTo({ x: (event.clientX - left) * this.size.width / this.room.width, y: (event.clientY - top) * this.size.height / this.room.height });
    };
    this.element.addEventListener("pointerdown", (event) => {
      event.stopPropagation();
      this.element.setPointerCapture(event.pointerId);
      go(event);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (event.buttons > 0) go(event);
    });
  }

  // Each way has its own scale, so that of a deep graph more than a line is seen.
  draw(boxes: (Area & { relation: string })[], width: number, height: number): void {
    this.size = { width, height };
    const scale = Math.min(MOST.width / width, MOST.height / height);
    this.room = { width: Math.min(MOST.width, Math.max(40, width * scale)), height: Math.min(MOST.height, Math.max(40, height * scale)) };
    const fine = 2;
    this.canvas.width = this.room.width * fine;
    this.canvas.height = this.room.height * fine;
    for (const element of [this.canvas, this.element]) {
      element.style.width = `${this.room.width}px`;
      element.style.height = `${this.room.height}px`;
    }
    const context = this.canvas.getContext("2d");
    if (!context) return;
    const style = getComputedStyle(document.documentElement);
    const colors: Record<string, string> = {};
    for (const [relation, name] of Object.entries({ same: "same", close: "close", different: "different", left_only: "left-only",
      right_only: "right-only", absorbed: "left-only" })) colors[relation] = style.getPropertyValue(`--${name}`);
    const [across, down] = [this.canvas.width / width, this.canvas.height / height];
    // What differs stands above what does not.
    for (const differs of [false, true]) {
      for (const box of boxes) {
        if ((box.relation !== "same") !== differs) continue;
        context.globalAlpha = differs ? 1 : 0.45;
        context.fillStyle = colors[box.relation] ?? "gray";
        const least = differs ? 3 : 1;
        context.fillRect(box.left * across, box.top * down, Math.max(least, (box.right - box.left) * across), Math.max(least, (box.bottom - box.top) * down));
      }
    }
  }

  // Hidden where nearly all is in view.
  show(area: Area): void {
    const { width, height } = this.size;
    const seen = (low: number, high: number, size: number): number => Math.max(0, Math.min(high, size) - Math.max(low, 0)) / size;
    this.element.hidden = seen(area.left, area.right, width) * seen(area.top, area.bottom, height) > 0.7;
    if (this.element.hidden) return;
    const part = (low: number, high: number, size: number, room: number): [number, number] => {
      const from = Math.max(0, Math.min(1, low / size)) * room;
      return [from, Math.max(4, Math.max(0, Math.min(1, high / size)) * room - from)];
    };
    const [left, across] = part(area.left, area.right, width, this.room.width);
    const [top, down] = part(area.top, area.bottom, height, this.room.height);
    Object.assign(this.frame.style, { left: `${left}px`, top: `${top}px`, width: `${across}px`, height: `${down}px` });
  }
}
