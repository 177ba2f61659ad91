/** Make page.js, text.js (what shows the text), chunk.js (what both have) and their licences: node build.mjs FOLDER */

import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? join(here, "../../cvbuild/serve/static");
const { metafile, outputFiles } = await build({
  absWorkingDir: here,
  entryPoints: { page: "src/main.ts", text: "src/editor/text.ts" },
  chunkNames: "[name]",
  outdir: folder,
  splitting: true,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  metafile: true,
  write: false,
});

const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
const integrity = `sha384-${createHash("sha384").update(texts.get("text.js")).digest("base64")}`;
await Promise.all([...texts].map(([name, text]) => writeFile(join(folder, name), text.replace("INTEGRITY OF text.js", integrity))));

const inputs = Object.keys(metafile.inputs);
const names = new Set(inputs.map((path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]).filter(Boolean));
const licences = await Promise.all([...names].sort().map(async (name) => {
  const place = join(here, "node_modules", name);
  const { version } = JSON.parse(await readFile(join(place, "package.json"), "utf8"));
  const licence = await readFile(join(place, "LICENSE"), "utf8");
  return `${name} ${version}\n\n${licence.trim()}\n`;
}));
const head = "page.js, text.js and chunk.js contain these packages, each under its own licence.\n";
await writeFile(join(folder, "page.js.licences.txt"), [head, ...licences].join(`\n${"-".repeat(72)}\n\n`));
