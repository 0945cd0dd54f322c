// Panning and zooming of two panes that show the same place.
export interface Point {
  x: number;
  y: number;
}

const LEAST_SCALE = 0.72;  // at which names can be read

export class Viewport {
  private view = { x: 0, y: 0, scale: 1 };
  private size = { width: 0, height: 0 };
  private drawings: SVGSVGElement[] = [];

  constructor(private readonly frame: HTMLElement, private readonly pane: HTMLElement) {
    this.listen();
  }

  show(drawings: SVGSVGElement[], width: number, height: number): void {
    this.drawings = drawings;
    this.size = { width, height };
    this.place();
  }

  onScreen(at: Point): Point {
    return { x: at.x * this.view.scale + this.view.x, y: at.y * this.view.scale + this.view.y };
  }

  // The visible part stays in place while other parts are added.
  keep(at: Point, screen: Point): void {
    this.view.x = screen.x - at.x * this.view.scale;
    this.view.y = screen.y - at.y * this.view.scale;
    this.place();
  }

  zoom(by: number, event?: MouseEvent): void {
    const room = this.room();
    const pane = (event?.target as Element | undefined)?.closest(".pane")?.getBoundingClientRect();
    const x = event && pane ? event.clientX - pane.left : room.width / 2;
    const y = event && pane ? event.clientY - pane.top : room.height / 2;
    const scale = Math.min(3, Math.max(0.05, this.view.scale * by));
    const ratio = scale / this.view.scale;
    this.view = { scale, x: x - (x - this.view.x) * ratio, y: y - (y - this.view.y) * ratio };
    this.place();
  }

  fit(): void {
    const room = this.room();
    const scale = Math.min(1, room.width / this.size.width, room.height / this.size.height);
    this.view = { scale, x: (room.width - scale * this.size.width) / 2, y: (room.height - scale * this.size.height) / 2 };
    this.place();
  }

  // As a whole if that can be read, or else around a place.
  lookAt(at: Point): void {
    const room = this.room();
    const scale = Math.min(1, Math.max(LEAST_SCALE, Math.min(room.width / this.size.width, room.height / this.size.height)));
    const start = (length: number, most: number, middle: number): number => {
      const drawn = scale * length;
      return drawn <= most ? (most - drawn) / 2 : Math.min(8, Math.max(most - drawn - 8, most / 2 - scale * middle));
    };
    this.view = { scale, x: start(this.size.width, room.width, at.x), y: start(this.size.height, room.height, at.y) };
    this.place();
  }

  private room(): { width: number; height: number } {
    return { width: this.pane.clientWidth, height: this.pane.clientHeight };
  }

  private place(): void {
    for (const drawing of this.drawings) {
      drawing.style.transform = `translate(${this.view.x}px, ${this.view.y}px) scale(${this.view.scale})`;
    }
  }

  private listen(): void {
    let from: Point | undefined;
    this.frame.addEventListener("pointerdown", (event) => {
      if ((event.target as Element).closest("[role=button]")) return;
      from = { x: event.clientX - this.view.x, y: event.clientY - this.view.y };
      this.frame.setPointerCapture(event.pointerId);
    });
    this.frame.addEventListener("pointermove", (event) => {
      if (!from) return;
      this.view.x = event.clientX - from.x;
      this.view.y = event.clientY - from.y;
      this.place();
    });
    for (const end of ["pointerup", "pointercancel"]) this.frame.addEventListener(end, () => (from = undefined));
    this.frame.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event);
    }, { passive: false });
    this.frame.addEventListener("keydown", (event) => {
      const moves: Record<string, [number, number]> = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
      const move = moves[event.key];
      if (move) {
        this.view.x += move[0];
        this.view.y += move[1];
        this.place();
      } else if (event.key === "+" || event.key === "=") {
        this.zoom(1.3);
      } else if (event.key === "-") {
        this.zoom(1 / 1.3);
      } else {
        return;
      }
      event.preventDefault();
    });
  }
}
