// Elements as numbers and maps, graphs by scope and in a worker, chains, links to files.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { chainReport, changedModel, close, folder, open, pageOf, pageWith, testData, violations } from "./support.mjs";

after(close);

const NORM = "fusions/SkipLayerNormalization.standard.onnxtxt";

const base64 = (bytes) => Buffer.from(bytes).toString("base64");

// Row 5 of a chain with two slices of 2 x 3 cells.
function withMaps(shape = [4, 4, 6]) {
  const report = chainReport(8, 5);
  report.left.results[5].shape = shape;
  report.rows[5].values = {
    equal: 90, decades: [[-1, 2], [-3, 4]], size: [4, 6], cells: [2, 3], scale: [-1, 3], scale_of_difference: [-4, -1], all_slices: 4,
    slices: [
      { at: "[2]", left: base64([2, 65, 254, 0, 1, 255]), right: base64([2, 65, 254, 0, 1, 2]), difference: base64([0, 1, 254, 0, 0, 255]) },
      { at: "[0]", left: base64([2, 2, 2, 2, 2, 2]), right: base64([2, 2, 2, 2, 2, 2]), difference: base64([0, 0, 0, 0, 0, 0]) },
    ],
  };
  return report;
}

describe("elements of a row", () => {
  it("are numbers if there are few, as the program measured them", async () => {
    const file = pageOf(testData(NORM), changedModel(NORM, "epsilon = 0.00001", "epsilon = 0.5"));
    const report = JSON.parse(/id="onnxcmp">([^<]*)/.exec(readFileSync(file, "utf8"))[1]);
    const measured = report.rows.findIndex((row) => row.values);
    assert.ok(measured >= 0);
    for (const row of report.rows) assert.equal(row.values !== undefined, row.diff !== undefined);
    const page = await open(file, { fragment: `#row-${measured}` });
    await page.waitForSelector(".details .histogram");
    const { values } = report.rows[measured];
    if (values.left) {
      assert.equal(await page.locator(".details caption:has-text('All elements')").count(), 1);
    } else {
      assert.equal(await page.locator(".details .maps canvas").count(), 6);
    }
    assert.deepEqual(page.complaints, []);
  });

  it("are maps of slices to step through", async () => {
    const page = await open(pageWith(withMaps()), { fragment: "#row-5" });
    await page.waitForSelector(".details .maps");
    assert.match(await page.textContent(".details .maps"), /slice 1 of 2 at \[2,:,:\]/);
    assert.match(await page.textContent(".details .maps"), /Of 4 slices 2 are here/);
    assert.match(await page.textContent(".details .maps"), /farthest apart of up to 2 × 2 elements/);
    const pixel = (panel, at) => page.$eval(`.details .maps figure:nth-child(${panel}) > canvas`, (canvas, x) => {
      const copy = Object.assign(document.createElement("canvas"), { width: 3, height: 2 });
      const context = copy.getContext("2d", { willReadFrequently: true });
      context.drawImage(canvas, 0, 0);
      return [...context.getImageData(x % 3, Math.floor(x / 3), 1, 1).data].slice(0, 3).join();
    }, at);
    // The same value has the same color on both sides; what is equal has one of its own.
    assert.equal(await pixel(1, 0), await pixel(2, 0));
    assert.notEqual(await pixel(1, 0), await pixel(1, 2));
    assert.notEqual(await pixel(3, 0), await pixel(3, 1));
    await page.focus(".details .maps figure:nth-child(3) > canvas");
    for (const expected of [/column 2…3: about 0 \| 0, differ by 1.0e-04/, /about 3 \| 3, differ by 0.1/, /about NaN \| NaN, equal/,
      /about −∞ \| −∞, equal/, /about ∞ \| -1, not finite on one side/]) {
      await page.keyboard.press("ArrowRight");
      assert.match(await page.textContent(".details .maps .readout"), expected);
    }
    await page.click(".details .slice-next");
    assert.match(await page.textContent(".details .maps"), /slice 2 of 2 at \[0,:,:\]/);
    assert.equal(await pixel(3, 1), await pixel(3, 2));
    await page.check(".details .maps input[type=checkbox]");
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(page.complaints, []);
  });

  it("are readable at 400 px and in the dark", async () => {
    const page = await open(pageWith(withMaps()), { fragment: "#row-5", width: 400, scheme: "dark" });
    await page.waitForSelector(".details .maps");
    assert.deepEqual(await violations(page), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(page.complaints, []);
  });

  it("stand open in the card of the first cause, and of others when somebody opens them", async () => {
    const report = withMaps();
    report.rows[6].values = report.rows[5].values;
    report.causes.push({ ...report.causes[0], left: 6, right: 6 });
    const page = await open(pageWith(report));
    assert.ok(await page.locator("[data-cause='0'] .maps canvas").first().isVisible());
    assert.match(await page.textContent("[data-cause='0'] .histogram"), /10\^-1/);
    assert.equal(await page.locator("[data-cause='1'] canvas").count(), 0);
    await page.click("[data-cause='1'] .elements summary");
    await page.waitForSelector("[data-cause='1'] .maps canvas");
    assert.deepEqual(page.complaints, []);
  });

  it("are said to be missing where they are", async () => {
    const report = chainReport(8, 5);
    report.page = { left_out: ["elements and maps of 3 of 3 rows"] };
    const page = await open(pageWith(report), { fragment: "#row-5" });
    assert.match(await page.textContent(".details"), /Its elements were left out/);
    // Not where the limit was not met.
    const small = await open(pageWith(chainReport(8, 5)), { fragment: "#row-5" });
    assert.doesNotMatch(await small.textContent("main, .details"), /were left out|lacks/);
    assert.match(await page.textContent(".models"), /lacks elements and maps of 3 of 3 rows. --html-size/);
    assert.deepEqual(page.complaints, []);
  });
});

describe("a cause", () => {
  it("has both nodes' attributes, differences marked, and links to its files", async () => {
    const out = join(folder, "repros");
    mkdirSync(join(folder, "pages"), { recursive: true });
    const html = join(folder, "pages", "linked.html");
    try {
      execFileSync(process.env.ONNXCMP, [testData(NORM), changedModel(NORM, "epsilon = 0.00001", "epsilon = 0.5"),
        "--repro", out, "--html", html], { stdio: "pipe" });
    } catch (error) {
      if (error.status !== 1) throw error;
    }
    const page = await open(html);
    const row = page.locator("[data-cause='0'] tr:has-text('epsilon')");
    assert.match(await row.textContent(), /1e-05.*0\.5.*differs/);
    const link = await page.$eval("[data-cause='0'] a:has-text('left.onnx')", (a) => a.href);
    assert.ok(readFileSync(new URL(link)).length > 0, link);
    assert.deepEqual(page.complaints, []);
  });
});

describe("the graphs by scope", () => {
  it("begin around the cause, and open and close", async () => {
    const page = await open(pageWith(chainReport(400, 250)));
    await page.$eval("#graph-section", (section) => section.scrollIntoView());
    await page.waitForSelector(".side-left .node");
    await page.click(".by-scope");
    await page.waitForSelector(".side-left .scope");
    assert.equal(await page.locator(".side-left .node.has-cause:not(.scope)").count(), 1);
    const scopes = () => page.locator(".side-left .scope").count();
    const [before, frames] = [await scopes(), await page.locator(".side-left .frame").count()];
    await page.locator(".side-left .scope").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction((count) => document.querySelectorAll(".side-left .frame").length > count, frames);
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-expanded")), "true");
    await page.locator(".side-left [aria-expanded='true']").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction((count) => document.querySelectorAll(".side-left .scope").length !== count, before - 1);
    assert.deepEqual(await violations(page), []);
    await page.click(".by-scope");
    await page.waitForFunction(() => document.querySelectorAll(".side-left .scope").length === 0);
    assert.deepEqual(page.complaints, []);
  });

  it("have no box that holds thousands", async () => {
    const page = await open(pageWith(chainReport(6000, 5000, (i) => `n${i}`)));
    await page.$eval("#graph-section", (section) => section.scrollIntoView());
    await page.waitForSelector(".side-left .node");
    await page.click(".by-scope");
    await page.waitForSelector(".side-left .scope");
    assert.ok(await page.locator(".side-left .node").count() < 200);
    assert.deepEqual(page.complaints, []);
  });

  it("show the body of a loop with the node that runs it", async () => {
    const report = chainReport(6, 6);
    for (const side of ["left", "right"]) {
      const { results } = report[side];
      Object.assign(results[2], { path: ["loop[0]"], inputs: [1] });
      Object.assign(results[3], { path: ["loop[1]"], inputs: [2] });
      Object.assign(results[4], { name: "loop", op_type: "Loop", inputs: [0, 1], node: "" });
      results[5].inputs = [4];
    }
    const page = await open(pageWith(report));
    await page.$eval("#graph-section", (section) => section.scrollIntoView());
    await page.waitForSelector(".side-left .node");
    for (let tries = 0; tries < 4 && await page.locator(".side-left .expander").count() > 0; ++tries) {
      await page.click("text=More around it");
      await page.waitForTimeout(100);
    }
    assert.equal(await page.locator(".side-left .node[data-node='3']").count(), 1);
    assert.equal(await page.locator(".side-left .node[data-node='2']").count(), 1);
    assert.deepEqual(page.complaints, []);
  });
});

describe("large drawings", () => {
  const wide = () => {
    const report = chainReport(300, 299);
    for (const side of ["left", "right"]) report[side].results.forEach((result, i) => i > 0 && (result.inputs = [0]));
    return pageWith(report);
  };
  const grow = async (page) => {
    await page.$eval("#graph-section", (section) => section.scrollIntoView());
    await page.waitForSelector(".side-left .node");
    await page.click("text=More around it");
    await page.waitForFunction(() => document.querySelectorAll(".side-left .node").length === 300);
  };

  it("are laid out in a worker", async () => {
    const page = await open(wide());
    const workers = [];
    page.on("worker", (worker) => workers.push(worker.url()));
    await grow(page);
    assert.equal(workers.length, 1);
    assert.match(workers[0], /^blob:/);
    assert.deepEqual(page.complaints, []);
  });

  it("are laid out without one where the browser has none", async () => {
    const page = await open(wide());
    await page.evaluate(() => {
      globalThis.Worker = class {
        constructor() {
          throw new Error("no workers here");
        }
      };
    });
    await grow(page);
    assert.deepEqual(page.complaints, []);
  });
});

describe("a chain", () => {
  const chainPage = () => {
    const same = changedModel(NORM, "epsilon = 0.00001", "epsilon = 0.000010");
    const wrong = changedModel(NORM, "epsilon = 0.00001", "epsilon = 0.5");
    const file = join(folder, "chain.html");
    try {
      execFileSync(process.env.ONNXCMP, ["chain", testData(NORM), same, wrong, "--html", file], { stdio: "pipe" });
    } catch (error) {
      if (error.status !== 1) throw error;
    }
    return file;
  };

  it("can be read at 400 pixels", async () => {
    const page = await open(chainPage(), { width: 400 });
    const widths = await page.$$eval("[data-step] td", (cells) => cells.map((cell) => cell.clientWidth));
    assert.ok(widths.length >= 10 && Math.min(...widths) > 200, `${widths}`);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(page.complaints, []);
  });

  it("has all models side by side, and on paper the graphs of a step that nobody has looked at", async () => {
    const page = await open(chainPage(), { width: 400, height: 300 });
    assert.equal(await page.locator(".drawing .half").count(), 3);
    await page.waitForSelector("#graph-section .node.has-cause", { state: "attached" });
    assert.ok(await page.$eval("#graph-section", (section) => section.getBoundingClientRect().top) > 900);
    await page.waitForSelector(".drawing .node.different", { state: "attached" });
    assert.deepEqual(page.complaints, []);
  });

  it("begins with the step that fails, and shows the others", async () => {
    const page = await open(chainPage());
    assert.equal(await page.getAttribute("html", "data-verdict"), "different");
    assert.match(await page.textContent(".chain"), /first that fails is step 2/);
    assert.equal(await page.getAttribute("[aria-current=step]", "data-step"), "1");
    assert.match(await page.textContent("[data-cause='0']"), /epsilon/);
    await page.click("[data-step='0'] button");
    assert.equal(await page.getAttribute("[aria-current=step]", "data-step"), "0");
    assert.match(await page.textContent(".verdict"), /same/);
    assert.equal(await page.locator("[data-cause]").count(), 0);
    await page.keyboard.press("j");
    assert.equal(await page.locator("[aria-selected=true]").count(), 1);
    assert.equal(await page.locator("main > .step > .results").count(), 1);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(page.complaints, []);
  });
});

describe("several sets of inputs", () => {
  it("are in one page", async () => {
    const overview = { sets: [{ name: "entry 0", verdict: "same", exit_status: 0, text: "the same bits" },
      { name: "<b>entry 1</b>", verdict: "different", exit_status: 1, text: "differs" }], verdict: "different", exit_status: 1 };
    const page = await open(pageWith(overview, [chainReport(20), chainReport(20, 10)]));
    assert.match(await page.textContent(".chain"), /Of 2 sets of inputs 1 fails/);
    assert.match(await page.textContent(".chain"), /<b>entry 1<\/b>/);
    assert.match(await page.textContent(".verdict"), /different/);
    await page.click("[data-step='0'] button");
    assert.match(await page.textContent(".verdict"), /same/);
    assert.deepEqual(page.complaints, []);
  });
});

describe("hostile names", () => {
  it("are text in scopes, maps and chains, too", async () => {
    const names = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "\u202Eevil", "n".repeat(10000), "a\u0000b"];
    const report = chainReport(120, 60, (i) => `/${names[i % names.length]}/inner/${names[(i + 1) % names.length]}_${i}`);
    report.rows[60].values = withMaps().rows[5].values;
    report.rows[60].values.slices[0].at = names[0];
    report.causes[0].attributes = [{ name: names[0], left: names[1], right: names[2], differs: true }];
    report.causes[0].repro = names[0];
    report.page = { repro: [{ cause: 0, folder: `../${names[1]}?x#y` }] };
    const page = await open(pageWith(report), { fragment: "#row-60" });
    await page.waitForSelector(".details .maps");
    await page.$eval("#graph-section", (section) => section.scrollIntoView());
    await page.waitForSelector(".side-left .node");
    await page.click(".by-scope");
    await page.waitForSelector(".side-left .frame");
    assert.equal(await page.locator("main img").count(), 0);
    assert.equal(await page.locator("script").count(), 2);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(page.complaints, []);
  });
});

