// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePipes } from './pipes.ts';
import { rehearse } from './rehearse.ts';

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'writ-scratch-'));
});
afterEach(() => {
  rmSync(scratch, { recursive: true });
});

describe('a rehearsal', () => {
  it.each([
    ['pipes', true],
    ['sockets', false],
  ])('is a whole job, by %s, and leaves nothing where jobs look', async (_, withPipes) => {
    expect(await rehearse(scratch, withPipes ? makePipes(scratch)[1] : null)).toBe('end');
    expect(readdirSync(scratch)).toEqual([]);
  });

  it("that can't be held is none, and nobody fails", async () => {
    expect(await rehearse(join(scratch, 'absent'), null)).toBeNull();
  });
});
