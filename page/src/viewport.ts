// Panning and zooming of panes that show the same place.
export interface Point {
  x: number;
  y: number;
}

export interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const LEAST_SCALE = 0.72;  // at which names can be read

export class Viewport {
  private view = { x: 0, y: 0, scale: 1 };
  private size = { width: 0, height: 0 };

  // `moved`: is called after each change. `zooms`: the wheel does so without a key.
  constructor(private readonly frame: HTMLElement, private readonly pane: HTMLElement,
    private readonly zooms: boolean, private readonly moved: () => void) {
    this.listen();
    if (zooms) new ResizeObserver(() => this.moved()).observe(pane);
  }

  show(width: number, height: number): void {
    this.size = { width, height };
    this.moved();
  }

  get scale(): number {
    return this.view.scale;
  }

  // Of a pane whose drawing lies so far to the left.
  transform(shift: number): string {
    return `translate(${this.view.x - shift * this.view.scale} ${this.view.y}) scale(${this.view.scale})`;
  }

  // What is in view, in the drawing's units.
  area(): Area {
    const { width, height } = this.room();
    const { x, y, scale } = this.view;
    return { left: -x / scale, top: -y / scale, right: (width - x) / scale, bottom: (height - y) / scale };
  }

  onScreen(at: Point): Point {
    return { x: at.x * this.view.scale + this.view.x, y: at.y * this.view.scale + this.view.y };
  }

  // The visible part stays in place while other parts are added.
  keep(at: Point, screen: Point): void {
    this.view.x = screen.x - at.x * this.view.scale;
    this.view.y = screen.y - at.y * this.view.scale;
    this.moved();
  }

  zoom(by: number, event?: MouseEvent): void {
    const room = this.room();
    const pane = (event?.target as Element | undefined)?.closest(".pane")?.getBoundingClientRect();
    const x = event && pane ? event.clientX - pane.left : room.width / 2;
    const y = event && pane ? event.clientY - pane.top : room.height / 2;
    const least = Math.min(0.05, room.height / (this.size.height + 1), room.width / (this.size.width + 1));
    const scale = Math.min(3, Math.max(least, this.view.scale * by));
    const ratio = scale / this.view.scale;
    this.view = { scale, x: x - (x - this.view.x) * ratio, y: y - (y - this.view.y) * ratio };
    this.moved();
  }

  fit(): void {
    const room = this.room();
    const scale = Math.min(1, room.width / this.size.width, room.height / this.size.height);
    this.view = { scale, x: (room.width - scale * this.size.width) / 2, y: (room.height - scale * this.size.height) / 2 };
    this.moved();
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
    this.moved();
  }

  // A place in the middle, as large as it is unless that cannot be read.
  center(at: Point, readable = true): void {
    const room = this.room();
    const scale = readable ? Math.max(LEAST_SCALE, this.view.scale) : this.view.scale;
    const drawn = scale * this.size.height;
    // No empty room above or below what is taller than the pane.
    const y = drawn <= room.height ? (room.height - drawn) / 2 : Math.min(8, Math.max(room.height - drawn - 8, room.height / 2 - at.y * scale));
    this.view = { scale, x: room.width / 2 - at.x * scale, y };
    this.moved();
  }

  // What a key does, if it does anything.
  key(name: string): boolean {
    const moves: Record<string, [number, number]> = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    const move = moves[name];
    if (move) this.move(move[0], move[1]);
    else if (name === "+" || name === "=") this.zoom(1.3);
    else if (name === "-") this.zoom(1 / 1.3);
    else if (name === "0") this.fit();
    else return false;
    return true;
  }

  private move(x: number, y: number): void {
    this.view.x += x;
    this.view.y += y;
    this.moved();
  }

  private room(): { width: number; height: number } {
    return { width: this.pane.clientWidth || 1, height: this.pane.clientHeight || 1 };
  }

  private listen(): void {
    let from: Point | undefined;
    this.frame.addEventListener("pointerdown", (event) => {
      if ((event.target as Element).closest("[role=button], .overview")) return;
      from = { x: event.clientX, y: event.clientY };
      this.frame.setPointerCapture(event.pointerId);
    });
    this.frame.addEventListener("pointermove", (event) => {
      if (!from) return;
      this.move(event.clientX - from.x, event.clientY - from.y);
      from = { x: event.clientX, y: event.clientY };
    });
    for (const end of ["pointerup", "pointercancel"]) this.frame.addEventListener(end, () => (from = undefined));
    this.frame.addEventListener("wheel", (event) => {
      if (!this.zooms && !event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoom(Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) * 0.004), event);
    }, { passive: false });
  }
}