describe("modules that the exporter noted", () => {
  it("are scopes of the graph, found by search, and said of a row", async () => {
    const report = chainReport(60, 40, (i) => `add_${i}`);
    for (const side of ["left", "right"]) {
      report[side].results.forEach((result, i) => i > 0 && (result.module = `encoder.layer.${i < 30 ? 0 : 1}`));
    }
    const page = await open(pageWith(report));
    await page.fill("#search", "layer.1");
    await page.waitForFunction(() => /30 of 60/.test(document.querySelector(".results [role=status]").textContent));
    await page.press("#search", "Enter");
    await page.waitForSelector(".details:not([hidden])");
    assert.match(await page.textContent(".details"), /module\s*encoder\.layer\.1/);
    await page.$eval("#graph-section", (section) => section.scrollIntoView());
    await page.waitForSelector(".side-left .node");
    await page.click(".by-scope");
    await page.waitForSelector(".side-left .frame, .side-left .scope");
    assert.match(await page.textContent(".graph"), /layer/);
    // What a search finds opens there.
    await page.fill(".board input", "add_5$");
    await page.waitForSelector(".side-left .node.found.selected[data-node='5']");
    assert.equal(await page.getAttribute(".by-scope", "aria-pressed"), "true");
    assert.deepEqual(page.complaints, []);
  });
});
