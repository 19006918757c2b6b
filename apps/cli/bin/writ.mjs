#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Starts the program with a Node that can run it: the one that the workspace pins, else the caller's own. Plain
// JavaScript for Node 20. What only the second case needs is imported there: it would slow down every command.
import { existsSync } from 'node:fs';
import * as module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The first release line that the workspace is built for. */
const NODE_MAJOR_MIN = 24;
/** What a shell reports for a process that a signal ended: 128 plus the signal's number. */
const SIGNALLED = 128;

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const checkout = join(project, '..', '..');
/** The bundle of `npm run build`; the compiler's output where only that was run. */
const program = [join(checkout, 'dist', 'cli', 'main.js'), join(project, 'dist', 'main.js')].find((path) =>
  existsSync(path),
);
const pinned = join(checkout, 'node_modules', '.bin', 'node');

const fail = (message) => {
  process.stderr.write(`error setup: ${message}\n`);
  process.exit(2);
};

const isRecent = Number(process.versions.node.split('.')[0]) >= NODE_MAJOR_MIN;
if (program === undefined) fail('the program is not built; run `npm start` or `npm run build` in the checkout');
else if (isRecent) {
  // Compiled code of earlier commands saves a third of the start. It lies beside the program: whoever can write there
  // can change the program itself, which isn't so in the folder of temporary files.
  module.enableCompileCache?.(join(dirname(program), 'cache'));
  await import(pathToFileURL(program).href);
} else if (!existsSync(pinned)) fail(`Node ${NODE_MAJOR_MIN} or later is needed, and this is ${process.version}`);
else {
  const [{ spawn }, { constants }] = await Promise.all([import('node:child_process'), import('node:os')]);
  const child = spawn(pinned, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`could not run ${pinned}: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? SIGNALLED + (constants.signals[signal] ?? 0)));
}
