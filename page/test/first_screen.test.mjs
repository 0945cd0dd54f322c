// The first screen: the verdict, the cause or what changed, both graphs beside it; and the details of
// what is clicked.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { chainReport, changedModel, close, folder, open, pageOf, pageWith, testData } from "./support.mjs";

after(close);

const NORM = "fusions/SkipLayerNormalization.standard.onnxtxt";
const wrongEpsilon = () => pageOf(testData(NORM), changedModel(NORM, "epsilon = 0.00001", "epsilon = 0.5"));
const top = async (page, selector) => (await page.locator(selector).first().boundingBox()).y;

describe("the first screen", () => {
  it("has verdict, files, cause and both graphs at 1440 x 900", async () => {
    const page = await open(wrongEpsilon(), { width: 1440, height: 900 });
    await page.waitForSelector(".side-left .node.has-cause");
    assert.match(await page.textContent(".verdict .first"), /^1 of 2 outputs differs$/);
    assert.match(await page.textContent(".verdict .figures"), /^at most /);
    assert.match(await page.textContent(".verdict .files"), /left SkipLayer.*right changed/);
    for (const selector of ["[data-cause='0'] h3", ".graph", ".side-left .node.has-cause", ".side-right .node.has-cause"]) {
      assert.ok(await top(page, selector) < 900, selector);
    }
    const [cause, graph] = await Promise.all([".cause", ".graph"].map((one) => page.locator(one).boundingBox()));
    assert.ok(cause.x + cause.width <= graph.x);
    assert.deepEqual(page.complaints, []);
  });

  it("has the reason of a failure as one sentence, and maps that are not taller than a screen", async () => {
    const report = chainReport(8, 5);
    report.verdict = "failed";
    report.words = ["right: cannot squeeze axis 0"];
    const cells = Buffer.from(new Uint8Array(256 * 4).fill(9)).toString("base64");
    report.rows[5].values = { equal: 0, decades: [[0, 1024]], size: [2000, 4], cells: [256, 4], scale: [0, 1],
      scale_of_difference: [0, 1], all_slices: 1, slices: [{ at: "", left: cells, right: cells, difference: cells }] };
    const page = await open(pageWith(report), { width: 1440, height: 900 });
    assert.equal(await page.textContent(".verdict .first"), "right: cannot squeeze axis 0");
    assert.ok((await page.locator("[data-cause='0'] .maps").boundingBox()).height < 500);
    assert.deepEqual(page.complaints, []);
  });

  it("has the verdict and the cause on a phone", async () => {
    const page = await open(wrongEpsilon(), { width: 390, height: 844 });
    assert.ok(await top(page, "[data-cause='0'] h3") < 844);
    assert.deepEqual(page.complaints, []);
  });

  it("tells the module, the line and the readers of a constant", async () => {
    const report = chainReport(8, 2);
    Object.assign(report.left.results[2], { kind: "INITIALIZER", name: "val_73", op_type: undefined, inputs: undefined });
    Object.assign(report.left.results[3], { module: "model.layers.1.k_proj", name: "scores" });
    const page = await open(pageWith(report));
    assert.match(await page.textContent("[data-cause='0'] .facts"), /read by *MatMul scores of model\.layers\.1\.k_proj/);
    assert.deepEqual(page.complaints, []);
  });
});

