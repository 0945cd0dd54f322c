// Pages of sides that are no two models that ran to their ends: of a runtime, of what failed, of
// quantized models, of names that nobody expects.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { chainReport, close, open, pageWith, violations } from "./support.mjs";

after(close);

const toGraph = async (page) => {
  await page.$eval("#graph-section", (section) => section.scrollIntoView());
  await page.waitForSelector(".side-left .node");
};

describe("a side that a runtime ran", () => {
  it("names it beside the model and above the graph", async () => {
    const report = chainReport(30, 20);
    report.right.ran_in = "onnxruntime 1.32.0 CPU";
    const page = await open(pageWith(report));
    assert.match(await page.textContent(".models"), /right.*ran in onnxruntime 1\.32\.0 CPU/s);
    assert.doesNotMatch(await page.textContent(".models"), /left[^]*ran in[^]*right/);
    assert.deepEqual(await page.$$eval(".half h3", (all) => all.map((one) => one.textContent)),
      ["left left.onnx", "right right.onnx in onnxruntime 1.32.0 CPU"]);
    assert.deepEqual(page.complaints, []);
  });
});

describe("a comparison that failed before it began", () => {
  it("says so, and shows no table, no plot and no graph of nothing", async () => {
    const report = chainReport(0);
    Object.assign(report, { verdict: "failed", exit: 2, words: ["the adapters are not there"] });
    for (const side of ["left", "right"]) Object.assign(report[side], { nodes: 0, results: [] });
    const page = await open(pageWith(report));
    assert.match(await page.textContent(".verdict"), /the adapters are not there.*Exit status 2/s);
    assert.doesNotMatch(await page.textContent("main"), /recording|pairs of results|same bits/);
    assert.equal(await page.locator(".grid, .plot, .graph").count(), 0);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(page.complaints, []);
  });

  it("has all of them if there are results", async () => {
    const report = chainReport(5, 3);
    Object.assign(report, { verdict: "failed", exit: 2 });
    const page = await open(pageWith(report));
    assert.equal(await page.locator(".grid, .plot, .graph").count(), 3);
    assert.match(await page.textContent(".verdict"), /5 pairs of results/);
    assert.deepEqual(page.complaints, []);
  });
});

describe("causes", () => {
  it("that are wrong have a line in the plot, other ways to compute the same have none", async () => {
    const report = chainReport(60, 20);
    report.causes = ["operator", "approximation", "quantization"].map((kind, i) => ({ ...report.causes[0], kind, left: 25 + i, right: 25 + i }));
    const page = await open(pageWith(report));
    assert.equal(await page.locator(".plot .cause-line").count(), 1);
    assert.deepEqual(await page.$$eval(".begins", (all) => all.map((one) => one.className)),
      ["begins", "begins harmless", "begins harmless"]);
    assert.deepEqual(page.complaints, []);
  });

  it("have labels that do not cover each other", async () => {
    const report = chainReport(60, 20);
    report.causes = Array.from({ length: 18 }, (_, i) => ({ ...report.causes[0], left: 21 + 2 * i, right: 21 + 2 * i }));
    const page = await open(pageWith(report));
    const boxes = await page.$$eval(".plot .cause-label", (all) => all.map((one) => {
      const { left, right, top, bottom } = one.getBoundingClientRect();
      return { left, right, top: top + 2, bottom: bottom - 2 };
    }));
    assert.ok(boxes.length >= 8, String(boxes.length));
    for (const a of boxes) {
      for (const b of boxes) {
        if (a !== b) assert.ok(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top);
      }
    }
    assert.deepEqual(page.complaints, []);
  });

  it("of another shape claim no share of the values", async () => {
    const report = chainReport(20, 10);
    for (const diff of [report.causes[0].diff, report.rows[10].diff]) {
      Object.assign(diff, { reason: "shape: [2] | [3]", sqnr_db: "Infinity" });
    }
    const page = await open(pageWith(report), { fragment: "#row-10" });
    await page.waitForSelector("[data-row='10'][aria-selected=true]");
    assert.doesNotMatch(await page.textContent("[data-cause='0']"), /against the values/);
    assert.equal(await page.textContent("[data-row='10'] .share"), "");
    assert.match(await page.textContent("[data-row='11'] .share"), /\d/);
    assert.deepEqual(page.complaints, []);
  });
});

describe("a quantized side", () => {
  it("has its layers above the table, the first ones open, without columns that say nothing", async () => {
    const report = chainReport(40, 10);
    report.quantization = { side: "right", mistakes: [], notes: [], layers: Array.from({ length: 20 }, (_, i) => ({
      result: 10 + i, made_by: "Conv", dtype: "int8", sqnr: 40 - i, own_sqnr: 42 - i, cost: 0.01 / (i + 1), saturated: 0.01 })) };
    const page = await open(pageWith(report));
    const heads = await page.$$eval("main h2", (all) => all.map((one) => one.id));
    assert.ok(heads.indexOf("quantization") < heads.indexOf("results"), String(heads));
    const section = page.locator("[aria-labelledby=quantization]");
    assert.equal(await section.locator("tbody tr").locator("visible=true").count(), 12);
    assert.doesNotMatch(await section.locator("thead").first().textContent(), /mistake/);
    await section.locator("summary").click();
    assert.equal(await section.locator("tbody tr").locator("visible=true").count(), 20);
    assert.deepEqual(await violations(page), []);
    report.quantization.layers[3].mistake = "the scale is 2 times too large";
    const other = await open(pageWith(report));
    assert.match(await other.locator("[aria-labelledby=quantization]").textContent(), /mistake.*the scale is 2 times/s);
    assert.deepEqual(other.complaints, []);
  });
});

