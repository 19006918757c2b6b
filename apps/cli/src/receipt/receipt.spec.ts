// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RECEIPT_FILE } from '../specs/pinned-receipt.ts';
import { fakeApi, problem, writ, type FakeApi } from '../specs/run-cli.ts';
import { IDS } from '../specs/samples.ts';

let api: FakeApi;
let pending: number;
beforeAll(async () => {
  api = await fakeApi(({ url }) => {
    if (url.includes('other')) return problem(404, 'not_found', 'there is no such thing here');
    pending -= 1;
    return pending >= 0 ? problem(404, 'receipt.pending', 'the receipt is not there yet') : { body: RECEIPT_FILE };
  });
});
afterAll(() => api.close());
beforeEach(() => {
  pending = 0;
});

test('the receipt is printed byte for byte', async () => {
  expect(await writ(['receipt', IDS.operation], { env: api.env })).toEqual({ exit: 0, out: RECEIPT_FILE, err: '' });
});

test('a pending receipt is requested again', async () => {
  pending = 2;
  expect((await writ(['receipt', IDS.operation, '--phase', 'outcome'], { env: api.env })).out).toBe(RECEIPT_FILE);
  expect(api.requests.at(-1)!.url).toBe(`/v1/operations/${IDS.operation}/receipt?phase=outcome`);
});

test('the file that `writ receipt` writes verifies', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'writ-receipt-'));
  const out = join(dir, 'r.json');
  expect((await writ(['receipt', IDS.operation, '--out', out], { env: api.env })).exit).toBe(0);
  expect(readFileSync(out, 'utf8')).toBe(RECEIPT_FILE);
  rmSync(dir, { recursive: true });
});

test('an unknown operation fails at once', async () => {
  expect((await writ(['receipt', 'op_other'], { env: api.env })).err).toMatch(/^error not_found: /);
});
