// What the tests of the page share: a browser, pages that the program wrote, reports made by hand.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const project = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const folder = mkdtempSync(join(tmpdir(), "onnxcmp-page-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

export function testData(name) {
  return join(project, "testdata", name);
}

// A model of the test data with this put in place of that.
export function changedModel(name, from, to) {
  const text = readFileSync(testData(name), "utf8");
  if (!text.includes(from)) throw new Error(`${name} has no ${from}`);
  const file = join(folder, `changed${Math.random()}.onnxtxt`);
  writeFileSync(file, text.replace(from, to));
  return file;
}

// The file of the page that the program writes for two models.
export function pageOf(left, right, ...options) {
  const file = join(folder, `page${Math.random()}.html`);
  try {
    execFileSync(process.env.ONNXCMP, [left, right, "--html", file, ...options], { stdio: "pipe" });
  } catch (error) {
    if (error.status !== 1) throw error;
  }
  return file;
}

let shell;
// The same page with another report, as the program would write it.
// `parts`: the reports of a document that has several.
export function pageWith(report, parts = []) {
  shell ??= readFileSync(pageOf(testData("fusions/BiasGelu.standard.onnxtxt"),
    testData("fusions/BiasGelu.fused.onnxtxt")), "utf8");
  const escaped = (data) => JSON.stringify(data).replaceAll("<", "\\u003c");
  const json = escaped(report);
  const others = parts.map((part, i) => `<script type="application/json" id="onnxcmp-${i}">${escaped(part)}</script>`).join("");
  const text = shell
    .replace(/(<script type="application\/json" id="onnxcmp">)[^<]*<\/script>/, (_, tag) => `${tag}${json}</script>${others}`)
    .replace(/data-verdict="\w+"/, `data-verdict="${report.verdict}"`);
  const file = join(folder, `made${Math.random()}.html`);
  writeFileSync(file, text);
  return file;
}

export function diffOf(absolute, agree) {
  return { agree, elements: 64, beyond: agree ? 0 : 3, both_nan: 0, rtol: 1e-4, atol: 1e-6, whole: 2e-5,
    max_absolute: absolute, max_absolute_at: "[0,1]", max_relative: absolute, max_relative_at: "[0,1]",
    cosine: 1, sqnr_db: absolute === 0 ? "Infinity" : -20 * Math.log10(absolute), max_ulp: 3, range: 2,
    worst: [{ index: "[0,1]", left: "1", right: "2", absolute, relative: absolute }] };
}

// A chain of so many nodes whose results differ from row `from` on; `name` names them.
export function chainReport(length, from = length, name = (i) => `/layer.${Math.floor(i / 10)}/node_${i}`) {
  const statistics = { min: -1, max: 1, mean: 0, deviation: 0.5, zeros: 0, nans: 0, infinities: 0 };
  const results = () => Array.from({ length }, (_, i) => ({
    kind: i === 0 ? "INPUT" : "RESULT", name: name(i), ...(i > 0 ? { op_type: i % 3 ? "Add" : "MatMul", node: `n${i}`, inputs: [i - 1] } : {}),
    path: [], depth: 0, type: "float[8,8]", dtype: "float32", shape: [8, 8], elements: 64, letters: "????", statistics,
  }));
  const side = (source) => ({ source, bytes: 1000, nodes: length - 1, operators: 2, initializers: 0, opsets: { "": 18 },
    notes: [], results: results() });
  const differs = from < length;
  return {
    format: "onnxcmp", version: 1, verdict: differs ? "different" : "same", exit: differs ? 1 : 0,
    words: [differs ? "the output differs" : "the output has the same bits"],
    left: side("left.onnx"), right: side("right.onnx"),
    rows: Array.from({ length }, (_, i) => ({ relation: i < from ? "same" : "different", left: [i], right: [i], marks: [],
      ...(i < from ? {} : { diff: diffOf(1e-3 * (i + 1), false) }) })),
    causes: differs ? [{ left: from, right: from, kind: "operator", text: "attribute alpha: 1 | 2", count: 1,
      diff: diffOf(1e-3, false) }] : [],
    outputs: [], outputs_left_only: [], outputs_right_only: [], notes: [],
  };
}

let browser;
// `selector`: of what is there once it is shown.
export async function open(file, { width = 1280, height = 900, scheme = "light", fragment = "", selector = "main" } = {}) {
  browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme });
  page.complaints = [];
  page.on("console", (message) => page.complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => page.complaints.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    page.complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const url = `file://${file}${fragment}`;
  // A worker's script is the page's own: nothing is fetched from anywhere.
  page.on("request", (request) => {
    if (request.url().startsWith("blob:null/")) return;
    if (request.url().split("#")[0] !== `file://${file}`) page.complaints.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  await page.waitForSelector(selector);
  return page;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// Of WCAG AA and of good practice, as axe-core finds them.
export async function violations(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
  return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 200)).slice(0, 3).join(" ")}`);
}

export async function close() {
  await browser?.close();
  browser = undefined;
}
