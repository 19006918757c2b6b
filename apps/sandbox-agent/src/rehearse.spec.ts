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
  ])('runs a complete job over %s and leaves no file behind', async (_, withPipes) => {
    expect(await rehearse(scratch, withPipes ? makePipes(scratch)[1] : null)).toBe('end');
    expect(readdirSync(scratch)).toEqual([]);
  });

  it("that can't run resolves with null", async () => {
    expect(await rehearse(join(scratch, 'absent'), null)).toBeNull();
  });
});
