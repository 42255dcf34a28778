// Builds the dashboard: types of the API from its description, both languages
// compared, TypeScript checked, one script and one style sheet bundled.  The
// same sources give the same bytes, so the result is committed, and a test
// compares it with a fresh build.
//
//   node build.mjs [FOLDER]        FOLDER is dist/ unless another is named
//
// `make dashboard` installs the packages and runs this.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { faults } from "./locales.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, "dist"));
const firstScreenMax = 150_000; // bytes, compressed

process.chdir(here);

function run(program, ...words) {
  execFileSync(process.execPath, [join("node_modules", program), ...words],
    { stdio: ["ignore", "ignore", "inherit"] });
}

function check() {
  const read = (name) => JSON.parse(readFileSync(`locales/${name}.json`, "utf8"));
  const wrong = faults({ en: read("en"), de: read("de") });
  if (wrong.length) {
    throw new Error(`locales:\n  ${wrong.join("\n  ")}`);
  }
  run("openapi-typescript/bin/cli.js", "../docs/openapi.json", "-o",
    "src/api/schema.ts", "--default-non-nullable=false");
  try {
    execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "."],
      { stdio: ["ignore", "inherit", "inherit"] });
  } catch {
    throw new Error("TypeScript refuses the sources");
  }
}

async function bundle() {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  await build({
    entryPoints: { app: "src/main.tsx", style: "src/style.css" },
    absWorkingDir: here,
    outdir: out,
    bundle: true,
    minify: true,
    format: "esm",
    target: ["chrome123", "firefox120", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
  cpSync("static", out, { recursive: true });
  const licences = ["preact", "@preact/signals", "@preact/signals-core"].map((name) =>
    `${name}\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim()}\n`);
  writeFileSync(join(out, "LICENSES.txt"), licences.join("\n\n"));
}

function measure() {
  const size = ["index.html", "theme.js", "app.js", "style.css"]
    .map((name) => gzipSync(readFileSync(join(out, name))).length)
    .reduce((sum, one) => sum + one, 0);
  console.log(`first screen: ${(size / 1000).toFixed(1)} kB compressed`);
  if (size > firstScreenMax) {
    throw new Error(`first screen: more than ${firstScreenMax} bytes`);
  }
}

try {
  check();
  await bundle();
  measure();
} catch (error) {
  console.error(`dashboard: ${error.message}`);
  process.exitCode = 1;
}
