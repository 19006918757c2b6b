// SPDX-License-Identifier: Apache-2.0
// The ledger alone, asked over the bus as the kernel asks it: killed at each step of an append, asked again and out of order, two replicas at once, and one that can't
// write down what it signed. Whatever happens, what it answered for is in the log at that place, once, and the independent checker finds nothing.
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { Bus } from '@writ/bus';
import { formatId, subjectsOf, type AppendReply, type AppendRequest, type TenantId } from '@writ/contract';
import { sealRecord } from '@writ/receipt';
import type { Signer } from '@writ/signing';
import { decisionRecord, eventually, expectCleanLog, Observer, SHARD, startStack, type Service, type Stack } from '@writ/stack';

type Sent = AppendRequest['records'][number];

const APPEND = subjectsOf(SHARD).request('ledger.append');
/** What a request may take before its sender asks again, as the kernel does. */
const ANSWER_MS = 3_000;
/** For a ledger to come up and take everything on a slow machine. */
const LOGGED_MS = 60_000;

jest.setTimeout(240_000);

let stack: Stack;
let observer: Observer;
let bus: Bus;
let signer: Signer;
/** Where each record is that a ledger answered for. */
const acknowledged = new Map<string, number>();
/** Records that a later answer put somewhere else. */
const moved: string[] = [];

beforeAll(async () => {
  stack = await startStack({ without: ['kernel', 'executor', 'orchestrator'], busProxies: ['ledger'] });
  observer = new Observer(stack);
  bus = await stack.busAs('kernel');
  signer = stack.keys.record;
});
afterAll(async () => {
  await bus?.close();
  await observer?.close();
  await stack?.stop();
});
afterEach(async () => {
  await observer.close();
  stack.busProxy('ledger').release();
  if (!stack.services.ledger.isRunning) await stack.services.ledger.start();
});

const newTenant = (): TenantId => formatId('tenant', randomBytes(16));

function sealed(tenant_id: TenantId, count: number): Sent[] {
  return Array.from({ length: count }, () => {
    const record = decisionRecord(tenant_id, signer.keyid);
    return { record_id: record.record_id, tenant_id, envelope: sealRecord(record, signer).envelope };
  });
}

/** One request, and where the ledger says that its records are. */
async function append(records: readonly Sent[]): Promise<void> {
  const { appended } = await bus.request(APPEND, { v: 1, records }, { deadline: Date.now() + ANSWER_MS }) as AppendReply;
  for (const { record_id, leaf_index, fault } of appended) {
    if (leaf_index === null) throw new Error(`refused: ${fault}`);
    if ((acknowledged.get(record_id) ?? leaf_index) !== leaf_index) moved.push(record_id);
    acknowledged.set(record_id, leaf_index);
  }
}

/** Asks until there is an answer. */
const appendUntilLogged = (records: readonly Sent[]): Promise<true> =>
  eventually('an answer of the ledger', () => append(records).then(() => true as const, () => null), LOGGED_MS);

async function expectWhole(sent: readonly Sent[]): Promise<void> {
  const rows = await observer.rows<{ record_id: string; leaf_index: number; n: number }>('SELECT record_id, min(leaf_index) AS leaf_index, count(*)::int AS n FROM ledger.leaf GROUP BY record_id');
  const stored = new Map(rows.map((row) => [row.record_id, row]));
  for (const [record_id, leaf_index] of acknowledged) expect(stored.get(record_id)).toEqual({ record_id, leaf_index, n: 1 });
  expect(moved).toEqual([]);
  expect(sent.filter(({ record_id }) => !acknowledged.has(record_id))).toEqual([]);
  expectCleanLog(stack);
}

const leaves = async (): Promise<number> => (await observer.rows<{ n: number }>('SELECT count(*)::int AS n FROM ledger.leaf'))[0]?.n ?? 0;

it.each([
  ['before its rows are written', 'ledger.leaf'],
  ['with its leaves written and nothing committed', 'ledger.root'],
])('killed %s: none of the batch is there, and it is taken when sent again', async (_when, table) => {
  const tenants = [newTenant(), newTenant()];
  const before = tenants.flatMap((tenant) => sealed(tenant, 3));
  await appendUntilLogged(before);
  const count = await leaves();
  // Inserting waits for this lock, and reading doesn't.
  const letGo = await observer.hold(`LOCK TABLE ${table} IN SHARE MODE`);
  const records = tenants.flatMap((tenant) => sealed(tenant, 20));
  const answer = append(records).then(() => 'answered', () => 'failed');
  await observer.untilBlocked('writ_ledger');
  await stack.services.ledger.kill();
  await observer.abort('writ_ledger');
  await letGo();
  expect(await answer).toBe('failed');
  expect(await leaves()).toBe(count);
  await stack.services.ledger.start();
  await appendUntilLogged(records);
  await expectWhole([...before, ...records]);
});

it('killed with a batch committed and signed, and its answer lost: sent again, it gets the places it has', async () => {
  const records = sealed(newTenant(), 30);
  stack.busProxy('ledger').hold('out');
  const answer = append(records).then(() => 'answered', () => 'failed');
  const ids = records.map(({ record_id }) => record_id);
  const placed = () => observer.rows('SELECT record_id, leaf_index FROM ledger.leaf WHERE record_id = ANY ($1) ORDER BY leaf_index', [ids]);
  await eventually('the leaves', async () => (await placed()).length === records.length, LOGGED_MS);
  const first = await placed();
  await stack.services.ledger.kill();
  stack.busProxy('ledger').cut();
  expect(await answer).toBe('failed');
  await stack.services.ledger.start();
  await appendUntilLogged(records);
  expect(await placed()).toEqual(first);
  await expectWhole(records);
});

it('two replicas append to the same logs, one is killed again and again, and records come twice and out of order', async () => {
  const other: Service = await stack.another('ledger', { WRIT_LEDGER_MEMORY_FILE: join(stack.folder, 'ledger-2', 'signed') });
  try {
    const tenants = Array.from({ length: 4 }, newTenant);
    const records = tenants.flatMap((tenant) => sealed(tenant, 60));
    // Each sender takes every record, from another one on and in the other direction.
    const senders = [0, 1, 2, 3].map(async (n) => {
      const turned = [...records.slice(n * 60), ...records.slice(0, n * 60)];
      const mine = n % 2 === 0 ? turned : turned.reverse();
      for (let at = 0; at < mine.length; at += 15) await appendUntilLogged(mine.slice(at, at + 15));
    });
    const all = Promise.all(senders);
    for (let kills = 0; kills < 3; kills++) await stack.services.ledger.restart();
    await all;
    await expectWhole(records);
  } finally {
    await other.kill();
  }
});

it('what was signed can\'t be written down: nothing more is appended, and it goes on by itself when it can', async () => {
  const [first, second] = [sealed(newTenant(), 3), sealed(newTenant(), 3)];
  await stack.services.ledger.kill();
  // The file is made anew at the first signature after a start. Where a folder is, no file can be made.
  const inTheWay = join(stack.folder, 'ledger', 'signed.next');
  mkdirSync(inTheWay);
  try {
    await stack.services.ledger.start();
    await expect(append(first)).rejects.toMatchObject({ code: 'ledger.unavailable' });
    const count = await leaves();
    await expect(append(second)).rejects.toMatchObject({ code: 'ledger.unavailable' });
    expect(await leaves()).toBe(count);
  } finally {
    rmdirSync(inTheWay);
  }
  await appendUntilLogged(first);
  await appendUntilLogged(second);
  await expectWhole([...first, ...second]);
});
