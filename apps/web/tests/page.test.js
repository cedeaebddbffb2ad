import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import {
  assertAgreement,
  chromiumPath,
  commandReadings,
  everyText,
  out,
  serve,
  startChromium,
  tickid,
  vectors,
  withoutCommand,
} from './support.js';

const { describe, parse, print, sample } = await import(new URL('npm/node.js', out));

const file = new URL('page/index.html', out);
const skip = chromiumPath() === null ? 'Chromium is not installed' : false;

let browser, served;

before(async () => {
  if (skip) return;
  [browser, served] = await Promise.all([startChromium(), serve()]);
});

after(async () => {
  await browser?.close();
  served?.server.close();
});

const NOW = new Date('2026-11-22T12:00:00Z');

/** Opens the page, and fails on anything that it reports or requests. */
async function open(t, { fragment = '', from = file.href, ...options } = {}) {
  const context = await browser.newContext({
    colorScheme: 'light',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    ...options,
  });
  t.after(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const reported = [];
  page.on('console', (message) => reported.push(message.text()));
  page.on('pageerror', (error) => reported.push(String(error)));
  page.on('request', (request) => {
    if (request.url().split('#')[0] !== from) reported.push(`request of ${request.url()}`);
  });
  await page.clock.setFixedTime(NOW);
  await page.goto(`${from}${fragment}`);
  await page.waitForSelector('html[data-ready]');
  t.after(() => assert.deepEqual(reported, []));
  return page;
}

const input = (page) => page.getByLabel('One ID, or one on each line');
/** Sets the text at once; as typing, thousands of lines take Chromium many seconds. */
const setText = (page, text) =>
  input(page).evaluate((element, text) => {
    element.value = text;
    element.dispatchEvent(new Event('input', { bubbles: true }));
  }, text);
const card = (page) => page.locator('#one');
const status = (page, text) => page.locator('#status', { hasText: text }).waitFor();

/** Returns the cells of the row of a table that begins with a name. */
async function row(page, name) {
  const rows = card(page).locator('tr', { has: page.locator(`th:text-is("${name}")`) });
  return rows.first().locator('td').allInnerTexts();
}

test('the page has at most 150 KB compressed', (t) => {
  const size = gzipSync(readFileSync(file), { level: 9 }).length;
  assert.ok(size <= 150_000, `${size} bytes`);
  t.diagnostic(`shown: the page has ${size} bytes, compressed`);
});

test('typing shows the card of an ID', { skip }, async (t) => {
  const page = await open(t);
  assert.equal(await card(page).isVisible(), false);
  await input(page).pressSequentially('0u375nxqh5cq');
  await status(page, 'SCRU64, likely, 2023-03-12T09:34:19.136Z');
  assert.equal(await card(page).getByRole('heading', { level: 2 }).innerText(), 'SCRU64');
  assert.equal((await row(page, 'UTC'))[0], '2023-03-12T09:34:19.136Z');
  assert.equal((await row(page, 'Europe/Berlin'))[0], '2023-03-12 10:34:19.136 +01:00');
  await card(page).getByText('3 years 8 months ago').waitFor();
  assert.deepEqual((await row(page, 'timestamp')).slice(0, 2), ['40 bits', '6557084606']);
  assert.equal((await row(page, 'Integer'))[0], '110009624767914842');
  const bits = await card(page).locator('.digits').allInnerTexts();
  const whole = bits.join('').replaceAll('\u200b', '');
  assert.equal(BigInt(`0b${whole}`), 110009624767914842n);
  assert.equal(whole.length, 64);
});

test('values that an ID does not say are set', { skip }, async (t) => {
  const page = await open(t, { fragment: '#id=0u375nxqh5cq' });
  await page.getByText('What the ID does not say').click();
  await page.getByLabel('SCRU64: node size').fill('8');
  await card(page).getByRole('rowheader', { name: 'node ID' }).waitFor();
  assert.deepEqual((await row(page, 'node ID')).slice(0, 2), ['8 bits', '42']);
  assert.deepEqual((await row(page, 'sno')).slice(1, 2), ['nothing']);
  await input(page).fill('bppc0m3ju134');
  const epoch = page.getByLabel('Nanoflake: epoch');
  await epoch.fill('epoch 1');
  await page.getByRole('alert').getByText(/^Neither the name of an epoch nor milli/).waitFor();
  await epoch.fill('discord');
  await card(page).getByRole('cell', { name: '1420070400000', exact: true }).waitFor();
  await epoch.fill('2015-01-01');
  await page.waitForURL(/epoch=1420070400000/);
  await card(page).getByRole('cell', { name: '1420070400000', exact: true }).waitFor();
});

test('other readings can be chosen', { skip }, async (t) => {
  const page = await open(t, { fragment: '#id=112372036854775807' });
  await card(page).getByText(/^one of \d likely readings$/).waitFor();
  await card(page).getByRole('button', { name: /^Mastodon ID/ }).click();
  assert.equal(await card(page).getByRole('heading', { level: 2 }).innerText(), 'Mastodon ID');
  const focused = await page.evaluate(() => document.activeElement.id);
  assert.equal(focused, 'one-title');
  await card(page).getByRole('button', { name: /^SCRU64/ }).waitFor();
});

test('conversions name what is lost', { skip }, async (t) => {
  const page = await open(t, { fragment: '#id=175928847299117063' });
  await card(page).getByRole('heading', { level: 2, name: 'Discord' }).waitFor();
  assert.deepEqual((await row(page, 'sno')).slice(1, 2), ['nothing']);
  assert.match((await row(page, 'kuid local'))[1], /node 32 dropped/);
  await page.getByLabel('Nodes are').selectOption('keep');
  assert.match((await row(page, 'kuid local'))[0], /node 32 does not fit/);
  await page.getByLabel('Nodes are').selectOption('set');
  await page.getByLabel('The node of the new ID').fill('7');
  await card(page).getByText('node 32 replaced by 7').first().waitFor();
});

test('days are ranges for a WHERE clause', { skip: skip || withoutCommand }, async (t) => {
  const page = await open(t);
  const clause = page.locator('#clause');
  const unixMs = Date.UTC(2025, 0, 1);
  const local = print('kuid-local', sample('kuid-local', { unixMs }));
  for (const [id, scheme, more] of [
    ['0u375nxqh5cq', 'scru64', ['--as', 'int']],
    ['bppc0m3ju134', 'nanoflake', ['--as', 'int']],
    [local, 'kuid', ['--kind', 'local', '--as', 'int']],
    ['.5dAtc8_zTJNODqB', 'kuid', []],
    ['9q8q28b6522i6222', 'sno', []],
    ['175928847299117063', 'discord', ['--as', 'int']],
    ['3541921456674563742', 'instagram', ['--as', 'int']],
  ]) {
    await input(page).fill(id);
    if (scheme === 'instagram') {
      // With random fields, it is only possible.
      await card(page).getByRole('heading', { name: 'Not likely an ID' }).waitFor();
      // In the words of the command, which does not doubt that the text is whole.
      await card(page)
        .getByText(/^It is not likely an ID; it may be: Instagram ID \(2025-01-09T/)
        .waitFor();
      assert.equal(await card(page).getByText('Check that it is whole').count(), 0);
      await card(page).getByText(/^Possible: /).click();
      await card(page).getByRole('button', { name: /^Instagram/ }).click();
    }
    await card(page).locator('.id', { hasText: id }).waitFor();
    await page.getByLabel('Day').fill('2024-03-31');
    await page.getByLabel('Column').fill('Key');
    for (const [zone, since, until] of [
      ['utc', '2024-03-31T00:00:00Z', '2024-04-01T00:00:00Z'],
      // A day of 23 hours.
      ['local', '2024-03-30T23:00:00Z', '2024-03-31T22:00:00Z'],
    ]) {
      await page.getByLabel('Zone').selectOption(zone);
      const words = ['range', scheme, '--since', since, '--until', until, ...more];
      const [min, max] = tickid(words).trim().split('\n');
      const quoted = more.includes('int') ? [min, max] : [`'${min}'`, `'${max}'`];
      const expected = `WHERE "Key" BETWEEN ${quoted.join(' AND ')}`;
      assert.equal(await clause.innerText(), expected);
    }
  }
});

test('typed layouts are drawn', { skip: skip || withoutCommand }, async (t) => {
  const page = await open(t);
  const drawn = page.locator('#layout-card');
  const field = page.getByLabel('Snowflake: layout');
  const wide = '42x1ms/4n/18s/unsigned@0';
  for (const spec of ['discord', 'js-safe', '39x10ms/8s/16n@2014-09-01', wide]) {
    await field.fill(spec);
    const there = JSON.parse(tickid(['layout', '--json', spec]));
    await drawn.locator('.id', { hasText: there.layout }).waitFor();
    const text = (await drawn.innerText()).replaceAll(',', '');
    const { first, last, span, nodes, ids_per_second: rate, fields, warnings } = there;
    const parts = [first.time, last.time, span, `${nodes}`, `${rate} per second`];
    const safe = [there.javascript_until, there.signed_until].map((it) => it?.time ?? 'all IDs');
    const bits = fields.map(({ name, bits }) => `${name.replaceAll('_', ' ')}\t${bits} bit`);
    for (const part of [...parts, ...safe, ...bits, ...warnings.map(({ text }) => text)]) {
      assert.ok(text.includes(part.replaceAll(',', '')), `${part} in ${text}`);
    }
  }
  await field.fill('discord');
  await drawn.getByText('the sign bit is set from 2084-09-06T15:47:35Z on').waitFor();
  await page.waitForURL(/#layout=discord$/);
  await page.reload();
  await page.waitForSelector('html[data-ready]');
  await drawn.getByRole('heading', { name: 'Discord Snowflake' }).waitFor();
  // An ID is read by the layout as well.
  const layout = '40x1ms/12n/11s@2026-01-01';
  await field.fill(layout);
  const unixMs = NOW.getTime() - 1_000;
  await input(page).fill(String(sample('snowflake', { layout, unixMs, node: 3, sequence: 1 })));
  await card(page).getByText(/^Snowflake( ·|$)/).first().waitFor();
  await field.fill('39x10ms/8s/99n@2014-09-01');
  await page.getByRole('alert').getByText(/99/).waitFor();
  await drawn.locator('.id').waitFor({ state: 'detached' });
  const options = page.locator('#presets option');
  const offered = await options.evaluateAll((all) => all.map(({ value }) => value));
  const lines = tickid(['layout', '--json']).trim().split('\n');
  assert.deepEqual(offered, lines.map((line) => JSON.parse(line).names[0]));
});

test('a thousand pasted IDs are listed', { skip: skip || withoutCommand }, async (t) => {
  const page = await open(t, { permissions: ['clipboard-read', 'clipboard-write'] });
  // The command has no other clock.
  await page.clock.setFixedTime(new Date());
  const ids = vectors('detect').ids.map(({ text }) => text);
  const single = ids.filter((text) => !/[\s,"'`]/.test(text));
  const texts = Array.from({ length: 999 }, (_, index) => single[index % single.length]);
  const pasted = [...texts, 'no ID!!'].join('\n');
  await page.evaluate((text) => navigator.clipboard.writeText(text), pasted);
  await input(page).press('Control+v');
  await status(page, '1,000 IDs');
  // As one column, whose first lines decide together.
  const ofCommand = tickid(['inspect', '--json'], `${pasted}\n`).trim().split('\n');
  const there = new Map(
    ofCommand.map((line) => JSON.parse(line)).map(({ line, time }) => [line, time]),
  );
  const list = page.getByRole('listbox', { name: /1,000 IDs/ });
  const here = await list.getByRole('option').evaluateAll((options) =>
    options.map((option) => option.lastChild.textContent),
  );
  assert.equal(here.length, 1_000);
  // The command prints nothing for those that are not likely IDs.
  assert.deepEqual(here, here.map((_, index) => there.get(index + 1) ?? ''));
  await list.press('End');
  await card(page).getByRole('heading', { name: 'Not likely an ID' }).waitFor();
  await list.press('Home');
  await list.press('ArrowDown');
  const selected = list.getByRole('option', { selected: true });
  assert.equal(await selected.count(), 1);
  assert.ok((await selected.innerText()).startsWith(texts[1]));
  await page.getByRole('button', { name: 'Copy as CSV' }).click();
  const csv = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(csv.trim().split('\n').length, 1_001);
  assert.ok(csv.startsWith(`id,format,time,hex\n${texts[0]},`));
});

test('a list says how much of the text it has', { skip }, async (t) => {
  const page = await open(t, { permissions: ['clipboard-read', 'clipboard-write'] });
  const ids = Array.from({ length: 10_000 }, (_, index) => 175928847299117063n + BigInt(index));
  await setText(page, ids.join('\n'));
  await page.getByRole('heading', { name: 'The first 5,000 IDs of 10,000 lines' }).waitFor();
  await page.getByRole('button', { name: 'Copy as CSV' }).click();
  const csv = await page.evaluate(() => navigator.clipboard.readText());
  const rows = csv.trim().split('\n');
  // As spreadsheets take integers of more than 15 digits for text.
  assert.ok(rows[1].startsWith('"=""175928847299117063""",discord,2016-04-30T11:18:25.796Z,'));
  assert.equal(rows.at(-1), '"The first 5,000 IDs of 10,000 lines"');
  assert.equal(rows.length, 5_002);
  await setText(page, ids.slice(0, 5_000).join('\n'));
  await page.getByRole('heading', { name: /^5,000 IDs\b/ }).waitFor();
});

test('pasted lines decide together', { skip: skip || withoutCommand }, async (t) => {
  const page = await open(t);
  await page.clock.setFixedTime(new Date());
  // Instagram's, each of which alone is no more probable than any number.
  const ids = Array.from({ length: 10 }, (_, hour) => {
    const ms = 1_709_600_000_000n - 1_314_220_021_721n + BigInt(hour) * 4_567_891n;
    return (ms << 23n) | (1_341n << 10n) | BigInt((hour * 397) % 1_024);
  });
  const pasted = [...ids, 'NULL'].join('\n');
  await input(page).fill(pasted);
  await status(page, '11 IDs, 1 of no known format');
  const formats = page.getByRole('list', { name: 'Formats' });
  // The words of the command.
  const table = tickid(['inspect', '--summary'], `${pasted}\n`).split('\n');
  assert.match(table[1], /^ +10 {2}Instagram ID {2}/);
  const [first, last] = table[1].match(/\d{4}-\S+Z/g);
  const shown = await formats.getByRole('listitem').allInnerTexts();
  assert.deepEqual(shown, [`10 Instagram ID, ${first} to ${last}`, '1 no ID']);
  // The card of one is judged by the others, too.
  await page.getByRole('listbox').press('ArrowDown');
  await card(page).getByText(/^Instagram ID/).first().waitFor();
});

test('IDs are found in lines', { skip }, async (t) => {
  const page = await open(t);
  const literal = '[1, 134, 213, 43, 190, 42, 99, 90]';
  await input(page).fill(`Order "9q8q28b6522i6222" req-0u375nxqh5cq;\n\n${literal}`);
  await status(page, '3 IDs, 1 other word left out');
  const shown = await page.locator('[role=option]').allInnerTexts();
  assert.deepEqual(shown.map((text) => text.split('\n')[1]), ['sno', 'SCRU64', 'SCRU64, bytes']);
});

test('texts that are no IDs are explained', { skip }, async (t) => {
  const page = await open(t);
  for (const text of ['hello', '<img src=x onerror=alert(1)>', 'é'.repeat(500), '٣', '0', '"']) {
    await input(page).fill(text);
    await status(page, 'Not likely an ID.');
    // What reads as an ID of an unlikely time is whole.
    const isWhole = text === 'hello' || text === '0';
    const said = isWhole ? /^It is not likely an ID; it may be: / : /^The text has \d+ characters\./;
    await card(page).getByText(said).waitFor();
    assert.equal(await page.locator('img').count(), 0);
    await input(page).fill('');
    await card(page).waitFor({ state: 'hidden' });
  }
  // In the words of the command.
  await input(page).fill('1.4560744691298714e+18');
  await card(page).getByText(/^A program held this as a floating-point number, /).waitFor();
  assert.equal(await card(page).getByText('Check that it is whole').count(), 0);
});

test('fragments carry the ID', { skip }, async (t) => {
  const page = await open(t, { fragment: '#01ARZ3NDEKTSV4RRFFQ69G5FAV' });
  await status(page, 'ULID, 2016-07-30T23:54:10.259Z');
  await input(page).fill("b'\\x01\\x86\\xd5\\x2b\\xbe\\x2a\\x63\\x5a' & more=1#x");
  await page.waitForURL(/#id=b%27/);
  const text = await input(page).inputValue();
  await page.reload();
  await page.waitForSelector('html[data-ready]');
  assert.equal(await input(page).inputValue(), text);
  await page.evaluate(() => (location.hash = '#id=0u375nxqh5cq&node-size=8&drift=99'));
  await status(page, 'SCRU64');
  assert.deepEqual((await row(page, 'node ID')).slice(0, 2), ['8 bits', '42']);
  for (const broken of ['#%', '#id=%ff%', '#=', '#&&&', '#epoch=1e99&id=1', '#node-size=x']) {
    await page.evaluate((hash) => (location.hash = hash), broken);
    await page.waitForFunction(() => document.documentElement.dataset.ready === '');
  }
  await setText(page, '1\n'.repeat(2_000));
  await status(page, '2,000 IDs');
  assert.equal(await page.getByRole('button', { name: 'Copy link' }).isDisabled(), true);
});

test('buttons copy', { skip }, async (t) => {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const from = `${served.address}page/index.html`;
  const page = await open(t, { fragment: '#id=9q8q28b6522i6222', from, permissions });
  const copied = async (name) => {
    await page.getByRole('button', { name, exact: true }).click();
    let text = '';
    while (text === '') text = await page.evaluate(() => navigator.clipboard.readText());
    await page.evaluate(() => navigator.clipboard.writeText(''));
    return text;
  };
  assert.equal(await copied('Copy the text'), '9q8q28b6522i6222');
  const uuid = await copied('Copy In a UUID');
  assert.equal(print('sno', parse('sno', uuid, 'uuid')), '9q8q28b6522i6222');
  assert.match(await copied('Copy the clause'), /^WHERE id BETWEEN '\w{16}' AND '\w{16}'$/);
  assert.equal(await copied('Copy link'), page.url());
});

test('samples are IDs of this moment', { skip: skip || withoutCommand }, async (t) => {
  const page = await open(t);
  const region = page.getByRole('region', { name: 'Samples' });
  const texts = await region.locator('td.mono').allInnerTexts();
  await page.getByRole('button', { name: 'New samples' }).click();
  assert.notDeepEqual(await region.locator('td.mono').allInnerTexts(), texts);
  const formats = ['scru64', 'nanoflake', 'kuid', 'kuid', 'sno', 'snowflake'];
  assert.equal(texts.length, formats.length);
  texts.forEach((text, index) => {
    const line = tickid(['inspect', '--json', '--from', formats[index], text]);
    const age = NOW.getTime() - JSON.parse(line).unix_ms;
    assert.ok(age >= 0 && age < 256, `${text}: ${age} ms`);
  });
  await page.getByRole('button', { name: 'Inspect the sample of sno', exact: true }).click();
  await card(page).getByRole('heading', { level: 2, name: 'sno' }).waitFor();
});

test('the keyboard reaches everything', { skip }, async (t) => {
  const page = await open(t, { fragment: '#id=9q8q28b6522i6222%0A0u375nxqh5cq' });
  const reached = new Set();
  for (let presses = 0; presses < 200; presses += 1) {
    await page.keyboard.press('Tab');
    const name = await page.evaluate(() => {
      const { activeElement: active } = document;
      if (active === document.body) return '';
      // Every stop is seen.
      const { outlineStyle } = getComputedStyle(active);
      const label = active.getAttribute('aria-label') ?? active.textContent;
      return `${outlineStyle} ${active.id} ${label}`;
    });
    if (name === '') break;
    assert.ok(!name.startsWith('none'), name);
    reached.add(name);
  }
  const all = [...reached].join('\n');
  for (const name of ['link', 'list', 'nodes', 'day', 'clause', 'Copy the text', 'New samples']) {
    assert.ok(all.includes(name), `${name} in ${all}`);
  }
});

test('the page works offline and requests nothing', { skip }, async (t) => {
  const from = `${served.address}page/index.html`;
  const page = await open(t, { from });
  await page.context().setOffline(true);
  served.server.closeAllConnections();
  await input(page).fill('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
  await status(page, 'UUID of version 7, 2022-02-22T19:22:22.000Z');
  await page.context().setOffline(false);
});

test('the policy lets nothing out', { skip }, async (t) => {
  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  served.requested.splice(0);
  await page.goto(`${served.address}page/index.html`);
  await page.waitForSelector('html[data-ready]');
  const refused = await page.evaluate(async () => {
    const violations = [];
    addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
      violations.push(effectiveDirective);
    });
    const outcome = await fetch('/stolen').then(() => 'sent', () => 'refused');
    const image = new Image();
    image.src = '/stolen.png';
    navigator.sendBeacon?.('/stolen');
    const markup = () => (document.body.innerHTML = '<img src=/stolen.png>');
    const isRefused = ((attempt) => {
      try {
        attempt();
        return false;
      } catch (error) {
        return error instanceof TypeError;
      }
    })(markup);
    // The image is refused later.
    const isSeen = () => violations.includes('img-src') && violations.includes('connect-src');
    while (!isSeen()) await new Promise((resolve) => requestAnimationFrame(resolve));
    return { outcome, isRefused };
  });
  assert.equal(refused.outcome, 'refused');
  assert.ok(refused.isRefused, 'markup');
  assert.deepEqual(served.requested, ['/page/index.html']);
});

test('the browser agrees with the command', { skip: skip || withoutCommand }, async (t) => {
  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(`${served.address}npm/README.md`);
  const texts = everyText();
  const found = await page.evaluate(async (texts) => {
    const { inspect } = await import('/npm/browser.js');
    const write = (_, value) => (typeof value === 'bigint' ? String(value) : value);
    return JSON.stringify(texts.map((text) => inspect(text)), write);
  }, texts);
  const count = assertAgreement(JSON.parse(found), commandReadings(texts));
  t.diagnostic(`shown: ${count} readings of ${texts.length} texts in Chromium, as the command's`);
});

test('browsers generate IDs', { skip }, async (t) => {
  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(`${served.address}npm/README.md`);
  const ids = await page.evaluate(async () => {
    const { IdGenerator } = await import('/npm/browser.js');
    const generator = new IdGenerator('nanoflake', { node: 33 });
    const ids = [];
    // More than a millisecond has.
    while (ids.length < 10_000) ids.push(await generator.next());
    return ids.map(String);
  });
  assert.equal(new Set(ids).size, 10_000);
  assert.ok(ids.every((id, index) => index === 0 || BigInt(id) > BigInt(ids[index - 1])));
  const { unixMs } = describe('nanoflake', BigInt(ids[0]));
  assert.ok(Math.abs(unixMs - Date.now()) < 60_000, `${unixMs}`);
});

const STATES = [
  ['nothing', ''],
  ['an ID', '#id=0u375nxqh5cq&node-size=8'],
  ['several likely readings', '#id=105940971567581509'],
  ['many IDs', '#id=9q8q28b6522i6222%0Ano ID!%0A017f22e2-79b0-7cc3-98c4-dc0c0c07398f'],
  ['no ID', '#id=hello'],
  ['a layout', '#layout=39x10ms/8s/16n@2014-09-01'],
];

test('axe finds nothing', { skip }, async (t) => {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  let checked = 0;
  for (const colorScheme of ['light', 'dark']) {
    for (const viewport of [{ width: 1_280, height: 900 }, { width: 360, height: 740 }]) {
      // The policy lets no script in but the page's.
      const page = await open(t, { colorScheme, viewport, bypassCSP: true });
      await page.evaluate(axe);
      for (const [name, fragment] of STATES) {
        await page.evaluate((hash) => (location.hash = hash || '#id='), fragment);
        await page.locator('details').evaluateAll((all) => all.forEach((one) => (one.open = true)));
        const { violations } = await page.evaluate(() => axe.run(document));
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
        assert.deepEqual(found, [], `${name}, ${colorScheme}, ${viewport.width}`);
        checked += 1;
      }
    }
  }
  t.diagnostic(`shown: axe finds nothing in ${checked} views of the page`);
});

test('nothing is wider than a phone', { skip }, async (t) => {
  const page = await open(t, { viewport: { width: 320, height: 640 } });
  for (const [name, fragment] of STATES) {
    await page.evaluate((hash) => (location.hash = hash || '#id='), fragment);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 320, `${name}: ${width}`);
  }
});

test('text of twice the size fits a phone', { skip }, async (t) => {
  const page = await open(t, { viewport: { width: 360, height: 740 } });
  await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
  for (const [name, fragment] of STATES) {
    await page.evaluate((hash) => (location.hash = hash || '#id='), fragment);
    await page.locator('details').evaluateAll((all) => all.forEach((one) => (one.open = true)));
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `${name}: ${width}`);
  }
});
