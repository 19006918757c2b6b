// SPDX-License-Identifier: Apache-2.0
// An auditor reads a whole log through the public API, and trusts only what verifies.
import { readFileSync } from 'node:fs';
import { vi } from 'vitest';
import {
  entryBundlePath,
  leafHash,
  parseEntryBundle,
  parseTile,
  rootOf,
  signaturesPath,
  tilePath,
  tilesTouched,
  tileWidth,
  verifyConsistency,
} from '@writ/merkle';
import { parseKeySet, parseReceipt, verifyLeaf, verifyReceipt, type KeySet, type SignedLeaf } from '@writ/receipt';
import { decodeBase64, parseCheckpoint, verifyNote } from '@writ/signing';
import { eventually, makeWorld, sharedStack, verifiedReceipt, type SharedStack, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let world: World;
let keys: KeySet;
beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  keys = parseKeySet(readFileSync(stack.keys.publicKeysFile));
});

const bytes = async (path: string): Promise<Uint8Array> => {
  const answer = await fetch(`${stack.url}/v1/log/${path}`, {
    headers: { authorization: `Bearer ${String(world.auditor.key)}` },
  });
  if (answer.status !== 200) throw new Error(`${path}: ${String(answer.status)} ${await answer.text()}`);
  return new Uint8Array(await answer.arrayBuffer());
};
const checkpoint = async () =>
  parseCheckpoint(verifyNote(Buffer.from(await bytes('checkpoint')).toString(), keys.logKeys).text);

/** Every record of the log of that size with its signature, by bundles. */
async function leavesOf(size: number): Promise<SignedLeaf[]> {
  const bundles = Array.from({ length: Math.ceil(size / 256) }, (_, index) => ({
    index,
    width: tileWidth(0, index, size),
  }));
  return (
    await Promise.all(
      bundles.map(async ({ index, width }) => {
        const { signatures } = JSON.parse(Buffer.from(await bytes(signaturesPath(index, width))).toString()) as {
          signatures: { keyid: string; sig: string }[];
        };
        return parseEntryBundle(await bytes(entryBundlePath(index, width)), width).map((payload, i) => ({
          payload,
          keyid: '',
          sig: '',
          ...signatures[i],
        }));
      }),
    )
  ).flat();
}

test('records, signatures, tiles and the signed root of a log agree, and it only grows', async () => {
  for (let i = 0; i < 3; i += 1)
    expect((await world.call('fs.write', { path: `n${String(i)}.txt`, content: 'x' })).body).toMatchObject({
      status: 'ok',
    });
  const early = await checkpoint();
  // A few at a time: a tenant's queue is limited, and a busy machine would refuse some of all at once.
  for (let round = 0; round < 13; round += 1) {
    const answers = await Promise.all(Array.from({ length: 10 }, () => world.call('fs.read', { path: 'a.txt' })));
    expect(answers.map(({ body }) => body.status)).toEqual(Array(10).fill('ok'));
  }
  // On a busy machine a call is answered before its record is in the log.
  const late = await eventually(
    'a log of more than a bundle',
    async () => {
      const newest = await checkpoint();
      return newest.treeSize > 256 ? newest : null;
    },
    120_000,
  );

  const leaves = await leavesOf(late.treeSize);
  for (const leaf of leaves)
    expect(verifyLeaf(leaf, keys).record).toMatchObject({ tenant_id: world.tenantId, kernel_key_id: leaf.keyid });
  const hashes = leaves.map(({ payload }) => leafHash(payload));
  expect(rootOf(hashes)).toEqual(late.root);
  for (const { level, index, width } of tilesTouched(0, late.treeSize)) {
    const under = (at: number): Uint8Array => rootOf(hashes.slice(at * 256 ** level, (at + 1) * 256 ** level));
    expect([level, index, parseTile(await bytes(tilePath(level, index, width)), width)]).toEqual([
      level,
      index,
      Array.from({ length: width }, (_, i) => under(index * 256 + i)),
    ]);
  }

  const { body } = await world.auditor.get(
    `/v1/log/consistency?from=${String(early.treeSize)}&to=${String(late.treeSize)}`,
  );
  verifyConsistency({
    oldSize: early.treeSize,
    newSize: late.treeSize,
    oldRoot: early.root,
    newRoot: late.root,
    hashes: (body.hashes as string[]).map((hash) => decodeBase64(hash)),
  });
});

test('a receipt is refreshed to a later checkpoint, and verifies', async () => {
  const { body: call } = await world.call('fs.write', { path: 'r.txt', content: 'x' });
  const before = await verifiedReceipt(stack, world, call.operation_id as string);
  const receipt = parseReceipt((await world.auditor.get(`/v1/operations/${String(call.operation_id)}/receipt`)).text);
  await world.call('fs.write', { path: 'r2.txt', content: 'x' });
  await checkpoint();
  const { body: inclusion } = await world.auditor.get(
    `/v1/log/inclusion?leaf_index=${String(receipt.inclusion.leaf_index)}`,
  );
  const after = verifyReceipt({ ...receipt, inclusion: inclusion as never }, keys);
  expect(after.checkpoint.treeSize).toBeGreaterThan(before.checkpoint.treeSize);
  expect(after.record).toEqual(before.record);
});
