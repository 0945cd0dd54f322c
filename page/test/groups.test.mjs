// Headings of groups of rows in the table.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { chainReport, close, open, pageWith, violations } from "./support.mjs";

after(close);

const titlesOf = (page) => page.$$eval(".heading", (headings) => headings.map((heading) => heading.textContent));

// A chain of which the exporter noted where each node comes from.
function noted(length, placeOf) {
  const report = chainReport(length, 0, (i) => `n_${i}`);
  for (const side of ["left", "right"]) {
    report[side].results.forEach((result, i) => i > 0 && Object.assign(result, placeOf(i)));
  }
  return report;
}

describe("groups of rows", () => {
  it("have modules as headings, with their lines of the program", async () => {
    const page = await open(pageWith(noted(13, (i) => ({ module: i < 7 ? "net.block.0" : "net.block.1", source_line: `net.py:${20 + i}` }))));
    assert.deepEqual(await titlesOf(page), ["net.block.0  net.py:21–26", "net.block.1  net.py:27–32"]);
    const below = await page.$eval(".heading:has-text('block.1')", (heading) => heading.nextElementSibling.dataset.row);
    assert.equal(below, "7");
    // Keys pass over them.
    await page.click("[data-row='6']");
    await page.keyboard.press("j");
    assert.equal(await page.getAttribute("[aria-selected=true]", "data-row"), "7");
    await page.keyboard.press("k");
    assert.equal(await page.getAttribute("[aria-selected=true]", "data-row"), "6");
    assert.match(await page.textContent(".details"), /net\.py:26/);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(page.complaints, []);
  });

  it("are by lines alone where no module is noted", async () => {
    const page = await open(pageWith(noted(13, (i) => ({ source_line: `net.py:${i < 7 ? 8 : 9}` }))));
    assert.deepEqual(await titlesOf(page), ["net.py:8", "net.py:9"]);
    await page.fill("#search", "net.py:9");
    assert.deepEqual(await titlesOf(page), []);
    assert.equal(await page.locator("[data-row]").count(), 6);
    assert.deepEqual(page.complaints, []);
  });

  it("are by scopes in names, of what is not folded", async () => {
    const page = await open(pageWith(chainReport(60, 45)));
    assert.deepEqual(await titlesOf(page), ["layer.4", "layer.5"]);
    // What the heading says need not be said again; a list without headings says it.
    const nameAt = (row) => page.textContent(`[data-row="${row}"] .left .name`);
    assert.equal(await nameAt(46), "node_46");
    await page.selectOption("#sort", "max");
    assert.match(await nameAt(46), /layer\.4\/node_46/);
    assert.deepEqual(await titlesOf(page), []);
    assert.deepEqual(page.complaints, []);
  });

  it("are by calls and bodies, as deep as leaves some rows to each", async () => {
    const page = await open(pageWith(noted(16, (i) => ({ path: [`loop[${i < 8 ? 0 : 1}]`, `call_${i}`], source_line: "a.py:1" }))));
    assert.deepEqual(await titlesOf(page), ["loop[0]", "loop[1]"]);
    assert.deepEqual(page.complaints, []);
  });

  it("have no headings where each row would have one, or nothing is noted", async () => {
    for (const placeOf of [(i) => ({ module: `m${i}`, source_line: `a.py:${i}` }), () => ({})]) {
      const page = await open(pageWith(noted(12, placeOf)));
      assert.deepEqual(await titlesOf(page), []);
    }
  });

  it("show hostile names as text", async () => {
    const page = await open(pageWith(noted(13, (i) => ({ module: i < 7 ? "<img src=x onerror=alert(1)>" : `\u202e${"x".repeat(9000)}`, source_line: "\n:x" }))));
    const [first, second] = await titlesOf(page);
    assert.equal(first, "<img src=x onerror=alert(1)>");
    assert.ok(second.length < 300 && second.startsWith("⟨U+202E⟩"), second.slice(0, 20));
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(page.complaints, []);
  });
});
