'use strict';
// As driver.py, for the Node client, with `workers` and `cluster`.
const cluster = require('node:cluster');
const { readFileSync } = require('node:fs');
const { performance } = require('node:perf_hooks');
const { createInterface } = require('node:readline');
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');
const { IdSource, TickidError } = require(process.env.CLIENT);

const { CA, CLOCK, MAX_AGE, MAX_BLOCK, REALM, TIMEOUT } = process.env;
const scripted = (clock, column) => () =>
  clock() + readFileSync(CLOCK, 'utf8').split(' ')[column] * 1000;
if (CLOCK) {
  Date.now = scripted(Date.now, 0);
  performance.now = scripted(performance.now.bind(performance), 1);
}

const ids = new IdSource(REALM, {
  timeoutMs: TIMEOUT * 1000,
  maxAgeMs: MAX_AGE * 1000,
  maxBlock: MAX_BLOCK && Number(MAX_BLOCK),
  tls: CA && { ca: readFileSync(CA) },
});

async function take(group, count) {
  let lines = '';
  for (let i = 0; i < count; i++) {
    try {
      lines += `${group} ${await ids.next()}\n`;
    } catch (error) {
      lines += said(group, error);
    }
  }
  return lines;
}

function said(group, error) {
  if (!(error instanceof TickidError)) throw error;
  const seconds = error.retryAfterMs === undefined ? 'None' : error.retryAfterMs / 1000;
  return `${group} ! ${seconds} ${error.message.replaceAll('\n', ' ')}\n`;
}

const answer = (child) => new Promise((resolve, reject) => {
  child.on('message', resolve);
  child.on('error', reject);
});

const each = async (groups, start) => {
  const children = Array.from({ length: groups }, (_, group) => answer(start(group)));
  return (await Promise.all(children)).join('');
};

const commands = {
  next: (_, count) => take(0, count),
  many: async (_, count) => (await ids.take(Number(count))).map((id) => `0 ${id}\n`).join(''),
  // Does not wait for the IDs.
  request: (_, count) => { take(0, count); return ''; },
  observe: (_, id) => ids.observe(REALM === 'orders' ? id : BigInt(id))
    .then(() => '', (error) => said(0, error)),
  // Concurrent calls.
  threads: async (groups, count) => (await Promise.all(
    Array.from({ length: groups }, (_, group) => take(group, count)))).join(''),
  workers: (groups, count) =>
    each(groups, (group) => new Worker(__filename, { workerData: { group, count } })),
  cluster: (groups, count) => each(groups, (group) => {
    const child = cluster.fork();
    child.send({ group, count });
    return child;
  }),
};

async function main() {
  for await (const line of createInterface({ input: process.stdin })) {
    const [command, groups, count] = line.split(' ');
    process.stdout.write(`${await commands[command](Number(groups), count)}.\n`);
  }
}

if (!isMainThread) {
  take(workerData.group, workerData.count).then((lines) => parentPort.postMessage(lines));
} else if (cluster.isWorker) {
  process.on('message', async ({ group, count }) => {
    process.send(await take(group, count), () => process.exit());
  });
} else {
  main();
}
