// SPDX-License-Identifier: Apache-2.0
// The keys of permits, records and checkpoints change while calls run, without a restart, by an operator's command
// alone.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { newId } from '@writ/nest-kit';
import { RECORD_PAYLOAD_TYPE, subjectsOf, type AppendReply } from '@writ/contract';
import { canonicalBytes, parseIJson } from '@writ/digest';
import { keySetOf, parseReceipt, verifyReceiptFile, type KeySet } from '@writ/receipt';
import {
  decodeBase64,
  parseRing,
  sealEnvelope,
  stateAt,
  verifyNote,
  type KeyRing,
  type Purpose,
  type Signer,
} from '@writ/signing';
import {
  Api,
  eventually,
  expectCleanLog,
  makeWorld,
  receiptOfCall,
  SHARD,
  startStack,
  type Stack,
  type World,
} from '@writ/stack';
import { repositoryRoot } from '@writ/testing';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
/** Long enough for what takes seconds on an idle machine. */
const LONG_MS = 90_000;

let stack: Stack;
let world: World;
beforeAll(async () => {
  stack = await startStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
});
afterAll(() => stack.stop());

/** `writ signing-keys …` on the keys of the stack. */
function signingKeys(...args: string[]): Record<string, unknown> {
  const folder = stack.keys.file('');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(repositoryRoot(), 'apps', 'cli', 'dist', 'main.js'),
      '--json',
      'signing-keys',
      ...args,
      '--keys',
      folder,
      '--public',
      folder,
    ],
    { encoding: 'utf8', env: {} },
  );
  if (status !== 0) throw new Error(`signing-keys ${args.join(' ')} ended with ${String(status)}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const ringOf = (purpose: Purpose): KeyRing => parseRing(readFileSync(stack.keys.file(`${purpose}.json`), 'utf8'));
const published = async (): Promise<KeySet> =>
  keySetOf((await new Api(stack.url).get('/.well-known/writ-keys.json')).body);

/** Makes a call that commits; returns the file of its receipt. */
async function receiptOfCommit(): Promise<string> {
  const { body, file } = await receiptOfCall(world, LONG_MS);
  expect(body).toMatchObject({ status: 'ok', tx_outcome: 'committed' });
  return file;
}

/** The signers of the record and the checkpoint of a receipt. */
function signersOf(file: string, keys: KeySet): { record: string; log: string } {
  const { envelope, inclusion } = parseReceipt(file);
  return {
    record: envelope.signatures[0]?.keyid ?? '',
    log: verifyNote(inclusion.checkpoint, keys.logKeys).signedBy[0]?.keyHash ?? '',
  };
}

test('all three keys change while calls run, and receipts from before, during and after verify', async () => {
  const receipts = [await receiptOfCommit()];
  const before = signersOf(receipts[0]!, await published());
  for (const purpose of ['permit', 'record', 'checkpoint'])
    expect(signingKeys('rotate', purpose, '--overlap', '5s')).toMatchObject({ purpose, state: 'next' });
  const begins = Math.max(
    ...(['permit', 'record', 'checkpoint'] as const).map((purpose) => ringOf(purpose).keys[1]!.signs_from),
  );
  const keys = await eventually(
    'the new keys published',
    async () => {
      const now = await published();
      return now.recordKeys.size === 2 && now.logKeys.length === 2 ? now : null;
    },
    LONG_MS,
  );
  const until = Date.now() + LONG_MS;
  for (
    let after = { record: before.record, log: before.log };
    after.record === before.record || after.log === before.log;
    after = signersOf(receipts.at(-1)!, keys)
  ) {
    if (Date.now() > until) throw new Error(`the new keys don't sign: ${stack.logs()}`);
    receipts.push(await receiptOfCommit());
  }
  expect(Date.now()).toBeGreaterThanOrEqual(begins);
  // A call after the change was dispatched under a permit of the new key, the kernel's only signing key.
  receipts.push(await receiptOfCommit());
  for (const file of receipts)
    expect(verifyReceiptFile(file, keys).record).toMatchObject({ tx_outcome: 'committed', attempt: 1 });
  expectCleanLog(stack);
});

/** A copy of the kernel's last record, signed with this key. */
function forgedFrom(
  file: string,
  signer: Signer,
): { record_id: string; tenant_id: string; envelope: ReturnType<typeof sealEnvelope> } {
  const statement = parseIJson(decodeBase64(parseReceipt(file).envelope.payload), { depthMax: 16 }) as {
    predicate: Record<string, unknown>;
  };
  const record_id = newId('record');
  const predicate = { ...statement.predicate, record_id, kernel_key_id: signer.keyid };
  return {
    record_id,
    tenant_id: world.tenantId,
    envelope: sealEnvelope(RECORD_PAYLOAD_TYPE, canonicalBytes({ ...statement, predicate }), signer),
  };
}

test('a revoked key signs nothing, logs reject it, and its receipts need more than their date', async () => {
  const old = await receiptOfCommit();
  const lost = ringOf('record').keys.find((key) => stateAt(key, Date.now()) === 'current')!;
  expect(parseReceipt(old).envelope.signatures[0]?.keyid).toBe(lost.keyid);
  const { successor } = signingKeys('revoke', 'record', `--kid=${lost.keyid}`) as { successor: string };
  const closes = ringOf('record').keys.find(({ keyid }) => keyid === lost.keyid)!.revoked!.closes_at;
  const fresh = await eventually(
    'a record by the successor',
    async () => {
      const file = await receiptOfCommit();
      return parseReceipt(file).envelope.signatures[0]?.keyid === successor ? file : null;
    },
    LONG_MS,
  );
  const keys = await eventually(
    'the revocation published',
    async () => {
      const now = await published();
      return now.recordKeys.get(lost.keyid)?.revokedAt === null ? null : now;
    },
    LONG_MS,
  );
  expect(() => verifyReceiptFile(fresh, keys)).not.toThrow();
  expect(() => verifyReceiptFile(old, keys)).toThrow('the key was revoked');

  const thief = await stack.busAs('kernel');
  try {
    const answer = await eventually(
      'a refusal of what the thief signs',
      async () => {
        if (Date.now() < closes) return null;
        const reply = (await thief.request(
          subjectsOf(SHARD).request('ledger.append'),
          { v: 1, records: [forgedFrom(old, lost.signer!)] },
          { deadline: Date.now() + 10_000 },
        )) as AppendReply;
        return reply.appended[0]?.leaf_index === null ? reply : null;
      },
      LONG_MS,
    );
    expect(answer.appended[0]?.fault).toContain('revoked');
  } finally {
    await thief.close();
  }
  // Nothing is stuck: the kernel's own records were appended before the key was closed.
  expect(() => verifyReceiptFile(fresh, keys)).not.toThrow();
  await receiptOfCommit();
});
