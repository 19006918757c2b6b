// SPDX-License-Identifier: Apache-2.0
// Runs the shell blocks of the page on manual verification of a receipt, one after the other, in one shell.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KEY_FILE, RECEIPT_FILE } from '../specs/pinned-receipt.ts';

const PAGE = join(import.meta.dirname, '../../../../docs/how-to/verify-a-receipt.md');
const script = [...readFileSync(PAGE, 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)]
  .map(([, block = '']) => block)
  .join('\n');
const missing = ['openssl', 'jq', 'python3', 'basenc'].filter((tool) => spawnSync('which', [tool]).status !== 0);

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-by-hand-'));
  writeFileSync(join(dir, 'writ-keys.json'), KEY_FILE);
});
afterEach(() => rmSync(dir, { recursive: true }));

const byHand = (receipt: string) => {
  writeFileSync(join(dir, 'receipt.json'), receipt);
  return spawnSync('bash', ['-euc', script], { cwd: dir, encoding: 'utf8' });
};

const onTools = missing.length === 0 ? test : test.skip;

onTools(`the page's commands verify a receipt (needs ${missing.join(', ') || 'nothing that is missing'})`, () => {
  const { status, stdout } = byHand(RECEIPT_FILE);
  expect(status).toBe(0);
  expect(stdout.match(/Signature Verified Successfully/g)).toHaveLength(2);
  const { inclusion } = JSON.parse(RECEIPT_FILE) as { inclusion: { checkpoint: string } };
  // The computed root, and the root in the checkpoint.
  expect(stdout.split('\n').filter((line) => line === inclusion.checkpoint.split('\n')[2])).toHaveLength(2);
});

onTools("the page's commands detect a changed record", () => {
  const receipt = JSON.parse(RECEIPT_FILE) as { envelope: { payload: string } };
  receipt.envelope.payload = Buffer.from(
    Buffer.from(receipt.envelope.payload, 'base64').toString().replace('fs.write', 'fs.wrote'),
  ).toString('base64');
  const { status, stdout } = byHand(`${JSON.stringify(receipt)}\n`);
  expect([status === 0, stdout.includes('Signature Verified Successfully')]).toEqual([false, false]);
});
