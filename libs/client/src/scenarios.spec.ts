// SPDX-License-Identifier: Apache-2.0
// Recorded runs and receipts of a real Writ: sdk/vectors/README.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@writ/testing';
import { ReceiptVerificationError } from './errors.ts';
import { verifyReceipt } from './receipts.ts';
import { runStep, type Actor, type Exchange, type Scenario } from './scenarios.contract.ts';
import { Writ } from './writ.ts';

const vectors = <T>(name: string): T =>
  JSON.parse(readFileSync(join(repositoryRoot(), 'sdk/vectors', `${name}.json`), 'utf8')) as T;
const { keys, scenarios } = vectors<{ keys: string; scenarios: Scenario[] }>('scenarios');

/** A client that gets the recorded answers, in their order, for the recorded requests alone. */
function replaying(by: Actor, left: Exchange[]): Writ {
  return new Writ({
    url: 'http://writ.example',
    apiKey: by,
    fetch: async (url: string, init: RequestInit) => {
      const next = left.shift();
      const headers = new Headers(init.headers);
      expect({
        by,
        method: init.method,
        path: url.slice('http://writ.example'.length),
        idempotency_key: headers.get('idempotency-key'),
        body: init.body === undefined ? null : (JSON.parse(String(init.body)) as unknown),
      }).toEqual({
        by: next?.by,
        method: next?.method,
        path: next?.path,
        idempotency_key: next?.idempotency_key,
        body: next?.body,
      });
      expect(headers.get('authorization')).toBe(`Bearer ${by}`);
      return new Response(next!.answer.body, { status: next!.answer.status, headers: next!.answer.headers });
    },
  });
}

it.each(scenarios)('$name: the same requests, and the same outcomes', async ({ steps }) => {
  const left: Exchange[] = [];
  const clients = { agent: replaying('agent', left), operator: replaying('operator', left) };
  const calls = new Map();
  for (const { step, exchanges, gives } of steps) {
    left.push(...exchanges);
    expect([step, await runStep({ clients, trusted: keys, calls }, step)]).toEqual([step, gives]);
    expect(left).toEqual([]);
  }
});

interface ReceiptVector {
  readonly name: string;
  readonly file: string;
  readonly operation_id?: string;
  /** the check that fails; null where the receipt verifies */
  readonly fails: string | null;
}

const receipts = vectors<{ keys: string; receipts: ReceiptVector[] }>('receipts');

it.each(receipts.receipts)('receipts: $name', ({ file, operation_id, fails }) => {
  const verify = () =>
    verifyReceipt(file, receipts.keys, operation_id === undefined ? {} : { operationId: operation_id });
  if (fails === null) return expect(verify().record.operation_id).toMatch(/^op_/);
  expect(verify).toThrow(ReceiptVerificationError);
  expect(verify).toThrow(`[${fails}]`);
});

it('a receipt verifies with no keys of others, and says which check failed', () => {
  const { file } = receipts.receipts.find(({ fails }) => fails === null)!;
  for (const trusted of ['', '{}', '{"record_keys":[],"log_keys":[]}', 'null'])
    expect(() => verifyReceipt(file, trusted)).toThrow(ReceiptVerificationError);
});
