// A module of src/ that is pure, as node can import it: TypeScript made
// JavaScript by the bundler that builds the dashboard.

import { build } from "esbuild";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const src = join(dirname(fileURLToPath(import.meta.url)), "../../src");

export async function load(name) {
  const { outputFiles } = await build({
    entryPoints: [join(src, name)], bundle: true, write: false, format: "esm",
    platform: "neutral", logLevel: "error",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
}
