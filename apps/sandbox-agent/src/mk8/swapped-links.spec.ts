// SPDX-License-Identifier: Apache-2.0
// Attacks path resolution with a program that swaps a directory and a link as fast as it can.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WorkspaceFiles } from './workspace-files.ts';

let testRoot: string;
let swapper: ChildProcess;
/**
 * Puts a directory and a link out of the workspace at the same path in turn, only by renames. Starts again where a
 * script created something there meanwhile.
 */
const SWAPPER = `
  const { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
  process.chdir(process.argv[1]);
  function begin() {
    for (const name of ['way', 'folder', 'link']) rmSync(name, { recursive: true, force: true });
    symlinkSync('../outside', 'link');
    mkdirSync('folder');
    writeFileSync('folder/seen', 'inside');
    renameSync('folder', 'way');
  }
  function swap() { renameSync('way', 'folder'); renameSync('link', 'way'); renameSync('way', 'link'); renameSync('folder', 'way'); }
  begin();
  process.stdout.write('ready');
  for (;;) try { swap(); } catch { try { begin(); } catch {} }
`;

beforeEach(async () => {
  testRoot = mkdtempSync(join(tmpdir(), 'writ-swap-'));
  for (const folder of ['workspace', 'outside']) mkdirSync(join(testRoot, folder));
  for (const name of ['seen', 'secret']) writeFileSync(join(testRoot, 'outside', name), 'outside');
  swapper = spawn(process.execPath, ['-e', SWAPPER, join(testRoot, 'workspace')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => swapper.stdout?.once('data', resolve));
});
afterEach(async () => {
  const gone = new Promise((resolve) => swapper.once('exit', resolve));
  swapper.kill('SIGKILL');
  await gone;
  rmSync(testRoot, { recursive: true });
});

/** Tries of each operation: within a few hundred, code that checks a path and then uses it escapes on any machine. */
const TIMES = 2000;

test('a link that replaces a directory during an operation never leads out of the workspace', async () => {
  const files = new WorkspaceFiles(join(testRoot, 'workspace'));
  const read: string[] = [];
  let succeeded = 0;
  for (let n = 0; n < TIMES; n++) {
    const uses = [
      () =>
        files.read('way/seen', 100).then((bytes) => {
          read.push(Buffer.from(bytes).toString());
        }),
      () => files.write(`way/made-${n % 8}`, Buffer.from('x'), 'replace'),
      () => files.makeDirectory(`way/folder-${n % 8}`),
      () =>
        files.list('way').then((entries) => {
          read.push(...entries.filter(({ name }) => name === 'secret').map(({ name }) => name));
        }),
      () => files.remove(`way/made-${n % 8}`),
      () => files.move('way/seen', 'way/seen'),
    ];
    for (const use of uses)
      succeeded += await use().then(
        () => 1,
        () => 0,
      );
  }
  expect(succeeded).toBeGreaterThan(0);
  // A file that is just being created is empty.
  expect([read.includes('inside'), read.includes('outside'), read.includes('secret')]).toEqual([true, false, false]);
  expect(readdirSync(join(testRoot, 'outside'))).toEqual(['secret', 'seen']);
  expect(readFileSync(join(testRoot, 'outside', 'seen'), 'utf8')).toBe('outside');
}, 240_000);
