// The page that `onnxcmp show --format html` writes, of one model and of two.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { changedModel, close, folder, open, testData, violations } from "./support.mjs";

after(close);

const NORM = "fusions/SkipLayerNormalization.standard.onnxtxt";

function shown(...models) {
  const file = join(folder, `shown${Math.random()}.html`);
  execFileSync(process.env.ONNXCMP, ["show", ...models, "--format", "html", "--output", file], { stdio: "pipe" });
  return file;
}
const wrongEpsilon = () => shown(testData(NORM), changedModel(NORM, "epsilon = 0.00001", "epsilon = 0.5"));
const drawn = (page) => page.waitForSelector("[data-relation]");
const relations = (page) => page.$$eval("[data-relation]", (boxes) => boxes.map((box) => box.dataset.relation));

function written(graph) {
  const file = join(folder, `model${Math.random()}.onnxtxt`);
  writeFileSync(file, `<ir_version: 10, opset_import: ["" : 18]> g ${graph}`);
  return file;
}

describe("two models side by side", () => {
  it("says what differs, and nothing of what does not", async () => {
    const page = await open(wrongEpsilon());
    await drawn(page);
    assert.match(await page.textContent("#summary"), /2 the same \(=\), 1 different/);
    const different = page.locator("[data-relation=different]");
    assert.equal(await different.count(), 2);
    assert.match(await different.first().textContent(), /LayerNormalization.*≠ epsilon: 1e-05 \| 0.5/s);
    assert.ok(await different.first().isVisible());
    assert.deepEqual(page.complaints, []);

    const same = await open(shown(testData(NORM), testData(NORM)));
    await drawn(same);
    assert.deepEqual([...new Set(await relations(same))], ["same"]);
    assert.equal(await same.locator("#differences").count(), 0);
    assert.deepEqual(same.complaints, []);
  });

  it("says what differs beside the nodes", async () => {
    const nodes = " { y = Abs (x) z = Neg (x) }";
    const page = await open(shown(written(`(float[2] x) => (y, z)${nodes}`), written(`(float[2] x) => (z, y)${nodes}`)));
    assert.match(await page.textContent("#differences"), /≠ output 0: y f32\[2\] \| z f32\[2\], another result/);
    await drawn(page);
    assert.equal((await relations(page)).filter((one) => one === "different").length, 4);
    assert.ok(await page.isVisible("#differences"));
    assert.deepEqual(page.complaints, []);
  });

  it("shows a box and its partner when chosen, by pointer and by keys", async () => {
    const page = await open(wrongEpsilon());
    await page.locator("[data-op=LayerNormalization]").first().click();
    assert.match(await page.textContent(".details"), /standard.*epsilon=1e-05.*changed.*epsilon=0.5/s);
    assert.equal(await page.locator(".node.selected").count(), 2);
    await page.locator("[data-op=Add]").first().focus();
    await page.keyboard.press("Enter");
    assert.match(await page.textContent(".details"), /Add\(input, skip\)/);
    await page.keyboard.press("Escape");
    assert.ok(!await page.isVisible(".details"));
    assert.deepEqual(page.complaints, []);
  });
});

// So many nodes one after the other, of which the one at `other` is another operator.
const chain = (length, other) => {
  const nodes = Array.from({ length }, (_, i) => `v${i + 1} = ${i === other ? "Neg" : i % 2 ? "Abs" : "Relu"} (v${i})`);
  return written(`(float[2] v0) => (float[2] v${length}) { ${nodes.join(" ")} }`);
};

