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
const relations = (page) => page.$$eval("[data-relation]", (boxes) => boxes.map((box) => box.dataset.relation));

function written(graph) {
  const file = join(folder, `model${Math.random()}.onnxtxt`);
  writeFileSync(file, `<ir_version: 10, opset_import: ["" : 18]> g ${graph}`);
  return file;
}

describe("two models side by side", () => {
  it("says what differs, and nothing of what does not", async () => {
    const page = await open(wrongEpsilon());
    assert.match(await page.textContent("#summary"), /2 the same \(=\), 1 different/);
    const different = page.locator("[data-relation=different]");
    assert.equal(await different.count(), 2);
    assert.match(await different.first().textContent(), /LayerNormalization.*≠ epsilon: 1e-05 \| 0.5/s);
    assert.ok(await different.first().isVisible());
    assert.deepEqual(page.complaints, []);

    const same = await open(shown(testData(NORM), testData(NORM)));
    assert.deepEqual([...new Set(await relations(same))], ["same"]);
    assert.equal(await same.locator("#differences").count(), 0);
    assert.deepEqual(same.complaints, []);
  });

  it("says what differs beside the nodes", async () => {
    const nodes = " { y = Abs (x) z = Neg (x) }";
    const page = await open(shown(written(`(float[2] x) => (y, z)${nodes}`), written(`(float[2] x) => (z, y)${nodes}`)));
    assert.match(await page.textContent("#differences"), /≠ output 0: y f32\[2\] \| z f32\[2\], another result/);
    assert.equal((await relations(page)).filter((one) => one === "different").length, 4);
    assert.ok(await page.isVisible("#differences"));
    assert.deepEqual(page.complaints, []);
  });

  it("shows a box and its partner when chosen, by pointer and by keys", async () => {
    const page = await open(wrongEpsilon());
    await page.locator("[data-op=LayerNormalization]").first().click();
    assert.match(await page.textContent("#more"), /epsilon=1e-05.*beside it.*epsilon=0.5/s);
    assert.equal(await page.locator(".chosen").count(), 2);
    await page.locator("[data-op=Add]").first().focus();
    await page.keyboard.press("Enter");
    assert.match(await page.textContent("#more"), /Add\(input, skip\)/);
    assert.deepEqual(page.complaints, []);
  });
});

// So many nodes one after the other, of which the one at `other` is another operator.
const chain = (length, other) => {
  const nodes = Array.from({ length }, (_, i) => `v${i + 1} = ${i === other ? "Neg" : i % 2 ? "Abs" : "Relu"} (v${i})`);
  return written(`(float[2] v0) => (float[2] v${length}) { ${nodes.join(" ")} }`);
};

describe("two graphs", () => {
  it("stand in a pane each and begin where they differ, side by side", async () => {
    const page = await open(shown(chain(60, -1), chain(60, 40)), { width: 1440 });
    assert.equal(await page.locator("#view svg").count(), 2);
    const [left, right] = await Promise.all(["l41", "r41"].map((id) => page.locator(`#${id}`).boundingBox()));
    assert.ok(left.y > 0 && left.y < 900 && Math.abs(left.y - right.y) < 1, `${left.y} ${right.y}`);
    assert.ok(left.x > 0 && left.x + left.width < 720 && right.x > 720 && right.x + right.width < 1440, `${left.x} ${right.x}`);
    assert.deepEqual(page.complaints, []);
  });
});

describe("a large drawing", () => {
  const slowness = Number(process.env.ONNXCMP_TEST_SLOWNESS ?? 10);

  it("has all nodes of the model, shows those in view, and is searched at once", async () => {
    const file = shown(chain(3000, 2500));
    assert.equal(readFileSync(file, "utf8").match(/data-op="\w/g).length, 3000);
    const page = await open(file);
    const inView = () => page.locator("g[data-name]").count();
    assert.ok(await inView() < 100 && await inView() > 3);
    assert.equal(await page.locator("g[data-name]").first().isVisible(), true);
    const took = await page.evaluate(async () => {
      const input = document.querySelector("input[type=search]");
      const begin = performance.now();
      input.value = "neg";
      input.dispatchEvent(new Event("input"));
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return performance.now() - begin;
    });
    assert.ok(took < 200 * slowness, `${took} ms`);
    assert.equal(await page.textContent("#count"), "1 of 1");
    const box = await page.locator(".found").boundingBox();
    assert.ok(box.y > 0 && box.y < 900, String(box.y));
    await page.fill("input[type=search]", "^v1\\d\\b");
    assert.equal(await page.textContent("#count"), "1 of 10");
    assert.ok(await inView() < 100);
    assert.deepEqual(page.complaints, []);
  });
});

describe("search in a drawing", () => {
  it("finds names and operators, and goes from one to the next", async () => {
    const page = await open(wrongEpsilon());
    await page.keyboard.press("/");
    await page.keyboard.type("add");
    assert.equal(await page.textContent("#count"), "1 of 4");
    assert.equal(await page.locator(".found").count(), 4);
    await page.keyboard.press("Enter");
    assert.equal(await page.textContent("#count"), "2 of 4");
    await page.keyboard.press("Escape");
    assert.equal(await page.inputValue("input[type=search]"), "");
    assert.equal(await page.locator(".found").count(), 0);
    assert.deepEqual(page.complaints, []);
  });
});

describe("the view of a drawing", () => {
  it("moves and zooms by keys, buttons and wheel", async () => {
    const page = await open(wrongEpsilon());
    const box = () => page.getAttribute("svg", "viewBox");
    let last = await box();
    const changes = async (act) => {
      await act();
      const now = await box();
      assert.notEqual(now, last);
      last = now;
    };
    for (const key of ["+", "ArrowDown", "ArrowRight", "-", "0"]) await changes(() => page.keyboard.press(key));
    for (const id of ["#in", "#fit", "#out"]) await changes(() => page.click(id));
    await changes(async () => {
      await page.mouse.move(600, 400);
      await page.mouse.wheel(0, 200);
      await page.waitForFunction((before) => document.querySelector("svg").getAttribute("viewBox") !== before, last);
    });
    assert.deepEqual(page.complaints, []);
  });
});

describe("a drawing for all people", () => {
  for (const scheme of ["light", "dark"]) {
    for (const width of [1280, 400]) {
      it(`axe finds nothing: ${scheme}, ${width} px`, async () => {
        const page = await open(wrongEpsilon(), { width, scheme });
        await page.locator("[data-op=LayerNormalization]").first().dispatchEvent("pointerdown");
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
      assert.equal(await page.locator("script").count(), 1);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      assert.deepEqual(page.complaints, []);
    }
  });
});
