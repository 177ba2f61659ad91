/** Make page.js and the licences of what it contains: node build.mjs FOLDER */

import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? join(here, "../../cvbuild/serve/static");
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: ["src/main.ts"],
  outfile: join(folder, "page.js"),
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  metafile: true,
});

const inputs = Object.keys(metafile.inputs);
const names = new Set(inputs.map((path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]).filter(Boolean));
const texts = await Promise.all([...names].sort().map(async (name) => {
  const place = join(here, "node_modules", name);
  const { version } = JSON.parse(await readFile(join(place, "package.json"), "utf8"));
  const licence = await readFile(join(place, "LICENSE"), "utf8");
  return `${name} ${version}\n\n${licence.trim()}\n`;
}));
const head = "page.js contains these packages, each under its own licence.\n";
await writeFile(join(folder, "page.js.licences.txt"), [head, ...texts].join(`\n${"-".repeat(72)}\n\n`));