describe("graphs side by side", () => {
  const boxOf = (page, unit) => page.locator(`[data-unit='${unit}']`).boundingBox();

  it("stand in a pane each and begin where they differ", async () => {
    const page = await open(shown(chain(60, -1), chain(60, 40)), { width: 1440 });
    await drawn(page);
    assert.equal(await page.locator(".pane > svg").count(), 2);
    // An input, 60 nodes and an output.
    const [left, right] = await Promise.all([41, 62 + 41].map((unit) => boxOf(page, unit)));
    assert.ok(left.y > 0 && left.y < 900 && Math.abs(left.y - right.y) < 1, `${left.y} ${right.y}`);
    assert.ok(left.x > 0 && left.x + left.width < 720 && right.x > 720 && right.x + right.width < 1440, `${left.x} ${right.x}`);
    assert.deepEqual(page.complaints, []);
  });

  it("are three of which each shows what is chosen in another", async () => {
    const page = await open(shown(chain(20, -1), chain(20, 12), chain(20, 15)), { width: 1440 });
    await drawn(page);
    assert.deepEqual(await page.$$eval(".half h3", (heads) => heads.length), 3);
    assert.match(await page.textContent("#summary"), /model.* → model.*: 19 the same.*; model.* → /s);
    await page.fill(".board input", "^v6$");
    assert.equal(await page.textContent(".count"), "match 1 of 3");
    assert.equal(await page.locator(".node.selected").count(), 3);
    const [a, b, c] = await Promise.all([6, 22 + 6, 44 + 6].map((unit) => boxOf(page, unit)));
    assert.ok(Math.abs(a.y - b.y) < 1 && Math.abs(b.y - c.y) < 1 && a.x < 480 && b.x > 480 && c.x > 960, `${a.x} ${b.x} ${c.x}`);
    await page.click(".side-1 .node.selected");
    assert.equal(await page.locator(".details section").count(), 3);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(page.complaints, []);
  });

  it("go from change to change", async () => {
    const page = await open(shown(chain(200, -1), chain(200, 150)), { width: 1440 });
    await drawn(page);
    await page.keyboard.press("c");
    assert.equal(await page.textContent(".count"), "change 1 of 2");
    assert.equal(await page.locator(".node.marked.selected.left_only").count(), 1);
    await page.click(".next-change");
    assert.equal(await page.textContent(".count"), "change 2 of 2");
    assert.equal(await page.locator(".node.marked.selected.right_only").count(), 1);
    assert.deepEqual(page.complaints, []);
  });
});

describe("scopes of models", () => {
  // Of names such as /layers.3/mlp/Relu: so many layers, of which one has another operator.
  const layered = (count, other) => {
    const nodes = Array.from({ length: count }, (_, i) => `["/layers.${i}/attn/a"] a${i} = Abs (${i === 0 ? "x" : `b${i - 1}`}) `
      + `["/layers.${i}/attn/n"] n${i} = Neg (a${i}) ["/layers.${i}/mlp/b"] b${i} = ${i === other ? "Exp" : "Relu"} (n${i})`);
    return written(`(float[2] x) => (float[2] b${count - 1}) { ${nodes.join(" ")} }`);
  };

  it("are closed but those around the first change, open by a click, and open where a search leads", async () => {
    const page = await open(shown(layered(12, -1), layered(12, 5)), { width: 1440 });
    await drawn(page);
    assert.equal(await page.locator(".scope").count(), 0);
    await page.click(".by-scope");
    await page.waitForSelector(".side-left .scope");
    const closed = () => page.$$eval(".side-left .scope", (all) => all.map((one) => one.dataset.scope));
    assert.ok((await closed()).includes("/layers.4") && !(await closed()).includes("/layers.5"), String(await closed()));
    const [left, right] = await Promise.all(["left", "right"].map((side) => page.locator(`.side-${side} [data-scope='/layers.4']`).boundingBox()));
    assert.ok(Math.abs(left.y - right.y) < 1);
    await page.locator(".side-left [data-scope='/layers.4']").focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => !document.querySelector("[data-scope='/layers.4']"));
    await page.fill(".board input", "layers.9/attn/n");
    await page.waitForSelector(".side-right .node.found.selected");
    assert.ok(!(await closed()).includes("/layers.9"));
    assert.deepEqual(await violations(page), []);
    await page.click(".by-scope");
    await page.waitForFunction(() => !document.querySelector(".scope"));
    assert.deepEqual(page.complaints, []);
  });
});

