// SPDX-License-Identifier: Apache-2.0
// A receipt is compared with what was sent, and a trust policy takes it in any formatting. The receipts are those of
// sdk/vectors.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@writ/testing';
import { ReceiptVerificationError } from './errors.ts';
import { CallReceipt, verifyReceipt, type SentCall } from './receipts.ts';
import { problemReply, TestServer } from './specs/test-server.ts';
import { Writ } from './writ.ts';

interface Vectors {
  readonly keys: string;
  readonly receipts: readonly { readonly file: string; readonly fails: string | null }[];
}
const { keys, receipts } = JSON.parse(
  readFileSync(join(repositoryRoot(), 'sdk/vectors/receipts.json'), 'utf8'),
) as Vectors;
const { file } = receipts.find(({ fails }) => fails === null)!;
const { record, deployment } = verifyReceipt(file, keys);
const operationId = record.operation_id ?? '';
const SENT: Required<SentCall> = {
  toolId: record.tool_id ?? '',
  agentId: record.agent_id ?? '',
  capabilityTokenId: record.capability_token_id ?? '',
  workspaceId: record.workspace_id ?? '',
};

it('a receipt of what was sent verifies, with each part of it as a check', () => {
  const { checks } = new CallReceipt(file, operationId, SENT).verify(keys);
  expect(checks.filter(({ name }) => name === 'expectation')).toHaveLength(1 + Object.keys(SENT).length);
});

it.each(Object.keys(SENT) as (keyof SentCall)[])('a genuine receipt of another call, by its %s, fails', (name) => {
  const receipt = new CallReceipt(file, operationId, { ...SENT, [name]: 'another' });
  expect(() => receipt.verify(keys)).toThrow(ReceiptVerificationError);
  expect(() => receipt.verify(keys)).toThrow('genuine but not of the');
  // Whoever verifies can't take back what was sent, and can expect what was not.
  expect(() => receipt.verify(keys, SENT)).toThrow('[expectation]');
  expect(() => new CallReceipt(file, operationId, {}).verify(keys, { [name]: 'another' })).toThrow('[expectation]');
});

it('a server that answers a call with another genuine one is found out', async () => {
  const result = { v: 1, status: 'ok', operation_id: operationId, tool_id: 'fs.write', result: {}, error: null };
  const answers = () => [
    { status: 200, body: result },
    { status: 200, body: file },
  ];
  await using server = await TestServer.open(...answers(), ...answers(), problemReply(500, 'internal', 'never'));
  const agent = new Writ({ url: server.url, apiKey: 'k' });
  const written = await (await agent.call('fs.write', { path: 'a' })).receipt();
  expect(() => written.verify(keys)).toThrow('not of the tool `fs.write`');
  const fields = { capability_token_id: 'cap_mine' };
  const ours = await (await agent.call(SENT.toolId, {}, { fields })).receipt();
  expect(() => ours.verify(keys)).toThrow('not of the capability token `cap_mine`');
});

const policy = JSON.stringify({ v: 1, deployments: [{ name: deployment, ...(JSON.parse(keys) as object) }] });

it.each([
  ['indented', JSON.stringify(JSON.parse(file), null, 2)],
  ['without its newline', file.trimEnd()],
  ['with members in another order', JSON.stringify(reversed(JSON.parse(file)))],
])('a receipt that is %s verifies by a trust policy as by keys', (_how, text) => {
  for (const trusted of [keys, policy]) {
    expect(verifyReceipt(text, trusted).record).toEqual(record);
    expect(verifyReceipt(new TextEncoder().encode(text), trusted).record).toEqual(record);
  }
  expect(() => verifyReceipt(text.replace('"envelope"', '"envelopes"'), policy)).toThrow('[format]');
});

it('a trust policy of another deployment verifies none', () => {
  expect(() => verifyReceipt(file, policy.replace(deployment, 'other.example'))).toThrow(ReceiptVerificationError);
});

function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, each]) => [name, reversed(each)]),
  );
}
