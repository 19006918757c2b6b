// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { isSameHash, MerkleError, verifyConsistency } from '@writ/merkle';
import {
  cosign,
  formatCosignerKey,
  parseCheckpoint,
  parseCosignerKey,
  parseNote,
  verifyCosignatures,
  verifyNote,
  type NoteKey,
} from '@writ/signing';
import { Cosignatures } from '../signing/cosignatures.ts';
import {
  newSigner,
  newTenant,
  noteKey,
  operationOf,
  record,
  TestLedger,
  type Replica,
  type SentRecord,
} from '../specs/test-ledger.ts';
import { parseWitnessAnswer, type RequestCosignature, type WitnessAnswer } from './request-cosignature.ts';
import { Cosigner } from './cosigner.ts';
import type { WitnessAddress } from '../foundation/witnesses-file.ts';

const NOW = 1_767_225_600_000;

/** A witness that follows the protocol; the test can set what it saw. */
class FakeWitness {
  readonly signer = newSigner();
  readonly address: WitnessAddress;
  readonly seen = new Map<string, { treeSize: number; root: Uint8Array }>();
  isAway = false;
  requests = 0;

  constructor(readonly name: string) {
    this.address = { url: `http://${name}/`, key: parseCosignerKey(formatCosignerKey(name, this.signer.publicKey)) };
  }

  requestCosignature: RequestCosignature = (_address, { oldSize, hashes, note }): Promise<WitnessAnswer> => {
    this.requests += 1;
    if (this.isAway) return Promise.resolve({ kind: 'nothing', why: 'away' });
    const { text } = verifyNote(note, [noteKey]);
    const { origin, treeSize, root } = parseCheckpoint(text);
    const seen = this.seen.get(origin);
    const isFork = seen?.treeSize === treeSize && !isSameHash(seen.root, root);
    if (oldSize !== (seen?.treeSize ?? 0) || isFork)
      return Promise.resolve({ kind: 'size', treeSize: seen?.treeSize ?? 0 });
    try {
      if (seen !== undefined)
        verifyConsistency({ oldSize, oldRoot: seen.root, newSize: treeSize, newRoot: root, hashes });
    } catch (error) {
      if (!(error instanceof MerkleError)) throw error;
      return Promise.resolve({ kind: 'nothing', why: 'no proof' });
    }
    this.seen.set(origin, { treeSize, root });
    return Promise.resolve({
      kind: 'cosigned',
      line: cosign(text, { name: this.name, signer: this.signer }, NOW / 1000),
    });
  };
}

let ledgers: TestLedger;
let store: Cosignatures;
beforeAll(async () => {
  ledgers = await TestLedger.open();
  store = new Cosignatures(ledgers.pool);
});
afterAll(() => ledgers.close());

let due: Set<string>;
let ledger: Replica;
let witnesses: [FakeWitness, FakeWitness];
let events: string[];
let tenant: TenantId;
let replicas = 0;
beforeEach(() => {
  due = new Set();
  ledger = ledgers.replica(`cosigned-${String((replicas += 1))}`, {
    quorum: 2,
    onStored: (tenants) => {
      for (const each of tenants) due.add(each);
    },
  });
  witnesses = [new FakeWitness('w1.test'), new FakeWitness('w2.test')];
  events = [];
  tenant = newTenant();
});

const newCosigner = (): Cosigner =>
  new Cosigner(due, {
    witnesses: witnesses.map(({ address }) => address),
    store,
    reader: ledger.reader,
    requestCosignature: (address, request) =>
      witnesses.find((witness) => witness.address === address)!.requestCosignature(address, request),
    hooks: {
      onWitness: (name, why) => events.push(`${name.split('+')[0]!}: ${why ?? 'back'}`),
      onFork: (name, _log, size) => events.push(`${name.split('+')[0]!}: fork at ${String(size)}`),
      onError: (error) => {
        throw error;
      },
    },
  });
const append = async (count: number): Promise<SentRecord[]> => {
  const sent = Array.from({ length: count }, () => record(tenant));
  await ledger.append(sent);
  // A note is stored after the answer; a request for the checkpoint waits until it is stored.
  await ledger.receipts.checkpoint(tenant);
  return sent;
};
const keys = (): NoteKey[] => witnesses.map(({ address }) => address.key);
const cosignersOf = (note: string): string[] =>
  verifyCosignatures(note, keys())
    .map(({ key }) => key.name)
    .sort();