describe("colors", () => {
  it("are by bytes, and by times of a run that was noted", async () => {
    const model = written("(float[64,64] x) => (y) <float[64] k> { a = Abs (x) b = MatMul (a, x) y = ReduceSum <keepdims = 0> (b) }");
    const run = written("(float[64,64] x) => (y) { a = Abs (x) b = MatMul (a, x) y = ReduceSum <keepdims = 0> (b) }");
    const trace = join(folder, "trace.json");
    execFileSync(process.env.ONNXCMP, ["run", run, "--trace", trace], { stdio: "pipe" });
    const page = await open(shown(run, "--times", trace));
    await drawn(page);
    const fill = (op) => page.$eval(`[data-op=${op}] .box`, (box) => getComputedStyle(box).fill);
    assert.equal(await fill("MatMul"), await fill("ReduceSum"));
    await page.selectOption("select", "bytes");
    assert.equal(await fill("MatMul"), await fill("Abs"));
    assert.notEqual(await fill("MatMul"), await fill("ReduceSum"));
    await page.selectOption("select", "time");
    assert.match(await page.textContent(".board .tools"), /most: [\d.e-]+ ms/);
    await page.selectOption("select", "difference");
    assert.equal(await fill("MatMul"), await fill("ReduceSum"));
    assert.deepEqual(await violations(page), []);
    // Without a run there are no times to choose.
    const plain = await open(shown(model));
    await drawn(plain);
    assert.deepEqual(await plain.$$eval("select option", (all) => all.map((one) => one.value)), ["difference", "bytes"]);
    assert.deepEqual(page.complaints, []);
  });
});

describe("a large drawing", () => {
  const slowness = Number(process.env.ONNXCMP_TEST_SLOWNESS ?? 10);

  it("has all nodes of the model, shows those in view, and is searched at once", async () => {
    const file = shown(chain(3000, 2500));
    const { graphs } = JSON.parse(/id="onnxcmp-graphs">([^<]*)/.exec(readFileSync(file, "utf8"))[1]);
    assert.equal(graphs[0].boxes.filter((box) => !box.end).length, 3000);
    const page = await open(file);
    await drawn(page);
    const inView = () => page.locator(".node").count();
    assert.ok(await inView() < 100 && await inView() > 3);
    const took = await page.evaluate(async () => {
      const input = document.querySelector(".board input");
      const begin = performance.now();
      input.value = "neg";
      input.dispatchEvent(new Event("input"));
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return performance.now() - begin;
    });
    assert.ok(took < 200 * slowness, `${took} ms`);
    assert.equal(await page.textContent(".count"), "match 1 of 1");
    const box = await page.locator(".found").boundingBox();
    assert.ok(box.y > 0 && box.y < 900, String(box.y));
    await page.fill(".board input", "^v1\\d\\b");
    assert.equal(await page.textContent(".count"), "match 1 of 10");
    assert.ok(await inView() < 100);
    assert.deepEqual(page.complaints, []);
  });

  it("has a map in which a click moves the view", async () => {
    const page = await open(shown(chain(1000, 500)));
    await drawn(page);
    const map = await page.locator(".overview").boundingBox();
    const first = () => page.$$eval(".node", (all) => Math.min(...all.map((one) => Number(one.dataset.unit))));
    assert.equal(await first(), 0);
    await page.mouse.click(map.x + map.width / 2, map.y + map.height * 0.6);
    await page.waitForFunction(() => !document.querySelector("[data-unit='0']"));
    assert.ok(await first() > 500 && await first() < 700, String(await first()));
    await page.keyboard.press("0");
    assert.ok(!await page.isVisible(".overview"));
    assert.deepEqual(page.complaints, []);
  });

  it("is there in two seconds with 20,000 nodes", async () => {
    const file = shown(chain(20000, 15000));
    const begin = Date.now();
    const page = await open(file);
    await drawn(page);
    const took = Date.now() - begin;
    assert.ok(took < 2000 * slowness, `${took} ms`);
    assert.deepEqual(page.complaints, []);
  });
});

