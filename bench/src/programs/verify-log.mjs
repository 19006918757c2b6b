// SPDX-License-Identifier: Apache-2.0
// Runs the program `writ` with the given arguments, and prints its time: {ms, cpuMs}, over all threads.
import { runCli } from '../../../apps/cli/dist/program.js';

const before = process.cpuUsage();
const at = performance.now();
const complaints = [];
const exit = await runCli(process.argv.slice(2), {
  cwd: process.cwd(),
  env: {},
  write: () => undefined,
  complain: (words) => complaints.push(words),
  readStdin: () => Promise.resolve(''),
  readHidden: () => Promise.resolve(''),
  streamStdin: () => process.stdin,
  showProgress: null,
  setExit: () => undefined,
});
if (exit !== 0) throw new Error(complaints.join(''));
const { user, system } = process.cpuUsage(before);
process.stdout.write(JSON.stringify({ ms: performance.now() - at, cpuMs: (user + system) / 1_000 }));
