// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import {
  EMPTY_FRONTIER,
  appendLeaves,
  isSameHash,
  leafHash,
  MerkleError,
  rootOfFrontier,
  verifyConsistency,
} from '@writ/merkle';
import { ReceiptError, verifyReceiptFile, type Expectation } from '@writ/receipt';
import { decodeBase64, SignatureError } from '@writ/signing';
import { CliError } from '../../cli-error.ts';
import { serverSource, type LogSource } from '../../log/log-source.ts';
import { readCheckpoint, readSavedCheckpoint, type SignedCheckpoint } from '../../log/read-checkpoint.ts';
import { readLog } from '../../log/read-log.ts';
import { NO_KEYS, SigningTally } from '../../log/signing-tally.ts';
import { verifySignatures, type SignatureCount } from '../../log/verify-signatures.ts';
import type { Trust } from '../../trust.ts';
import type { Check } from '../check.ts';
import { Broken, demand, NotApplicable, NotMade } from '../finding.ts';
import { inWords, itemsOf, memberOf, numberIn, objectOf, textIn, type Answer, type DoctorApi } from '../doctor-api.ts';
import { describe, type Room, type World } from '../world.ts';

/** A record reaches the log within milliseconds; a receipt that takes longer than this doesn't come. */
const RECEIPT_MS = 10_000;
const PAUSE_MS = 100;

/** The log answers, and has no receipt. Any other answer says that nobody could ask it. */
const PENDING: ReadonlySet<string> = new Set(['receipt.pending', 'not_found']);

/** The receipt at a path, as soon as there is one. */
async function receiptAt(api: DoctorApi, path: string): Promise<string> {
  const until = performance.now() + RECEIPT_MS;
  for (;;) {
    const answer: Answer = await api.get(path);
    if (answer.status === 200) return answer.text;
    if (performance.now() >= until) {
      const evidence = `there is no receipt of a call that has ended: ${inWords(answer)}`;
      demand(!PENDING.has(answer.code ?? ''), evidence);
      throw new NotMade(evidence);
    }
    await sleep(PAUSE_MS);
  }
}

/** Verifies a receipt under the keys that are trusted for its log. @throws ReceiptError */
function verify(trust: Trust, file: string, expected: Expectation) {
  const note = textIn(memberOf(objectOf({ text: file }), 'inclusion'), 'checkpoint');
  const { keys, witnessing } = trust.termsOf(note);
  return verifyReceiptFile(file, keys, expected, witnessing);
}

/** A call that leaves records. */
async function recorded(world: World): Promise<{ room: Room; operationId: string }> {
  const room = await world.room({ 'a.txt': 'one\n' });
  const answer = await room.call('fs.write', { path: 'a.txt', content: 'two\n' });
  const operationId = textIn(objectOf(answer), 'operation_id');
  if (operationId === '') throw new NotMade(`a call was not made: ${describe(answer)}`);
  return { room, operationId };
}

/** Copies of a receipt with another content. */
function alterationsOf(file: string): Readonly<Record<string, string>> {
  const receipt = JSON.parse(file) as { envelope: { payload: string }; inclusion: { leaf_index: number } };
  const payload = Buffer.from(receipt.envelope.payload, 'base64').toString('utf8');
  const altered = payload.replace('"tx_outcome":"committed"', '"tx_outcome":"no_op"');
  if (altered === payload) throw new NotMade('the record of a call that was made has another outcome than `committed`');
  const text = (value: unknown): string => `${JSON.stringify(value)}\n`;
  return {
    'its outcome': text({
      ...receipt,
      envelope: { ...receipt.envelope, payload: Buffer.from(altered).toString('base64') },
    }),
    'its position': text({
      ...receipt,
      inclusion: { ...receipt.inclusion, leaf_index: receipt.inclusion.leaf_index + 1 },
    }),
  };
}

const receipts: Check = {
  id: 'receipt',
  invariant: 'A receipt verifies as it was recorded, and an altered one does not',
  obligatory: true,
  run: async (world) => {
    const { operationId } = await recorded(world);
    const file = await receiptAt(world.admin, `/v1/operations/${operationId}/receipt`);
    const expected = { operationId };
    const { record } = intact(() => verify(world.trust, file, expected));
    for (const [what, altered] of Object.entries(alterationsOf(file)))
      demand(!verifies(() => verify(world.trust, altered, expected)), `a receipt verifies though ${what} was altered`);
    return `the receipt of ${record.record_id} verifies; copies with another outcome or position do not`;
  },
};

/** @throws Broken with the failed check of a receipt that should verify */
function intact<T>(verified: () => T): T {
  try {
    return verified();
  } catch (error) {
    if (error instanceof ReceiptError) throw new Broken(`a receipt does not verify (${error.check}): ${error.message}`);
    throw error;
  }
}

function verifies(verified: () => unknown): boolean {
  try {
    verified();
    return true;
  } catch (error) {
    if (error instanceof ReceiptError) return false;
    throw error;
  }
}

