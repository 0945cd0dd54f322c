// Layout beside the page, so that it stays at hand: the page's own script once more, as a worker.
import { type Layout, type LayoutTask, layOut } from "./layout";

// So many nodes take no longer than starting a worker.
const AT_ONCE = 60;

interface Request {
  number: number;
  task: LayoutTask;
}

interface Answer {
  number: number;
  layout?: Layout;
  error?: string;
}

export function isWorker(): boolean {
  return typeof document === "undefined";
}

export function serveLayouts(): void {
  const scope = globalThis as unknown as { onmessage: (event: MessageEvent<Request>) => void; postMessage(answer: Answer): void };
  scope.onmessage = ({ data: { number, task } }) => {
    try {
      scope.postMessage({ number, layout: layOut(task) });
    } catch (error) {
      scope.postMessage({ number, error: String(error) });
    }
  };
  scope.postMessage({ number: -1 });  // it is there
}

// Call while the script runs for the first time: later nobody knows which one it was.
export function ownSource(): string {
  return document.currentScript?.textContent ?? "";
}

export class LayoutService {
  private worker: Worker | undefined;
  private failed = false;
  private readonly waiting = new Map<number, { task: LayoutTask; resolve: (layout: Layout) => void; reject: (error: Error) => void }>();
  private next = 0;

  constructor(private readonly source: string) {}

  // Rejects where a graph is too deep for the library.
  async layOut(task: LayoutTask): Promise<Layout> {
    const worker = task.nodes.length > AT_ONCE ? this.start() : undefined;
    if (!worker) return layOut(task);
    const number = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { task, resolve, reject });
      worker.postMessage({ number, task });
    });
  }

  // Nothing where the browser lets a page from a file have none.
  private start(): Worker | undefined {
    if (this.worker || this.failed || this.source === "") return this.worker;
    try {
      const url = URL.createObjectURL(new Blob([this.source], { type: "text/javascript" }));
      this.worker = new Worker(url);
    } catch {
      this.giveUp();
      return undefined;
    }
    this.worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.giveUp();
    });
    this.worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
      const asked = this.waiting.get(data.number);
      this.waiting.delete(data.number);
      if (data.layout) asked?.resolve(data.layout);
      else asked?.reject(new Error(data.error));
    });
    return this.worker;
  }

  // Pending work is done here.
  private giveUp(): void {
    this.failed = true;
    this.worker?.terminate();
    this.worker = undefined;
    for (const { task, resolve, reject } of this.waiting.values()) {
      try {
        resolve(layOut(task));
      } catch (error) {
        reject(error as Error);
      }
    }
    this.waiting.clear();
  }
}