describe("the changes", () => {
  it("stand first where two models agree, and lead to their places in both graphs", async () => {
    const page = await open(pageOf(testData("fusions/BiasGelu.standard.onnxtxt"), testData("fusions/BiasGelu.fused.onnxtxt")),
      { width: 1440, height: 900 });
    assert.match(await page.textContent(".changes"), /Add\+.*→ BiasGelu/);
    assert.ok(await top(page, ".changes") < 400);
    await page.click(".changes .places >> nth=0");
    assert.match(await page.textContent(".places-bar"), /BiasGelu: place 1 of 1/);
    await page.waitForSelector(".side-right .node.marked");
    assert.match(await page.textContent(".side-right .node.marked"), /BiasGelu/);
    // All nodes that became one stand there.
    assert.match(await page.textContent(".side-left"), /Add.*Gelu/s);
    assert.deepEqual(page.complaints, []);
  });

  it("count a fused node once, whatever the number of its outputs", async () => {
    const models = ["plain.onnx", "optimized.onnx"].map((name) => testData(`models/llm/${name}`));
    const page = await open(pageOf(...models, "--inputs", testData("models/llm/inputs.npz")));
    await page.click(".places:has-text('Add+LayerNormalization')");
    assert.match(await page.textContent(".places-bar"), /place 1 of 2$/);
    assert.deepEqual(page.complaints, []);
  });

  it("go from place to place", async () => {
    const report = chainReport(60);
    report.changes = [{ kind: "nodes", text: "3 → 2 nodes (-1 Add)" }, { kind: "changed", text: "moved", count: 2, rows: [7, 50] },
      { kind: "only left", text: "initializer", count: 2, rows: [3, 4] }];
    const page = await open(pageWith(report));
    assert.match(await page.textContent(".changes"), /2 moved/);
    assert.match(await page.textContent(".changes"), /2 initializers/);
    await page.click(".places:has-text('moved')");
    await page.waitForSelector(".side-left .node.marked.selected[data-node='7']");
    await page.click(".places-bar >> text=Next");
    await page.waitForSelector(".side-left .node.marked.selected[data-node='50']");
    await page.click(".places-bar >> text=Next");
    await page.waitForSelector(".side-left .node.marked.selected[data-node='7']");
    assert.deepEqual(page.complaints, []);
  });

  it("are not told where there are none", async () => {
    const page = await open(pageWith(chainReport(5)));
    assert.equal(await page.locator(".changes").count(), 0);
    assert.ok(!await page.isVisible(".places-bar"));
  });
});

describe("the drawings", () => {
  it("are saved as a picture of pixels", async () => {
    const page = await open(wrongEpsilon());
    await page.waitForSelector(".side-left .node.has-cause");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(".save-png")]);
    assert.equal(download.suggestedFilename(), "graphs.png");
    const png = readFileSync(await download.path());
    assert.equal(png.toString("latin1", 1, 4), "PNG");
    assert.ok(png.readUInt32BE(16) > 500 && png.length > 5000, `${png.readUInt32BE(16)} pixels, ${png.length} bytes`);
    assert.deepEqual(page.complaints, []);
  });

  it("are saved as one SVG that has the nodes of both sides and their colors", async () => {
    const page = await open(wrongEpsilon());
    await page.waitForSelector(".side-left .node.has-cause");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(".save")]);
    const text = readFileSync(await download.path(), "utf8");
    assert.match(text, /^<svg [^>]*viewBox=/);
    assert.equal(text.match(/class="node /g).length, await page.locator(".graph .node").count());
    assert.match(text, /--different: ?#a33500/);
    assert.doesNotMatch(text, /class="expander/);
    assert.deepEqual(page.complaints, []);
    const file = join(folder, "graphs.svg");
    writeFileSync(file, text);
    await page.goto(`file://${file}`);
    const stroke = await page.$eval(".node.different .box", (box) => getComputedStyle(box).stroke);
    assert.equal(stroke, "rgb(163, 53, 0)");
  });
});

describe("the details", () => {
  for (const width of [390, 1200, 1440]) {
    it(`are within the window after a click on a node or a row at ${width} px`, async () => {
      const page = await open(pageWith(chainReport(100, 50)), { width, height: 844 });
      await page.$eval("#graph-section", (section) => section.scrollIntoView());
      const isWithin = async () => {
        const box = await page.locator(".details").boundingBox();
        assert.ok(box && box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= 844, JSON.stringify(box));
        assert.ok(await page.locator("#details-title").isVisible());
      };
      await page.locator(".side-left .node.has-cause").focus();
      await page.keyboard.press("Enter");
      await isWithin();
      assert.match(await page.textContent(".details"), /Row 50/);
      await page.click(".dismiss");
      assert.ok(!await page.isVisible(".details"));
      await page.locator("[data-row='52']").click({ clickCount: 2 });
      await isWithin();
      assert.match(await page.textContent(".details"), /Row 52/);
      assert.deepEqual(page.complaints, []);
    });
  }
});

describe("numbers", () => {
  it("are written as elsewhere, halves to the even digit", async () => {
    const report = chainReport(4, 2);
    Object.assign(report.rows[2].diff, { max_absolute: 0.0625 });
    Object.assign(report.rows[3].diff, { max_absolute: 1.25e-7 });
    const page = await open(pageWith(report));
    assert.equal(await page.textContent("[data-row='2'] .max"), "0.062");
    assert.equal(await page.textContent("[data-row='3'] .max"), "1.2e-07");
    assert.deepEqual(page.complaints, []);
  });
});
