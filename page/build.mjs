// node build.mjs [FOLDER]: bundles src/ into FOLDER (dist): page.js, page.css, and sources.sha256,
// by which a build without Node knows that the bundle is of these sources.
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const page = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(page, "dist");
await mkdir(target, { recursive: true });

// Whatever cannot stand in a script element or in a C++ raw string.
const FORBIDDEN = [/<\/script/i, /<!--/, /<\/style/i, /\)ONNXCMP_PAGE"/, /\r/, /\0/];

const licence = await readFile(join(page, "node_modules/@dagrejs/dagre/LICENSE"), "utf8");
const notice = `/*! With dagre and graphlib, github.com/dagrejs.\n${licence.trim()}\n*/`;

for (const [source, file, banner] of [["src/main.ts", "page.js", { js: notice }], ["src/page.css", "page.css", {}]]) {
  const { outputFiles } = await build({
    absWorkingDir: page,
    entryPoints: [source],
    bundle: true,
    minify: true,
    write: false,
    charset: "ascii",
    target: "es2022",
    format: "iife",
    legalComments: "none",
    banner,
  });
  const { text } = outputFiles[0];
  for (const forbidden of FORBIDDEN) {
    if (forbidden.test(text)) throw new Error(`${file} has ${forbidden}`);
  }
  await writeFile(join(target, file), text);
}

const sources = ["build.mjs", "package-lock.json", "package.json", "tsconfig.json",
  ...(await readdir(join(page, "src"))).map((name) => `src/${name}`)].sort();
const lines = [];
for (const name of sources) {
  const hash = createHash("sha256").update(await readFile(join(page, name))).digest("hex");
  lines.push(`${hash}  ${name}`);
}
await writeFile(join(target, "sources.sha256"), lines.join("\n") + "\n");
