// Takes the pictures of the page for the docs: `npm run screenshots`.

import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { out, root, startChromium } from './support.js';

const folder = new URL('docs/images/', root);
await mkdir(folder, { recursive: true });
const browser = await startChromium();
for (const { name, colorScheme = 'light', width = 960, height = 860, fragment, part } of [
  { name: 'page', fragment: '#id=0u375nxqh5cq&node-size=8' },
  { name: 'layout', height: 1_600, fragment: '#layout=discord', part: '#snowflakes' },
  {
    name: 'page-phone',
    colorScheme: 'dark',
    width: 390,
    height: 800,
    fragment: '#id=017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
  },
]) {
  const viewport = { width, height };
  const page = await browser.newPage({ colorScheme, viewport, timezoneId: 'Europe/Berlin' });
  await page.clock.setFixedTime(new Date('2026-11-22T12:00:00Z'));
  await page.goto(new URL(`page/index.html${fragment}`, out).href);
  await page.waitForSelector('html[data-ready]');
  await page.evaluate(() => {
    document.getElementById('facts').open = false;
    document.activeElement.blur();
  });
  const path = fileURLToPath(new URL(`${name}.png`, folder));
  if (part === undefined) {
    await page.screenshot({ path });
    continue;
  }
  await page.screenshot({ path, clip: await page.locator(part).boundingBox() });
}
await browser.close();
