// SPDX-License-Identifier: Apache-2.0
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { vi } from 'vitest';
import { memoryBus, type MemoryBus } from '@writ/bus';
import { Fault, type AppendReply, type AppendRequest } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { SUBJECTS } from '../../specs/test-executor.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { takeBatch, type SentRecord } from './batches.ts';
import { OutboxSender, LogPositionTracker } from './index.ts';

type Appended = AppendReply['appended'][number];

let kernel: TestKernel;
let tenant: TestTenant;
let bus: MemoryBus;
let ledger: { requests: AppendRequest[]; answer: (record_id: string, index: number) => Appended | Promise<Appended> };
openKernelSpec((on) => {
  ({ kernel } = on);
});
beforeEach(async () => {
  await kernel.admin.query('DELETE FROM kernel.outbox');
  tenant = await kernel.newTenant();
  bus = memoryBus({ now: () => Date.now() });
  ledger = {
    requests: [],
    answer: (record_id, index) => ({ record_id, leaf_index: index, tree_size: index + 1, fault: null }),
  };
  await bus.serve(SUBJECTS.request('ledger.append'), {
    queue: 'ledger',
    concurrencyMax: 10,
    handler: async ({ payload }) => {
      const request = payload as AppendRequest;
      ledger.requests.push(request);
      return {
        v: 1,
        appended: await Promise.all(request.records.map(({ record_id }, index) => ledger.answer(record_id, index))),
      };
    },
  });
});
afterEach(() => bus.close());

function newSender() {
  const [refused, failed]: [string[], unknown[]] = [[], []];
  const logPositions = new LogPositionTracker(kernel.workers);
  const watch = {
    refused: (id: string, fault: string) => refused.push(`${id} ${fault}`),
    failed: (error: unknown) => failed.push(error),
    logged: () => undefined,
  };
  return {
    book: logPositions,
    refused,
    failed,
    sender: new OutboxSender(bus, SUBJECTS, kernel.workers, logPositions, watch, () => Date.now()),
  };
}

/** A record whose row exists, as after a COMMIT. */
const stored = async (ageMs = 0): Promise<SentRecord & { digest: string }> => {
  const record = {
    record_id: newId('record'),
    tenant_id: tenant.tenantId,
    payload: Buffer.from('{}'),
    keyid: 'k',
    sig: Buffer.alloc(64),
    digest: '',
  };
  await kernel.admin.query(
    'INSERT INTO kernel.outbox (record_id, tenant_id, payload, keyid, sig, created_at) VALUES ($1, $2, $3, $4, $5, kernel.now_ms() - $6)',
    [record.record_id, record.tenant_id, record.payload, record.keyid, record.sig, ageMs],
  );
  return record;
};
/** How many records each request had. */
const sizes = (): number[] => ledger.requests.map(({ records }) => records.length);
/** The ledger doesn't answer until the returned function is called. */
const holdAnswers = (): (() => void) => {
  const { answer } = ledger;
  const { promise: answered, resolve } = Promise.withResolvers<undefined>();
  ledger.answer = async (record_id, index) => {
    await answered;
    return answer(record_id, index);
  };
  return () => resolve(undefined);
};
/** Resolves when the ledger has received so many requests. */
const untilUnderWay = async (count: number): Promise<void> => {
  while (ledger.requests.length < count) await endOfTurn();
};
const awaited = ({ record_id }: { record_id: string }) => ({
  tenant_id: tenant.tenantId,
  operation_id: newId('operation'),
  record_id,
});

it('a record that is handed over is sent at once, confirmed, and then forgotten', async () => {
  const { sender, book: logPositions } = newSender();
  const record = await stored();
  const waiting = logPositions.wait(awaited(record), 5_000);
  sender.enqueue([record]);
  expect(await waiting).toMatchObject({ state: 'logged', record_id: record.record_id, leaf_index: 0, tree_size: 1 });
  await sender.idle();
  expect(await tenant.countOf('outbox')).toBe(0);
  expect(ledger.requests[0]?.records[0]?.envelope).toEqual({
    payloadType: 'application/vnd.in-toto+json',
    payload: 'e30=',
    signatures: [{ keyid: 'k', sig: record.sig.toString('base64') }],
  });
});

it('a lone record is sent at once', async () => {
  const { sender } = newSender();
  const records = [await stored(), await stored()];
  const request = vi.spyOn(bus, 'request');
  sender.enqueue(records);
  expect(request).toHaveBeenCalledTimes(1);
  await sender.idle();
  expect(sizes()).toEqual([2]);
});