const receiptOf = async (sent: SentRecord) =>
  (await ledger.receipts.of({ v: 1, tenant_id: tenant, operation_id: operationOf(sent), phase: null })).inclusion;

test('the newest checkpoint of a log is cosigned by all witnesses once', async () => {
  const [first] = await append(3);
  const cosigner = newCosigner();
  await cosigner.round(NOW);
  expect(cosignersOf(await ledger.receipts.checkpoint(tenant))).toEqual(['w1.test', 'w2.test']);
  expect(cosignersOf((await receiptOf(first!)).checkpoint)).toEqual(['w1.test', 'w2.test']);
  await append(300);
  await cosigner.round(NOW);
  const { checkpoint, tree_size } = await receiptOf(first!);
  expect([tree_size, cosignersOf(checkpoint)]).toEqual([303, ['w1.test', 'w2.test']]);
  const requests = witnesses.map((witness) => witness.requests);
  await ledger.receipts.checkpoint(tenant);
  await cosigner.round(NOW);
  expect(witnesses.map((witness) => witness.requests)).toEqual(requests);
});

test('while a witness is away, new receipts have the other cosignatures and older ones the last full quorum, until it recovers', async () => {
  const [first] = await append(3);
  const cosigner = newCosigner();
  await cosigner.round(NOW);
  witnesses[1].isAway = true;
  const [second] = await append(2);
  await cosigner.round(NOW);
  const [old, young] = [await receiptOf(first!), await receiptOf(second!)];
  expect([old.tree_size, cosignersOf(old.checkpoint)]).toEqual([3, ['w1.test', 'w2.test']]);
  expect([young.tree_size, cosignersOf(young.checkpoint)]).toEqual([5, ['w1.test']]);
  for (const inclusion of [old, young])
    expect(await ledger.reader.inclusion({ v: 1, tenant_id: tenant, leaf_index: inclusion.leaf_index })).toEqual(
      inclusion,
    );
  expect(events).toEqual(['w2.test: away']);
  witnesses[1].isAway = false;
  // The witness is skipped for a second; then the log is due again without having grown.
  await cosigner.round(NOW + 999);
  expect(cosignersOf((await receiptOf(second!)).checkpoint)).toEqual(['w1.test']);
  await cosigner.round(NOW + 1001);
  expect(cosignersOf((await receiptOf(second!)).checkpoint)).toEqual(['w1.test', 'w2.test']);
  expect(events).toEqual(['w2.test: away', 'w2.test: back']);
});

test("a ledger without a witness's last size learns it from the witness and proves consistency from it", async () => {
  await append(3);
  await newCosigner().round(NOW);
  const [last] = await append(4);
  await newCosigner().round(NOW);
  expect(cosignersOf((await receiptOf(last!)).checkpoint)).toEqual(['w1.test', 'w2.test']);
});

test('a witness that saw another root of the same size is reported as a fork', async () => {
  await append(3);
  const { origin } = parseCheckpoint(parseNote(await ledger.receipts.checkpoint(tenant)).text);
  witnesses[0].seen.set(origin, { treeSize: 3, root: new Uint8Array(32) });
  await newCosigner().round(NOW);
  expect(events).toEqual(['w1.test: fork at 3']);
  expect(cosignersOf(await ledger.receipts.checkpoint(tenant))).toEqual(['w2.test']);
});

test("a witness's answer counts only if its own key cosigned this checkpoint", async () => {
  await append(2);
  const note = await ledger.receipts.checkpoint(tenant);
  const { text } = parseNote(note);
  const [{ address, name, signer }, { signer: other }] = witnesses;
  const request = { oldSize: 0, hashes: [], note };
  const line = cosign(text, { name, signer }, 7);
  expect(parseWitnessAnswer(200, `— stranger AAAAAAA=\n${line}`, address, request)).toEqual({ kind: 'cosigned', line });
  const others = [
    cosign(text.replace('\n2\n', '\n3\n'), { name, signer }, 7),
    cosign(text, { name, signer: other }, 7),
    'hello\n',
    '',
    `${line.trimEnd()} \n`,
  ];
  for (const body of others) expect(parseWitnessAnswer(200, body, address, request).kind).toBe('nothing');
  expect(parseWitnessAnswer(409, '12\n', address, request)).toEqual({ kind: 'size', treeSize: 12 });
  for (const [status, body] of [
    [409, 'many\n'],
    [409, '012\n'],
    [500, line],
    [404, ''],
  ] as const)
    expect(parseWitnessAnswer(status, body, address, request).kind).toBe('nothing');
});
