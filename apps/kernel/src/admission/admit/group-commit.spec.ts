// SPDX-License-Identifier: Apache-2.0
import { vi } from 'vitest';
import { Fault } from '@writ/contract';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { AdmissionParameters, AdmissionStatements } from './admission-statements.ts';
import { STATEMENT_MAX_MS, SEPARATE_MS, GROUP_MAX, AdmissionGroupCommit } from './group-commit.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Rows = readonly (OperationRow | null)[];

/** A statement that was sent and that the test answers. */
interface Sent {
  readonly of: readonly string[];
  readonly isAlone: boolean;
  readonly answer: (rows?: readonly (string | null)[]) => Promise<void>;
  readonly fail: (error: unknown) => Promise<void>;
}

const rowOf = (id: string) => ({ operation_id: id }) as OperationRow;
const admissionOf = (id: string, tenantId: string, tokenId = `token-of-${tenantId}`): AdmissionParameters => ({
  tenantId,
  tokenId,
  change: id,
  args: null,
  salt: new Uint8Array(),
  fingerprint: null,
});

function open() {
  const sent: Sent[] = [];
  const send = (admissions: readonly AdmissionParameters[], isAlone: boolean): Promise<Rows> =>
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
    admitOne: async (admission) => (await send([admission], true))[0] as OperationRow,
    admitGroup: (admissions) => send(admissions, false),
    admitDryRun: () => Promise.reject(new Error('a dry run goes by itself')),
    admitAndDispatch: () => Promise.reject(new Error('what is assigned goes by itself')),
  };
  const group = new AdmissionGroupCommit(statements, () => Date.now());
  const ends = new Map<string, string>();
  /** Sends an admission, and stores its result. */
  const ask = (id: string, tenantId: string, tokenId?: string): void => {
    group.admit(admissionOf(id, tenantId, tokenId)).then(
      ({ operation_id }) => ends.set(id, operation_id),
      (error: Error) => ends.set(id, error.message),
    );
  };
  const last = (): Sent => sent.at(-1) as Sent;
  return { sent, ends, ask, last };
}

test('an admission that arrives alone is written at once, separately', async () => {
  const { sent, ends, ask, last } = open();
  ask('a', 't1');
  expect(sent.map(({ of, isAlone }) => [of, isAlone])).toEqual([[['a'], true]]);
  await last().answer();
  expect(ends.get('a')).toBe('a');
});

test('admissions that arrive during a statement are written together, sorted by tenant', async () => {
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

test('a group has calls of one token of a tenant, and other tokens are in the next group', async () => {
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

test('a group is bounded and has the oldest admissions', async () => {
  const { ask, last } = open();
  ask('first', 't');
  for (let i = 0; i <= GROUP_MAX; i++) ask(`c${i}`, 't');
  await last().answer();
  expect(last().of).toEqual(Array.from({ length: GROUP_MAX }, (_, i) => `c${i}`));
  await last().answer();
  expect(last().of).toEqual([`c${GROUP_MAX}`]);
});

test('an admission that a group did not write is written separately, and the others resolve at once', async () => {
  const { sent, ends, ask, last } = open();
  ask('a', 't0');
  ask('b', 't1');
  ask('c', 't2');
  await last().answer();
  await last().answer([null, 'c']);
  expect(Object.fromEntries(ends)).toEqual({ a: 'a', c: 'c' });
  expect(last()).toMatchObject({ of: ['b'], isAlone: true });
  // It may wait for its tenant's lock. The next statement doesn't wait for it.
  ask('d', 't3');
  expect(last().of).toEqual(['d']);
  await sent[2]?.fail(new Error('the facts moved'));
  expect(ends.get('b')).toBe('the facts moved');
});

test('a tenant whose call failed in a group is written separately for a while, then in groups again', async () => {
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
  await vi.advanceTimersByTimeAsync(SEPARATE_MS);
  ask('f', 't2');
  ask('g', 't1');
  ask('h', 't3');
  await last().answer();
  expect(last().of).toEqual(['g', 'h']);
});

test('a slow statement does not delay the next, and its end does not start a second one in parallel', async () => {
  const { sent, ask } = open();
  ask('a', 't1');
  ask('b', 't2');
  await vi.advanceTimersByTimeAsync(STATEMENT_MAX_MS - 1);
  expect(sent).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent.map(({ of }) => of)).toEqual([['a'], ['b']]);
  ask('c', 't3');
  await sent[0]?.answer();
  expect(sent).toHaveLength(2);
  await sent[1]?.answer();
  expect(sent[2]?.of).toEqual(['c']);
});

test('each admission of a group rejects when the database is unavailable, since the result is unknown', async () => {
  const { sent, ends, ask, last } = open();
  ask('a', 't0');
  ask('b', 't1');
  ask('c', 't2');
  await last().answer();
  await last().fail(new Fault('database.unavailable', 'gone'));
  expect([ends.get('b'), ends.get('c')]).toEqual(['gone', 'gone']);
  expect(sent).toHaveLength(2);
});

test('a failed group is written one by one, so one bad admission does not affect the others', async () => {
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