it('records of one turn of the event loop go together soon after a batch, and those that arrive meanwhile in the next one', async () => {
  const { sender } = newSender();
  const records: Awaited<ReturnType<typeof stored>>[] = [];
  for (let count = 0; count < 46; count += 1) records.push(await stored());
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  try {
    sender.enqueue(records.slice(0, 1));
    await sender.idle();
    const answer = holdAnswers();
    for (const record of records.slice(1, 6)) sender.enqueue([record]);
    await untilUnderWay(2);
    for (const record of records.slice(6)) sender.enqueue([record]);
    answer();
    await sender.idle();
  } finally {
    clock.mockRestore();
  }
  expect(sizes()).toEqual([1, 5, 40]);
});

describe('a record that no caller waits for', () => {
  const mayLinger = { mayLinger: true };
  beforeEach(() => {
    vi.useFakeTimers({
      toNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date', 'setInterval'],
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('lingers for 50 ms, and goes with any record that a caller waits for', async () => {
    const { sender } = newSender();
    const records = [await stored(), await stored(), await stored(), await stored()] as const;
    sender.enqueue([records[0]], mayLinger);
    sender.enqueue([records[1]], mayLinger);
    await vi.advanceTimersByTimeAsync(49);
    expect(sizes()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await sender.idle();
    expect(sizes()).toEqual([2]);
    sender.enqueue([records[2]], mayLinger);
    sender.enqueue([records[3]]);
    await sender.idle();
    expect(sizes()).toEqual([2, 2]);
  });

  it('lingers too where it arrives while a batch is under way', async () => {
    const { sender, book } = newSender();
    const [first, ...others] = [await stored(), await stored(), await stored(), await stored()] as const;
    const answer = holdAnswers();
    sender.enqueue([first]);
    await untilUnderWay(1);
    for (const record of others) sender.enqueue([record], mayLinger);
    answer();
    expect(await book.wait(awaited(first), 1_000)).toMatchObject({ state: 'logged' });
    await vi.advanceTimersByTimeAsync(49);
    expect(sizes()).toEqual([1]);
    await vi.advanceTimersByTimeAsync(1);
    await sender.idle();
    expect(sizes()).toEqual([1, 3]);
  });

  it('goes at the end of a batch that outlasts its time, and at once where it fills a request', async () => {
    const { sender } = newSender();
    const record = await stored();
    const answer = holdAnswers();
    sender.enqueue([record]);
    await untilUnderWay(1);
    sender.enqueue([record], mayLinger);
    await vi.advanceTimersByTimeAsync(60);
    answer();
    await sender.idle();
    expect(sizes()).toEqual([1, 1]);
    for (let n = 0; n < 199; n += 1) sender.enqueue([record], mayLinger);
    await vi.advanceTimersByTimeAsync(40);
    expect(sizes()).toEqual([1, 1]);
    sender.enqueue([record], mayLinger);
    await sender.idle();
    expect(sizes()).toEqual([1, 1, 200]);
  });
});

it('a batch has at most 200 records and 512 KiB as sent, and at least one record', () => {
  const record = (bytes: number): SentRecord => ({
    record_id: newId('record'),
    tenant_id: 't',
    payload: Buffer.alloc(bytes),
    keyid: 'k',
    sig: Buffer.alloc(64),
  });
  const queue = Array.from({ length: 450 }, () => record(1_500));
  expect([takeBatch(queue).length, takeBatch(queue).length, takeBatch(queue).length, queue.length]).toEqual([
    200, 200, 50, 0,
  ]);
  const large = Array.from({ length: 60 }, () => record(16_384));
  const batch = takeBatch(large);
  expect(batch.length).toBeLessThan(25);
  expect(JSON.stringify(batch.map(({ payload }) => payload.toString('base64'))).length).toBeLessThanOrEqual(512 * 1024);
  expect(takeBatch([record(2 ** 20)])).toHaveLength(1);
});

it('while the ledger is unavailable the row stays, and the receipt is `pending` in time', async () => {
  const { sender, book, failed } = newSender();
  ledger.answer = () => {
    throw new Fault('ledger.unavailable');
  };
  const record = await stored();
  sender.enqueue([record]);
  expect(await book.wait(awaited(record), 100)).toMatchObject({ state: 'pending', leaf_index: null });
  await sender.idle();
  expect(failed).toHaveLength(1);
  expect(await tenant.countOf('outbox')).toBe(1);
});

it('a lost answer costs a second sending, and nothing else', async () => {
  const { sender, failed } = newSender();
  const record = await stored(3_000);
  const answer = ledger.answer;
  ledger.answer = () => {
    throw new Fault('bus.unreachable');
  };
  sender.enqueue([record]);
  await sender.idle();
  expect(failed).toHaveLength(1);
  expect(await tenant.countOf('outbox')).toBe(1);
  ledger.answer = answer;
  const { sender: other } = newSender();
  expect(await other.resend()).toBe(1);
  await other.idle();
  expect(await tenant.countOf('outbox')).toBe(0);
  expect(ledger.requests.map(({ records }) => records[0]?.record_id)).toEqual([record.record_id, record.record_id]);
});

it('an old row is sent by any replica that finds it, once among replicas, and a fresh one only by its own', async () => {
  const old = [await stored(3_000), await stored(3_000), await stored(3_000)];
  const fresh = await stored();
  const senders = Array.from({ length: 6 }, newSender);
  const sent = await Promise.all(senders.map(({ sender }) => sender.resend()));
  expect(sent.reduce((sum, count) => sum + count, 0)).toBe(3);
  await Promise.all(senders.map(({ sender }) => sender.idle()));
  expect(ledger.requests.flatMap(({ records }) => records.map(({ record_id }) => record_id)).toSorted()).toEqual(
    old.map(({ record_id }) => record_id).toSorted(),
  );
  const { rows } = await kernel.admin.query('SELECT record_id FROM kernel.outbox');
  expect(rows).toEqual([{ record_id: fresh.record_id }]);
});

it('a record that the ledger refuses stays, is reported, and holds up no other', async () => {
  const { sender, refused, book } = newSender();
  const [bad, good] = [await stored(3_000), await stored(3_000)];
  ledger.answer = (record_id, index) =>
    record_id === bad.record_id
      ? { record_id, leaf_index: null, tree_size: null, fault: 'record.invalid' }
      : { record_id, leaf_index: index, tree_size: index + 1, fault: null };
  expect(await sender.resend()).toBe(1);
  await sender.idle();
  expect(refused).toEqual([`${bad.record_id} record.invalid`]);
  expect((await kernel.admin.query('SELECT record_id FROM kernel.outbox')).rows).toEqual([
    { record_id: bad.record_id },
  ]);
  expect(await book.wait(awaited(good), 0)).toMatchObject({ state: 'logged' });
  expect(await book.wait(awaited(bad), 0)).toMatchObject({ state: 'pending' });
  const { rows, ageMs } = await sender.backlog();
  expect(rows).toBe(1);
  expect(ageMs).toBeGreaterThanOrEqual(3_000);
});

it('a record that another replica has sent counts as logged, without its position', async () => {
  const { book } = newSender();
  const record = await stored();
  const waiting = book.wait(awaited(record), 5_000);
  await kernel.admin.query('DELETE FROM kernel.outbox WHERE record_id = $1', [record.record_id]);
  expect(await waiting).toMatchObject({ state: 'logged', leaf_index: null });
});

it("the ledger's answer about records that it was not sent is ignored", async () => {
  const { sender } = newSender();
  const [sent, other] = [await stored(), await stored()];
  ledger.answer = (_record_id, index) => ({
    record_id: other.record_id,
    leaf_index: index,
    tree_size: index + 1,
    fault: null,
  });
  sender.enqueue([sent]);
  await sender.idle();
  expect(await tenant.countOf('outbox')).toBe(2);
});

it("a log that can't be written holds up the records of its tenant and of no other", async () => {
  const { sender, failed } = newSender();
  const bad = await stored(4_000);
  tenant = await kernel.newTenant();
  await stored(3_000);
  ledger.answer = (record_id, index) => {
    if (ledger.requests.at(-1)?.records.some((record) => record.record_id === bad.record_id))
      throw new Fault('ledger.diverged');
    return { record_id, leaf_index: index, tree_size: index + 1, fault: null };
  };
  expect(await sender.resend()).toBe(1);
  await sender.idle();
  expect((await kernel.admin.query('SELECT record_id FROM kernel.outbox')).rows).toEqual([
    { record_id: bad.record_id },
  ]);
  expect(failed).toHaveLength(1);
});

it("the queue is bounded while the ledger is unavailable: records that don't fit are found again", async () => {
  const { sender } = newSender();
  const answer = holdAnswers();
  const record = await stored();
  for (let n = 0; n < 12_000; n += 1) sender.enqueue([record]);
  answer();
  await sender.idle();
  expect(sizes().reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(10_200);
}, 120_000);