describe("infinity", () => {
  const withOrigin = (reason) => {
    const report = chainReport(20, 10);
    const origin = { result: 0, value: "infinity", elements: 1, reason, index: "[0]" };
    return Object.assign(report, { not_finite_left: [origin], not_finite_right: [origin] });
  };
  const heads = (page) => page.$$eval("main h2", (all) => all.map((one) => one.id));

  it("that a mask holds stands below, one that came about above", async () => {
    const given = await heads(await open(pageWith(withOrigin("given"))));
    assert.equal(given.at(-1), "not-finite");
    const made = await heads(await open(pageWith(withOrigin("overflow"))));
    assert.ok(made.indexOf("not-finite") < made.indexOf("growth"), String(made));
  });
});

describe("names", () => {
  it("that are short make no mismatch of label and text in the graph", async () => {
    const page = await open(pageWith(chainReport(12, 3, (i) => ["linear", "matmul", "x", "y"][i % 4] + i)));
    await toGraph(page);
    assert.deepEqual(await violations(page), []);
    const name = await page.locator(".side-left .node.has-cause title").first().textContent();
    assert.match(name, /MatMul ≠ 0\.004 y3\nfloat.*\nleft, row 3/);
  });

  it("that are long can be had whole, and are short before", async () => {
    const page = await open(pageWith(chainReport(12, 3, (i) => `😀${"n".repeat(9000)}${i}`)));
    const names = page.locator("[data-cause='0'] .names");
    assert.ok((await names.textContent()).length < 500);
    await page.click("[data-cause='0'] .more");
    assert.equal((await names.textContent()).length, 9003);
    for (const width of [1280, 400]) {
      await page.setViewportSize({ width, height: 900 });
      assert.deepEqual(await violations(page), []);
    }
    assert.deepEqual(page.complaints, []);
  });

  it("of operators are whole where there is room", async () => {
    const report = chainReport(12, 3, (i) => `/encoder/layer.0/attention/output/LayerNorm/some_long_scope/node_${i}`);
    report.left.results[5].op_type = report.right.results[5].op_type = "LayerNormalization";
    report.right.results.forEach((result, i) => (result.name = `other${i}`));
    const page = await open(pageWith(report));
    const cut = await page.$$eval(".op", (all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent));
    assert.deepEqual(cut, []);
    assert.deepEqual(page.complaints, []);
  });
});

describe("a chain of which no step changes anything", () => {
  const step = (more) => ({ from: "a.onnx", to: "b.onnx", sets: 1, verdict: "same", exit_status: 0, set: "", text: "same bits",
    causes: [], changes: "", ...more });
  const chain = (more, last = {}) => pageWith({ models: ["a.onnx", "b.onnx", "c.onnx"], steps: [step(), step({ from: "b.onnx", to: "c.onnx", ...more })],
    ends: step({ to: "c.onnx", ...last }), broken_by: null, verdict: "same", exit_status: 0, adds_up_at: null },
  [chainReport(9), chainReport(9), chainReport(9)]);

  it("has columns for what there is, and a heading for the step below", async () => {
    const page = await open(chain());
    assert.doesNotMatch(await page.textContent(".chain thead"), /changed|causes/);
    assert.match(await page.textContent(".part"), /First and last: a\.onnx → c\.onnx/);
    await page.click("[data-step='1'] button");
    assert.match(await page.textContent(".part"), /Step 2: b\.onnx → c\.onnx/);
    assert.deepEqual(page.complaints, []);
  });

  it("has what a step changed where one did", async () => {
    const page = await open(chain({ changes: "5 × Div+Mul → Div" }));
    assert.match(await page.textContent(".chain thead"), /what it changed/);
    assert.match(await page.textContent("[data-step='1']"), /5 × Div\+Mul → Div/);
    assert.deepEqual(page.complaints, []);
  });

  it("says from where on its steps add up to a difference", async () => {
    const report = { models: ["a.onnx", "b.onnx", "c.onnx"], steps: [step(), step()], ends: step({ verdict: "different", exit_status: 1 }),
      broken_by: null, adds_up_at: 1, verdict: "different", exit_status: 1 };
    const page = await open(pageWith(report, [chainReport(9), chainReport(9), chainReport(9, 4)]));
    assert.match(await page.textContent(".chain"), /not all of them together: from step 2 on/);
    assert.deepEqual(page.complaints, []);
  });
});

describe("a step of two decoders", () => {
  const generation = (failing) => ({
    prompts: [[1, 2]],
    steps: [0, 3e-5, null].map((difference, i) => ({
      relation: ["same", "close", "different"][i], state: i === 2 ? "present_key_0" : null,
      rows: [{ token: { left: 4, right: i === 2 ? 5 : 4 }, margin: { left: 0.5, right: null }, max_difference: difference, kl: difference }],
    })),
    failing_step: failing,
    lines: ["step 2 is the first that fails: the logits differ"],
  });

  it("has the table of all steps and the drift", async () => {
    const page = await open(pageWith({ ...chainReport(30, 20), generation: generation(2) }));
    assert.match(await page.textContent(".generation"), /step 2 is the first that fails/);
    assert.equal(await page.locator(".generation tbody tr").count(), 3);
    assert.match(await page.textContent(".generation tbody tr:last-child"), /≠ 2, on this page.*not finite.*present_key_0/s);
    assert.equal(await page.locator(".generation .differs").count(), 2);
    assert.equal(await page.locator(".drift .failing").count(), 1);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(page.complaints, []);
  });

  it("marks no step if none fails, and other comparisons have none", async () => {
    const page = await open(pageWith({ ...chainReport(30, 20), generation: generation(null) }));
    assert.equal(await page.locator(".drift .failing").count(), 0);
    const other = await open(pageWith(chainReport(30, 20)));
    assert.equal(await other.locator(".generation").count(), 0);
  });
});
