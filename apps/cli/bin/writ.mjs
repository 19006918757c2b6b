#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Starts the program with a Node that can run it: the one that the workspace pins, else the caller's own. Plain
// JavaScript for Node 20.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The first release line that the workspace is built for. */
const NODE_MAJOR_MIN = 24;
/** What a shell reports for a process that a signal ended: 128 plus the signal's number. */
const SIGNALLED = 128;

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const program = join(project, 'dist', 'main.js');
const pinned = join(project, '..', '..', 'node_modules', '.bin', 'node');

const fail = (message) => {
  process.stderr.write(`error setup: ${message}\n`);
  process.exit(2);
};

const isRecent = Number(process.versions.node.split('.')[0]) >= NODE_MAJOR_MIN;
if (!existsSync(program)) fail('the program is not built; run `npm start` or `npm run build` in the checkout');
else if (isRecent) await import(program);
else if (!existsSync(pinned)) fail(`Node ${NODE_MAJOR_MIN} or later is needed, and this is ${process.version}`);
else {
  const child = spawn(pinned, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`could not run ${pinned}: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? SIGNALLED + (constants.signals[signal] ?? 0)));
}