describe("search in a drawing", () => {
  it("finds names, operators and attributes, and goes from one to the next", async () => {
    const page = await open(wrongEpsilon());
    await drawn(page);
    await page.keyboard.press("/");
    await page.keyboard.type("add");
    assert.equal(await page.textContent(".count"), "match 1 of 4");
    assert.equal(await page.locator(".found").count(), 4);
    await page.keyboard.press("Enter");
    assert.equal(await page.textContent(".count"), "match 2 of 4");
    await page.keyboard.press("Escape");
    assert.equal(await page.inputValue(".board input"), "");
    assert.equal(await page.locator(".found").count(), 0);
    await page.fill(".board input", "epsilon=0.5");
    assert.equal(await page.textContent(".count"), "match 1 of 1");
    await page.fill(".board input", "epsilon=[01]e");
    assert.equal(await page.textContent(".count"), "match 1 of 1");
    assert.deepEqual(page.complaints, []);
  });
});

describe("the view of a drawing", () => {
  it("moves and zooms by keys, buttons and wheel", async () => {
    const page = await open(shown(chain(60, 40)));
    await drawn(page);
    const view = () => page.getAttribute(".pane svg > g", "transform");
    let last = await view();
    const changes = async (act) => {
      await act();
      const now = await view();
      assert.notEqual(now, last);
      last = now;
    };
    for (const key of ["+", "ArrowDown", "ArrowRight", "-", "0"]) await changes(() => page.keyboard.press(key));
    for (const name of ["Zoom in", "Zoom out"]) await changes(() => page.click(`[aria-label='${name}']`));
    await changes(async () => {
      await page.mouse.move(600, 400);
      await page.mouse.wheel(0, 200);
      await page.waitForFunction((before) => document.querySelector(".pane svg > g").getAttribute("transform") !== before, last);
    });
    assert.deepEqual(page.complaints, []);
  });

  it("is saved and printed as a whole, however far its panes are apart", async () => {
    const file = shown(...["plain", "optimized", "float16"].map((name) => testData(`models/llm/${name}.onnx`)));
    const { graphs } = JSON.parse(/id="onnxcmp-graphs">([^<]*)/.exec(readFileSync(file, "utf8"))[1]);
    const page = await open(file, { width: 1440 });
    await drawn(page);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(".save")]);
    const text = readFileSync(await download.path(), "utf8");
    assert.equal(text.match(/class="node /g).length, graphs.reduce((sum, { boxes }) => sum + boxes.length, 0));
    assert.deepEqual([...text.matchAll(/viewBox="0 0 ([\d.]+) [\d.]+" class="side/g)].map((one) => Number(one[1])),
      graphs.map(() => Math.max(...graphs.map(({ width }) => width))));
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.deepEqual(await page.$$eval(".pane > svg", (all) => all.map((one) => one.viewBox.baseVal.x)), [0, 0, 0]);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.equal(await page.locator(".pane > svg[viewBox]").count(), 0);
    assert.deepEqual(page.complaints, []);
  });
});

describe("a drawing for all people", () => {
  for (const scheme of ["light", "dark"]) {
    for (const width of [1280, 400]) {
      it(`axe finds nothing: ${scheme}, ${width} px`, async () => {
        const page = await open(wrongEpsilon(), { width, scheme });
        await page.locator("[data-op=LayerNormalization]").first().click();
        assert.deepEqual(await violations(page), []);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "wider than the window");
        assert.deepEqual(page.complaints, []);
      });
    }
  }

  it("has hostile names as text", async () => {
    const names = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>", "\u202Eevil", "n".repeat(10000)];
    const nodes = names.map((name, i) => `${JSON.stringify(name)} = ${["Abs", "Neg", "Exp", "Relu"][i]} (${i === 0 ? "x" : JSON.stringify(names[i - 1])})`);
    const model = written(`(float[2] x) => (${JSON.stringify(names.at(-1))}) { ${nodes.join(" ")} }`);
    for (const file of [shown(model), shown(model, written("(float[2] x) => (y) { y = Abs (x) }"))]) {
      const page = await open(file);
      assert.equal(await page.locator("img").count(), 0);
      await drawn(page);
      assert.equal(await page.locator("script").count(), 2);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      assert.deepEqual(page.complaints, []);
    }
  });
});
