// SPDX-License-Identifier: Apache-2.0
// A program in the container that puts links in the way of a script, as fast as it can.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WorkspaceFiles } from './workspace-files.ts';

let place: string;
let swapper: ChildProcess;
/**
 * Puts a directory and a link that leads out in the same place, in turn, by nothing but renames. Begins anew where a
 * script made something there meanwhile.
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
  place = mkdtempSync(join(tmpdir(), 'writ-swap-'));
  for (const folder of ['workspace', 'outside']) mkdirSync(join(place, folder));
  for (const name of ['seen', 'secret']) writeFileSync(join(place, 'outside', name), 'outside');
  swapper = spawn(process.execPath, ['-e', SWAPPER, join(place, 'workspace')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => swapper.stdout?.once('data', resolve));
});
afterEach(async () => {
  const gone = new Promise((resolve) => swapper.once('exit', resolve));
  swapper.kill('SIGKILL');
  await gone;
  rmSync(place, { recursive: true });
});

/** Times that each use is tried: in a few hundred, one that looks and then uses the path is led out on any machine. */
const TIMES = 2000;

test('a link that is put in the way between two looks leads no use of a path out', async () => {
  const files = new WorkspaceFiles(join(place, 'workspace'));
  const read: string[] = [];
  let through = 0;
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
      through += await use().then(
        () => 1,
        () => 0,
      );
  }
  expect(through).toBeGreaterThan(0);
  // Nothing at all is what a file holds that is just being made.
  expect([read.includes('inside'), read.includes('outside'), read.includes('secret')]).toEqual([true, false, false]);
  expect(readdirSync(join(place, 'outside'))).toEqual(['secret', 'seen']);
  expect(readFileSync(join(place, 'outside', 'seen'), 'utf8')).toBe('outside');
}, 240_000);