/** What a log proves is wrong with it, as the programs that read logs say it. */
async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const isFound = error instanceof CliError && (error.code.startsWith('verify.') || error.code === 'ledger.diverged');
    if (isFound || error instanceof MerkleError || error instanceof SignatureError)
      throw new Broken(error.message.split('\n')[0] ?? error.message);
    throw error;
  }
}

/** The newest checkpoint, once the log has more records than `than`. */
async function checkpointBeyond(source: LogSource, trust: Trust, than: number): Promise<SignedCheckpoint> {
  const until = performance.now() + RECEIPT_MS;
  for (;;) {
    const checkpoint = await source
      .checkpoint()
      .then((note) => readCheckpoint(note, trust, 'the newest checkpoint'))
      .catch((error: unknown) => {
        if (error instanceof CliError && error.code === 'not_found') return null;
        throw error;
      });
    if (checkpoint !== null && checkpoint.treeSize > than) return checkpoint;
    demand(performance.now() < until, `no checkpoint of more than ${String(than)} records came`);
    await sleep(PAUSE_MS);
  }
}

/** The log of the tenant, with its administrator's key. */
export const logOf = (world: Pick<World, 'admin'>): LogSource => serverSource(world.admin.client);

const growth: Check = {
  id: 'log',
  invariant: 'The log only grows, and its records are those that the kernel signed',
  obligatory: true,
  run: async (world) =>
    await reading(async () => {
      const source = logOf(world);
      const first = await checkpointBeyond(source, world.trust, 0);
      await recorded(world);
      const second = await checkpointBeyond(source, world.trust, first.treeSize);
      demand(first.origin === second.origin, `the log changed its name to \`${second.origin}\``);
      const hashes = await source.consistency(first.treeSize, second.treeSize);
      verifyConsistency({
        oldSize: first.treeSize,
        oldRoot: first.root,
        newSize: second.treeSize,
        newRoot: second.root,
        hashes,
      });
      const { keys } = world.trust.termsOf(second.note);
      const count: SignatureCount = { verified: 0, tally: new SigningTally(second.origin, keys, NO_KEYS) };
      await readLog({
        source,
        checkpoint: second,
        from: EMPTY_FRONTIER,
        onRead: () => undefined,
        verifySignatures: (leaves, from) => verifySignatures(leaves, from, { origin: second.origin, keys }, count),
      });
      return `from ${String(first.treeSize)} to ${String(second.treeSize)} records; ${String(count.verified)} signatures verify, and the root is the signed one`;
    }),
};

/** Records of a log of the doctor; more are another's. */
const KEPT_RECORDS_MAX = 2_000;
const AT_ONCE = 8;

export const LOG_SINCE_LAST_RUN = 'log-since-last-run';

const kept: Check = {
  id: LOG_SINCE_LAST_RUN,
  invariant: 'The log begins with what an earlier run has kept of it',
  obligatory: false,
  run: async (world) =>
    await reading(async () => {
      const { kept: log, platform, trust } = world;
      if (log === null) throw new NotApplicable('no earlier run has kept a checkpoint of this server');
      const earlier = readSavedCheckpoint(log.checkpoint, trust, 'the checkpoint that was kept');
      if (earlier.treeSize > KEPT_RECORDS_MAX) throw new NotMade('the log that was kept is not of a doctor');
      const path = `/v1/tenants/${log.tenant_id}/records`;
      const newest = await platform.get(`${path}?limit=1`);
      demand(newest.code !== 'conflict', 'the tenant of the earlier run was closed, and is open again');
      demand(newest.status === 200, `the records of the earlier run are not there any more: ${inWords(newest)}`);
      const last = numberIn(itemsOf(objectOf(newest))[0] ?? {}, 'leaf_index');
      demand(
        last + 1 >= earlier.treeSize,
        `the log has ${String(last + 1)} records, and had ${String(earlier.treeSize)}`,
      );
      const payloads = await payloadsOf(platform, path, earlier.treeSize);
      const root = rootOfFrontier(appendLeaves(EMPTY_FRONTIER, payloads.map(leafHash)));
      demand(
        isSameHash(root, earlier.root),
        `its first ${String(earlier.treeSize)} records are not those that were kept`,
      );
      return `the ${String(earlier.treeSize)} records of ${log.tenant_id} are unchanged`;
    }),
};

/** The first records of a closed tenant's log, from their receipts. */
async function payloadsOf(platform: DoctorApi, path: string, count: number): Promise<Uint8Array[]> {
  const payloads: Uint8Array[] = [];
  const read = async (from: number): Promise<void> => {
    for (let at = from; at < count; at += AT_ONCE) {
      const answer = await platform.get(`${path}/${String(at)}/receipt`);
      demand(answer.status === 200, `record ${String(at)} is not there any more: ${inWords(answer)}`);
      const { envelope } = JSON.parse(answer.text) as { envelope: { payload: string } };
      payloads[at] = decodeBase64(envelope.payload);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, from) => read(from)));
  return payloads;
}

export const LOG_CHECKS: readonly Check[] = [receipts, growth, kept];
