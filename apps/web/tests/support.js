// The vectors, the command and the browser.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = new URL('../../../', import.meta.url);
export const out = new URL('target/web/', root);

/** Reads a file of `tests/vectors/`. */
export function vectors(name) {
  return JSON.parse(readFileSync(new URL(`tests/vectors/${name}.json`, root), 'utf8'));
}

/** Returns every string of every file of `tests/vectors/`: IDs and all else. */
export function everyText() {
  const texts = new Set();
  const add = (value) => {
    if (typeof value === 'string') texts.add(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(add);
  };
  const folder = fileURLToPath(new URL('tests/vectors/', root));
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.json'));
  for (const name of files.sort()) add(vectors(name.slice(0, -'.json'.length)));
  // A line is an ID to the command, and an empty one nothing.
  return [...texts].filter((text) => /^[^\r\n\0]*\S[^\r\n\0]*$/.test(text));
}

const command = new URL(`target/debug/tickid${process.platform === 'win32' ? '.exe' : ''}`, root);

/** Why tests with the command cannot run; `false` if they can. */
export const withoutCommand = existsSync(command) ? false : 'the command tickid is not built';

/** Runs the command and returns what it prints. IDs that it refuses are no failure. */
export function tickid(words, input = '') {
  const options = { encoding: 'utf8', input, maxBuffer: 1 << 28 };
  const { error, status, stderr, stdout } = spawnSync(fileURLToPath(command), words, options);
  if (error) throw error;
  assert.ok(status === 0 || status === 1, `status ${status}: ${stderr}`);
  return stdout;
}

/** The first ten lines of a column decide for the others: without an integer, nothing. */
const UNDECIDED = Array(10).fill('x');

/** Returns the command's readings of all texts, in their order, each as if it were alone. */
export function commandReadings(texts) {
  const lines = [...UNDECIDED, ...texts].join('\n');
  return tickid(['inspect', '--json', '--all'], `${lines}\n`)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    // Only the command reads IDs behind a prefix.
    .filter(({ line, prefix }) => line > UNDECIDED.length && prefix === undefined);
}

/** Asserts that the readings of `inspect`, made JSON, are those of the command. */
export function assertAgreement(inspections, ofCommand) {
  const readings = inspections.flatMap((inspection) => inspection.readings);
  assert.equal(readings.length, ofCommand.length);
  readings.forEach((reading, index) => {
    const { format, text, hex, unixMs, time, isInUuid } = reading;
    const { confidence, reason, doubt, fields } = reading;
    const expected = ofCommand[index];
    const general = {
      scheme: format,
      text,
      hex,
      unix_ms: unixMs,
      time,
      confidence,
      reason,
      ...(doubt === null ? {} : { doubt }),
      ...(isInUuid ? { carried_in: 'uuid' } : {}),
    };
    for (const [name, value] of Object.entries(general)) {
      assert.equal(expected[name], value, `${name} of ${JSON.stringify(expected)}`);
    }
    // Unless the format has a field of this name, which is compared below.
    for (const name of ['node', 'sequence']) {
      if (fields.some((field) => field.name === name)) continue;
      const number = reading[name] === null ? null : Number(reading[name]);
      assert.equal(expected[name], number, `${name} of ${JSON.stringify(expected)}`);
    }
    for (const { name, value } of fields) {
      if (!(name in expected)) {
        assert.equal(name, 'unused');
        continue;
      }
      const there = expected[name];
      const number = typeof there === 'number' ? BigInt(there) : BigInt(`0x${there}`);
      assert.equal(number, BigInt(value), `${name} of ${JSON.stringify(expected)}`);
    }
  });
  return readings.length;
}

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Returns the path of Chromium, or `null`. */
export function chromiumPath() {
  const { CHROMIUM: chosen } = process.env;
  const paths = chosen ? [chosen] : BROWSERS.map((name) => `/usr/bin/${name}`);
  return paths.find((path) => existsSync(path)) ?? null;
}

/** Starts Chromium. */
export async function startChromium() {
  const { chromium } = await import('playwright-core');
  // Chromium refuses to run as root inside its sandbox.
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({ executablePath: chromiumPath(), chromiumSandbox: !isRoot });
}

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };

/** Serves `target/web` on the loopback address. */
export async function serve() {
  const requested = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    requested.push(pathname);
    const file = new URL(`.${pathname}`, out);
    if (!file.href.startsWith(out.href) || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    const type = TYPES[extname(pathname)] ?? 'text/plain';
    response.writeHead(200, { 'content-type': type }).end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, requested, address: `http://127.0.0.1:${server.address().port}/` };
}
