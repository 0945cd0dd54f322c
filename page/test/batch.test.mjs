// The page of a batch, the picture of a comparison, boxes of its graphs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { chainReport, changedModel, close, folder, open, pageOf, pageWith, testData, violations } from "./support.mjs";

after(close);

const NORM = "fusions/SkipLayerNormalization.standard.onnxtxt";
const GELU = "fusions/BiasGelu.standard.onnxtxt";

function run(...options) {
  try {
    execFileSync(process.env.ONNXCMP, options, { stdio: "pipe" });
  } catch (error) {
    if (error.status !== 1) throw error;
  }
}

describe("the page of a batch", () => {
  let index;
  before(() => {
    const [a, b] = ["a", "b"].map((name) => join(folder, name));
    for (const side of [a, b]) mkdirSync(side);
    for (const name of ["gelu_2", "gelu_10", "norm"]) {
      copyFileSync(testData(name === "norm" ? NORM : GELU), join(a, `${name}.onnxtxt`));
      copyFileSync(name === "norm" ? changedModel(NORM, "epsilon = 0.00001", "epsilon = 0.5") : testData(GELU), join(b, `${name}.onnxtxt`));
    }
    const out = join(folder, "batch");
    run("batch", a, b, "--out", out);
    index = join(out, "index.html");
  });
  const names = (page) => page.$$eval("table.all tr:not([hidden]) td:first-child", (cells) => cells.map((cell) => cell.textContent));

  it("searches, filters and orders all pairs", async () => {
    const page = await open(index);
    await page.keyboard.press("/");
    await page.keyboard.type("gelu");
    assert.equal((await names(page)).length, 2);
    assert.match(await page.textContent("#tools [role=status]"), /2 of 3 pairs/);
    await page.fill("#tools input", "");
    await page.selectOption("#tools select", "unexpected");
    assert.deepEqual((await names(page)).map((name) => name.replace(/\.onnxtxt$/, "")), ["norm"]);
    await page.selectOption("#tools select", "");
    await page.click("table.all th:first-child button");
    assert.deepEqual((await names(page)).map((name) => name.replace(/\.onnxtxt$/, "")), ["gelu_2", "gelu_10", "norm"]);
    await page.click("table.all th:nth-child(5) button");
    assert.match((await names(page))[0], /norm/);
    assert.equal(await page.getAttribute("table.all th:nth-child(5)", "aria-sort"), "descending");
    assert.deepEqual(page.complaints, []);
  });

  it("has causes of pairs that fail alone, and plain spaces", async () => {
    const page = await open(index, { width: 390 });
    assert.match(await page.textContent("main"), /Causes of pairs that fail/);
    assert.doesNotMatch(readFileSync(index, "utf8"), /\u00a0|\\xa0|&nbsp;/);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(page.complaints, []);
  });
});

describe("the picture of a comparison", () => {
  it("is one file of valid XML with verdict, cause, both graphs and maps", async () => {
    const file = join(folder, "picture.svg");
    run(testData(NORM), changedModel(NORM, "epsilon = 0.00001", "epsilon = 0.5"), "--svg", file);
    const page = await open(file, { selector: "svg" });
    assert.equal(await page.evaluate(() => document.documentElement.tagName), "svg");
    const text = await page.evaluate(() => document.documentElement.textContent);
    for (const words of [/different/, /outputs differs/, /epsilon: /, /LayerNormalization/, /epsilon = 0\.5/, /left.*right.*difference/s]) {
      assert.match(text, words);
    }
    assert.equal(await page.locator("script, image, foreignObject").count(), 0);
    // Nothing is cut off, and no two boxes of a graph overlap.
    const boxes = await page.$$eval(".box rect", (rects) => rects.map((rect) => rect.getBoundingClientRect().toJSON()));
    const width = await page.evaluate(() => document.documentElement.width.baseVal.value);
    assert.ok(boxes.length > 3 && boxes.every((box) => box.left >= 0 && box.right <= width));
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) =>
      assert.ok(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top)));
    assert.deepEqual(page.complaints, []);
  });
});

describe("the graphs of a comparison", () => {
  it("have a box for each node, whatever the number of its outputs", async () => {
    const page = await open(pageOf(testData(NORM), testData("fusions/SkipLayerNormalization.fused.onnxtxt")));
    await page.$eval("#graph-section", (section) => section.scrollIntoView());
    await page.waitForSelector(".side-right .node");
    await page.click(".by-scope");
    await page.waitForFunction(() => document.querySelector(".by-scope").getAttribute("aria-pressed") === "true");
    const operators = (side) => page.$$eval(`.side-${side} .node .op`, (texts) => texts.map((text) => text.textContent.trim())
      .filter((text) => !["input", "output"].includes(text)).sort());
    await page.waitForFunction(() => document.querySelectorAll(".side-left .node").length > 4);
    assert.deepEqual(await operators("left"), ["Add", "Add", "LayerNormalization"]);
    assert.equal((await operators("right")).length, 1);
    assert.deepEqual(page.complaints, []);
  });

  it("have names that differ where the models' do", async () => {
    const words = ["one", "two", "six", "ten", "odd"];
    const page = await open(pageWith(chainReport(5, 2, (i) => `encoder_block_${words[i]}_projection_weight_of_attention_quantized`)));
    await page.$eval("#graph-section", (section) => section.scrollIntoView());
    await page.waitForSelector(".side-right .node");
    const names = await page.$$eval(".side-left .node .label", (labels) => labels.map((label) => label.textContent));
    assert.equal(names.length, 5);
    assert.equal(new Set(names).size, 5, names.join());
    assert.deepEqual(page.complaints, []);
  });
});
