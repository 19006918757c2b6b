// SPDX-License-Identifier: Apache-2.0
// A chain of processes outside Writ that does about the work of a call: several times a message goes to another
// process, which computes for some milliseconds. Prints how long each chain took: the delay that the machine adds.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The processes of a call: API, kernel, executor and kernel again, with the database's share of each. */
const PROCESSES = 4;
/** Processor time for each message, in milliseconds. */
const WORK_MS = 3;
/** Milliseconds between two chains: the interval of the other tenant's calls. */
const EVERY_MS = 200;

if (process.argv[2] === 'relay') {
  process.on('message', () => {
    const began = process.threadCpuUsage().user;
    while (process.threadCpuUsage().user - began < WORK_MS * 1_000);
    process.send('done');
  });
} else {
  const relays = Array.from({ length: PROCESSES }, () => fork(fileURLToPath(import.meta.url), ['relay']));
  const run = async () => {
    const [sentAt, began] = [Date.now(), performance.now()];
    for (const relay of relays) {
      relay.send('work');
      await once(relay, 'message');
    }
    process.stdout.write(`${JSON.stringify({ sentAt, ms: performance.now() - began })}\n`);
  };
  const timer = setInterval(() => void run(), EVERY_MS);
  process.stdin.resume().on('end', () => {
    clearInterval(timer);
    for (const relay of relays) relay.kill('SIGKILL');
    process.exit();
  });
}
