// SPDX-License-Identifier: Apache-2.0
// A chain of processes that is no part of Writ and does about what a call does in it: a few times a message goes to
// another process, which computes for some milliseconds. Prints how long each took: what the machine lets a chain of
// programs wait.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** API, kernel, executor and kernel again, and the database beside them. */
const PROCESSES = 4;
/** Processor time for each message, in milliseconds. */
const WORK_MS = 3;
/** How often the chain is run, in milliseconds: as often as the other tenant calls. */
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
