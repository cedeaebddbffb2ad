// Puts the npm package and the page together: `apps/web/build` runs this last.

import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

import { build, transform } from 'esbuild';

const root = new URL('../../', import.meta.url);
const out = new URL('target/web/', root);
const at = (path, base = import.meta.url) => new URL(path, base);
const text = (url) => readFile(url, 'utf8');
const engine = at('engine/engine.js', out);
const module = at('engine/engine_bg.wasm', out);

/** Returns a value that all crates inherit. */
async function inherited(key) {
  const manifest = await text(at('Cargo.toml', root));
  // The table is the first that has such keys.
  const found = RegExp(`^${key} = "(.*)"$`, 'm').exec(manifest);
  if (found === null) throw new Error(`no ${key} in Cargo.toml`);
  return found[1];
}

async function buildPackage() {
  const folder = at('npm/', out);
  await rm(folder, { force: true, recursive: true });
  await mkdir(folder, { recursive: true });
  await cp(at('npm/'), folder, { recursive: true });
  await cp(at('npm/index.d.ts'), at('index.d.cts', folder));
  for (const file of ['LICENSE-APACHE', 'LICENSE-MIT']) {
    await cp(at(file, root), at(file, folder));
  }
  await cp(engine, at('engine.js', folder));
  await cp(module, at('engine_bg.wasm', folder));
  await build({
    entryPoints: [at('node-engine.js', folder).pathname],
    outfile: at('node.cjs', folder).pathname,
    banner: { js: "const url = require('node:url').pathToFileURL(__filename).href;" },
    bundle: true,
    define: { 'import.meta.url': 'url' },
    format: 'cjs',
    logLevel: 'warning',
    platform: 'node',
    target: 'node20',
  });
  await rm(at('node-engine.js', folder));
  const manifest = JSON.parse(await text(at('npm/package.json')));
  manifest.version = await inherited('version');
  manifest.repository = await inherited('repository');
  await writeFile(at('package.json', folder), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Returns the source expression of a content security policy for an inline text. */
function hash(content) {
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
}

async function buildPage() {
  const folder = at('page/', out);
  await rm(folder, { force: true, recursive: true });
  await mkdir(folder, { recursive: true });
  // In the page it is Base64, which compresses badly: packed before that.
  const packed = at('engine/engine.gz', out);
  await writeFile(packed, gzipSync(await readFile(module), { level: 9 }));
  const bundle = await build({
    entryPoints: [at('page/main.ts').pathname],
    alias: { 'tickid-engine': engine.pathname, 'tickid-engine.gz': packed.pathname },
    bundle: true,
    charset: 'utf8',
    format: 'esm',
    legalComments: 'none',
    loader: { '.gz': 'binary' },
    logLevel: 'warning',
    minify: true,
    target: 'es2022',
    // The engine's own way to its module is not used here, and must not be a request.
    define: { 'import.meta.url': '""' },
    write: false,
  });
  const script = bundle.outputFiles[0].text.trim();
  const css = await transform(await text(at('page/style.css')), { loader: 'css', minify: true });
  const style = css.code.trim();
  if (/<\/script|<!--/i.test(script)) throw new Error('the script would end its element');
  const policy = [
    "default-src 'none'",
    `script-src ${hash(script)} 'wasm-unsafe-eval'`,
    `style-src ${hash(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  const parts = { policy, style, script };
  const page = await text(at('page/index.html'));
  const html = page.replace(/\{\{(\w+)\}\}/g, (_, part) => parts[part]);
  await writeFile(at('index.html', folder), html);
  const size = gzipSync(html, { level: 9 }).length;
  console.log(`target/web/page/index.html: ${html.length} characters, ${size} bytes compressed`);
}

await buildPackage();
await buildPage();
