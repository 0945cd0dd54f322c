// The page: reads the report that the document holds and shows it.
import { changesSection } from "./changes";
import { Comparison } from "./comparison";
import { button, html, whenIdle } from "./dom";
import { type Drawing, DrawingView } from "./drawing";
import { generationSection } from "./generation";
import { GraphView } from "./graph";
import { LayoutService, isWorker, ownSource, serveLayouts } from "./layout_worker";
import { OverviewSection, isOverview } from "./overview";
import { GrowthPlot } from "./plot";
import { type Report } from "./report";
import { Results } from "./results";
import {
  type Actions, causesSection, isNotFiniteNews, modelsSection, notFiniteSection, outputsSection, quantizationSection, verdictSection,
} from "./summary";

function readData(id: string): unknown {
  return JSON.parse(document.getElementById(id)?.textContent ?? "null");
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Some browsers give no clipboard to pages from a file.
    const area = html("textarea", { class: "unseen", "aria-hidden": "true", tabindex: -1 });
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}

function themeButton(): HTMLButtonElement {
  const root = document.documentElement;
  const isDark = (): boolean => root.dataset.theme === "dark" ||
    (root.dataset.theme === undefined && matchMedia("(prefers-color-scheme: dark)").matches);
  const toggle = button("", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    toggle.textContent = isDark() ? "Light" : "Dark";
  }, { class: "theme" });
  toggle.textContent = isDark() ? "Light" : "Dark";
  return toggle;
}

// One comparison on the page, and what keys and links do in it.
interface Shown {
  parts: HTMLElement[];
  pane: HTMLElement;  // details of the row that is looked at
  toRow(row: number): void;
  key(event: KeyboardEvent): void;
}

function showComparison(report: Report, service: LayoutService, say: (text: string) => void): Shown {
  const comparison = new Comparison(report);
  const actions: Actions = {
    showRow: (row) => results.reveal(row),
    showInGraph: (row) => graph.showRow(row),
    showPlaces: (rows, what, side) => graph.showPlaces(rows, what, side),
    copy: (text, done) => void copyText(text).then((copied) => say(copied ? done : "This browser does not let a page copy.")),
  };
  const results: Results = new Results(comparison, actions);
  const graph: GraphView = new GraphView(comparison, actions, service);
  const toRow = (row: number): void => {
    results.reveal(row);
    results.element.scrollIntoView({ block: "start" });
    results.focus();
    history.replaceState(null, "", `#row-${row}`);
  };
  const prepare = (): void => {
    if (results.prepare()) whenIdle(prepare);
  };
  whenIdle(prepare);
  const plot = new GrowthPlot(comparison, toRow);
  const hasRows = report.rows.length > 0;
  const notFinite = notFiniteSection(comparison);
  const isNews = isNotFiniteNews(comparison);
  const causes = causesSection(comparison, actions);
  const changes = changesSection(comparison, actions);
  // Where two models agree, what changed is the news.
  const news = causes instanceof HTMLElement ? causes : changes;
  const parts = [
    verdictSection(comparison), generationSection(report.generation),
    hasRows ? html("div", { class: news ? "first-screen" : "" }, news, graph.element) : news,
    isNews && notFinite, changes !== news && changes, modelsSection(comparison, actions),
    ...(hasRows ? [plot.element, quantizationSection(comparison), results.element] : []),
    outputsSection(comparison), !isNews && notFinite,
  ];
  return {
    pane: results.pane,
    parts: parts.filter((part): part is HTMLElement => part instanceof HTMLElement),
    toRow,
    key: (event) => handleKey(event, results, (row) => graph.showRow(row)),
  };
}

// Models alone, as `onnxcmp show` has them.
function showModels(drawing: Drawing, service: LayoutService, main: HTMLElement): void {
  const view = new DrawingView(drawing, service, true);
  document.body.classList.add("graphs-alone");
  main.append(html("h1", {}, document.title.replace(/ - onnxcmp show$/, "")), view.element);
  document.body.append(view.pane);
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || target.closest("input, select")) return;
    if (event.key === "/") view.board.search.focus();
    else if (event.key === "Escape") view.close();
    else if (!view.board.key(event.key)) return;
    event.preventDefault();
  });
}

function start(): void {
  const service = new LayoutService(ownSource());
  const toast = html("div", { class: "toast", role: "status" });
  let timer = 0;
  const say = (text: string): void => {
    toast.textContent = text;
    clearTimeout(timer);
    timer = window.setTimeout(() => (toast.textContent = ""), 4000);
  };
  const main = html("main");
  const skip = html("a", { class: "skip", href: "#results" }, "To the table");
  document.body.prepend(skip, html("header", { class: "top" }, html("span", {}, "onnxcmp"), themeButton()));
  document.body.append(main, toast);
  const data = readData("onnxcmp");
  const drawn = readData("onnxcmp-graphs") as Drawing | null;
  if (data === null && drawn !== null) {
    skip.hidden = true;
    showModels(drawn, service, main);
    return;
  }
  let shown!: Shown;
  const begin = (report: Report): HTMLElement[] => {
    const before = shown as Shown | undefined;
    before?.pane.remove();
    document.body.classList.remove("with-details");
    shown = showComparison(report, service, say);
    document.body.append(shown.pane);
    return shown.parts;
  };
  if (isOverview(data)) {
    const below = html("div", { class: "step" });
    const show = (step: number): void => {
      const parts = begin(readData(`onnxcmp-${step}`) as Report);
      below.replaceChildren(html("h2", { class: "part" }, view.titleOf(step)), ...parts);
      view.mark(step);
    };
    const view = new OverviewSection(data, show);
    main.append(view.element);
    if (drawn !== null) {
      const models = new DrawingView(drawn, service, false);
      main.append(html("h2", { class: "part" }, "All models, side by side"), models.element);
      document.body.append(models.pane);
    }
    main.append(below);
    show(view.first);
  } else {
    main.append(...begin(data as Report));
  }
  skip.hidden = document.getElementById("results") === null;
  const follow = (): void => {
    const row = /^#row-(\d+)$/.exec(location.hash)?.[1];
    if (row !== undefined) shown.toRow(Number(row));
  };
  document.addEventListener("keydown", (event) => shown.key(event));
  // A link to the row where one is already changes nothing that an event would tell.
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest("a[href^='#row-']");
    const row = link && /^#row-(\d+)$/.exec(link.getAttribute("href") ?? "")?.[1];
    if (row === null || row === undefined) return;
    event.preventDefault();
    shown.toRow(Number(row));
  });
  window.addEventListener("hashchange", follow);
  requestAnimationFrame(follow);
}

function handleKey(event: KeyboardEvent, results: Results, showInGraph: (row: number) => void): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (target.closest("input, select, textarea")) return;
  const onControl = target.closest("a, button, summary, [role=button]") !== null;
  const keys: Record<string, () => void> = {
    "/": () => {
      results.search.focus();
      results.search.select();
    },
    j: () => results.step(1),
    k: () => results.step(-1),
    n: () => results.nextDifference(1),
    p: () => results.nextDifference(-1),
    g: () => results.selected >= 0 && showInGraph(results.selected),
    Enter: () => results.openSelected(),
    Escape: () => results.close(),
  };
  const act = keys[event.key];
  if (!act || (event.key === "Enter" && onControl)) return;
  event.preventDefault();
  act();
}

if (isWorker()) serveLayouts();
else start();
