// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAULTS } from '@writ/contract';
import { checkout } from '../setup.ts';
import { faultBlock, faultPagePath, pagedCodes, pageFaults } from './fault-pages.ts';

test('every fault code has a page, and every page a fault code', () => {
  expect(pagedCodes(checkout)).toEqual(Object.keys(FAULTS).sort());
});

test('every page has its sections: what happened, what to do, and an example', () => {
  expect(Object.keys(FAULTS).flatMap((code) => pageFaults(checkout, code))).toEqual([]);
});

test('faults of a page are reported', () => {
  const folder = mkdtempSync(join(tmpdir(), 'writ-pages-'));
  mkdirSync(join(folder, 'docs/errors'), { recursive: true });
  const write = (text: string): void => writeFileSync(join(folder, faultPagePath('internal')), text);
  expect(pageFaults(folder, 'internal')).toEqual([expect.stringContaining('is not there')]);
  write('# `other`\n\n## What happened\n\n\n## Example\n\n    long enough to say something\n');
  expect(pageFaults(folder, 'internal').map((fault) => fault.slice(fault.indexOf(': ') + 2))).toEqual([
    'its title is not the code',
    'its sections are not What happened, What to do, Example',
    '`What happened` says nothing',
  ]);
  rmSync(folder, { recursive: true });
  expect(() => faultBlock('nothing')).toThrow('no fault code');
});
