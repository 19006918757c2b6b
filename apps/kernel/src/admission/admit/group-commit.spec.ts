// SPDX-License-Identifier: Apache-2.0
import { vi } from 'vitest';
import { Fault } from '@writ/contract';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { Admission, AdmissionStatements } from './admission-statements.ts';
import { AHEAD_MS, APART_MS, GROUP_MAX, AdmissionGroupCommit } from './group-commit.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Rows = readonly (OperationRow | null)[];

/** A statement that was sent, until the test answers it. */
interface Sent {
  readonly of: readonly string[];
  readonly isAlone: boolean;
  readonly answer: (rows?: readonly (string | null)[]) => Promise<void>;
  readonly fail: (error: unknown) => Promise<void>;
}

const rowOf = (id: string) => ({ operation_id: id }) as OperationRow;
const admissionOf = (id: string, tenantId: string, tokenId = `token-of-${tenantId}`): Admission => ({
  tenantId,
  tokenId,
  change: id,
  args: null,
  salt: new Uint8Array(),
  fingerprint: null,
});

function open() {
  const sent: Sent[] = [];
  const send = (admissions: readonly Admission[], isAlone: boolean): Promise<Rows> =>
    new Promise((resolve, reject) => {
      const of = admissions.map(({ change }) => change);
      sent.push({
        of,
        isAlone,
        answer: async (ids = of) => {
          resolve(ids.map((id) => (id === null ? null : rowOf(id))));
          await vi.advanceTimersByTimeAsync(0);
        },
        fail: async (error) => {
          reject(error as Error);
          await vi.advanceTimersByTimeAsync(0);
        },
      });
    });
  const statements: AdmissionStatements = {
    alone: async (admission) => (await send([admission], true))[0] as OperationRow,
    together: (admissions) => send(admissions, false),
    dryRun: () => Promise.reject(new Error('a dry run goes by itself')),
    assigned: () => Promise.reject(new Error('what is assigned goes by itself')),
  };
  const group = new AdmissionGroupCommit(statements, () => Date.now());
  const ends = new Map<string, string>();
  /** Asks, and keeps how it ends. */
  const ask = (id: string, tenantId: string, tokenId?: string): void => {
    group.admit(admissionOf(id, tenantId, tokenId)).then(
      ({ operation_id }) => ends.set(id, operation_id),
      (error: Error) => ends.set(id, error.message),
    );
  };
  const last = (): Sent => sent.at(-1) as Sent;
  return { sent, ends, ask, last };
}

test('what comes alone is written at once, by itself', async () => {
  const { sent, ends, ask, last } = open();
  ask('a', 't1');
  expect(sent.map(({ of, isAlone }) => [of, isAlone])).toEqual([[['a'], true]]);
  await last().answer();
  expect(ends.get('a')).toBe('a');
});

test('what comes while one is written is written together afterwards, tenants in the order of their ids and of each in the order of arrival', async () => {
  const { sent, ends, ask, last } = open();
  ask('a', 't1');
  ask('b', 't3');
  ask('c', 't2');
  ask('d', 't3');
  expect(sent).toHaveLength(1);
  await last().answer();
  expect(last()).toMatchObject({ of: ['c', 'b', 'd'], isAlone: false });
  await last().answer();
  expect(Object.fromEntries(ends)).toEqual({ a: 'a', b: 'b', c: 'c', d: 'd' });
});

test('of a tenant a group has calls of one token; those of others come in the next', async () => {
  const { ask, last } = open();
  ask('a', 't1');
  ask('b', 't1', 'x');
  ask('c', 't1', 'y');
  ask('d', 't2');
  ask('e', 't1', 'x');
  await last().answer();
  expect(last().of).toEqual(['b', 'e', 'd']);
  await last().answer();
  expect(last()).toMatchObject({ of: ['c'], isAlone: true });
});

test('a group is bounded, and whoever came first is in it', async () => {
  const { ask, last } = open();
  ask('first', 't');
  for (let i = 0; i <= GROUP_MAX; i++) ask(`c${i}`, 't');
  await last().answer();
  expect(last().of).toEqual(Array.from({ length: GROUP_MAX }, (_, i) => `c${i}`));
  await last().answer();
  expect(last().of).toEqual([`c${GROUP_MAX}`]);
});

test('one of which nothing was written is written by itself, and the others are told at once', async () => {
  const { sent, ends, ask, last } = open();
  ask('a', 't0');
  ask('b', 't1');
  ask('c', 't2');
  await last().answer();
  await last().answer([null, 'c']);
  expect(Object.fromEntries(ends)).toEqual({ a: 'a', c: 'c' });
  expect(last()).toMatchObject({ of: ['b'], isAlone: true });
  // It may wait for its tenant's lock: nobody waits for it.
  ask('d', 't3');
  expect(last().of).toEqual(['d']);
  await sent[2]?.fail(new Error('the facts moved'));
  expect(ends.get('b')).toBe('the facts moved');
});

test('a tenant whose call could not be written in a group goes apart for a while, and then with the others again', async () => {
  const { sent, ask, last } = open();
  ask('a', 't0');
  ask('b', 't1');
  ask('c', 't2');
  await last().answer();
  await last().answer([null, 'c']);
  ask('d', 't2');
  ask('e', 't1');
  expect(sent.slice(-2).map(({ of, isAlone }) => [of, isAlone])).toEqual([
    [['d'], true],
    [['e'], true],
  ]);
  await vi.advanceTimersByTimeAsync(APART_MS);
  ask('f', 't2');
  ask('g', 't1');
  ask('h', 't3');
  await last().answer();
  expect(last().of).toEqual(['g', 'h']);
});

test('a statement that takes long keeps nobody waiting, and its end lets no second one go beside the next', async () => {
  const { sent, ask } = open();
  ask('a', 't1');
  ask('b', 't2');
  await vi.advanceTimersByTimeAsync(AHEAD_MS - 1);
  expect(sent).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent.map(({ of }) => of)).toEqual([['a'], ['b']]);
  ask('c', 't3');
  await sent[0]?.answer();
  expect(sent).toHaveLength(2);
  await sent[1]?.answer();
  expect(sent[2]?.of).toEqual(['c']);
});

test('where the database is gone nobody knows what became of a group, and each is told so', async () => {
  const { sent, ends, ask, last } = open();
  ask('a', 't0');
  ask('b', 't1');
  ask('c', 't2');
  await last().answer();
  await last().fail(new Fault('database.unavailable', 'gone'));
  expect([ends.get('b'), ends.get('c')]).toEqual(['gone', 'gone']);
  expect(sent).toHaveLength(2);
});

test('a group that fails as a whole is written one by one, so that one that can not be takes no other with it', async () => {
  const { sent, ends, ask, last } = open();
  ask('a', 't0');
  ask('b', 't1');
  ask('c', 't2');
  await last().answer();
  await last().fail(new Fault('overloaded', 'it kept losing'));
  expect(sent.slice(-2).map(({ of, isAlone }) => [of, isAlone])).toEqual([
    [['b'], true],
    [['c'], true],
  ]);
  await sent[2]?.fail(new Error('it can not be'));
  await sent[3]?.answer();
  expect([ends.get('b'), ends.get('c')]).toEqual(['it can not be', 'c']);
});
