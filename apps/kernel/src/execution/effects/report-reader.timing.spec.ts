// SPDX-License-Identifier: Apache-2.0
import { memoryBlobs } from '@writ/blobs';
import { LIMITS, TOOLS, type Change, type ReportRequest, type ToolDefinition } from '@writ/contract';
import { canonicalBytes, effectDigest, sha256Hex } from '@writ/digest';
import { poolSizes, workerProgram } from '@writ/worker-pool';
import { newId } from '@writ/nest-kit';
import { KernelPool } from '../../kernel-pool.ts';
import { ReportedContents } from './reported-contents.ts';
import { ReportReader } from './report-reader.ts';

/**
 * Milliseconds of processor time that the event loop may spend in one turn. Measured: 5 for results and requests, up to
 * 19 for copying a delta of 7 MiB. When the event loop read them, 20 to 1,450.
 */
const TURN_MS_MAX = 40;

const blobs = memoryBlobs();
const tenant_id = newId('tenant');
const operation_id = newId('operation');
const contents = new ReportedContents({} as never, blobs, { tenant_id, operation_id } as never, null);
const tool = TOOLS.get('shell.run') as ToolDefinition;
const hex = (n: number): string => n.toString(16).padStart(64, '0');
const SNAPSHOT = `snap_${hex(1)}`;

let pool: KernelPool;
let threads: ReportReader;
const inline = new ReportReader(blobs, null);
beforeAll(() => {
  pool = new KernelPool({ ...poolSizes(), filename: workerProgram('../../kernel.worker', import.meta.url) });
  threads = new ReportReader(blobs, pool);
});
afterAll(() => pool.close());

const RESULT = { exit_code: 0, signal: null, output: '', output_lossy: false, truncated_bytes: 0, wall_ms: 1 };
const report = (more: Partial<ReportRequest>): ReportRequest => ({
  v: 1,
  tenant_id,
  operation_id,
  attempt: 1,
  executor_id: '',
  nonce: '',
  ended: 'exited',
  exit_code: 0,
  error: null,
  delta: null,
  delta_ref: null,
  contents: [],
  result: null,
  result_ref: null,
  result_hash: hex(2),
  requests: [],
  usage: { wall_ms: 1, cpu_ms: 1, memory_peak_bytes: 0, disk_write_bytes: 0, output_bytes: 0 },
  ...more,
});

const BESIDE = { snapshot: SNAPSHOT, tool, requests: [] };
const file = (n: number) => ({ kind: 'file', mode: '644', sha256: hex(n), size: 10 }) as const;
const changes = (count: number): Change[] =>
  Array.from({ length: count }, (_, n) => ({
    path: `src/é/of/files/${String(n).padStart(6, '0')}-"a-file".ts`,
    before: file(n),
    after: file(n + 1_000_000),
  }));
const deltaOf = (count: number) => ({ v: 1 as const, base: SNAPSHOT, changes: changes(count) });

/** The longest turn of the event loop while the reading is under way: the least of some readings. */
async function longestTurn(read: () => Promise<unknown>): Promise<number> {
  const longest: number[] = [];
  for (let round = 0; round < 2; round += 1) {
    const turns: number[] = [];
    let [isOver, last] = [false, process.threadCpuUsage()];
    const look = (): void => {
      const { user, system } = process.threadCpuUsage(last);
      turns.push((user + system) / 1_000);
      last = process.threadCpuUsage();
      if (!isOver) setImmediate(look);
    };
    look();
    await read().catch(() => undefined);
    isOver = true;
    look();
    longest.push(turns.reduce((most, ms) => Math.max(most, ms), 0));
  }
  return Math.min(...longest);
}

/** The answers of the reading on the event loop and of that in a thread, or their faults. */
const bothAnswers = async (read: (reader: ReportReader) => Promise<unknown>, of: 'code' | 'message') =>
  await Promise.all(
    [inline, threads].map(
      async (reader) => await read(reader).catch((error: unknown) => (error as Record<typeof of, string>)[of]),
    ),
  );

describe('a reported delta', () => {
  it.each([0, 1, 249, 250, 251, 1_000])('of %d changes is read alike on the loop and in a thread', async (count) => {
    const delta = deltaOf(count);
    const digest = effectDigest({ changes: delta.changes, exit_status: 0, result_hash: hex(2), requests: [] });
    // Not written as canonical JSON.
    const text = JSON.stringify({ v: 1, changes: delta.changes, base: delta.base }, null, 1);
    const delta_ref = await blobs.put(tenant_id, Buffer.from(text));
    for (const reader of [inline, threads]) {
      for (const sent of [report({ delta }), report({ delta_ref })]) {
        const read = await reader.delta(sent, BESIDE);
        expect(read).toMatchObject({ delta, digest });
        expect(Buffer.from(read.bytes).equals(canonicalBytes(delta))).toBe(true);
      }
    }
  });

  it.each([
    ['of another snapshot', { ...deltaOf(0), base: `snap_${hex(9)}` }, tool, 'effect.invalid'],
    ['of a tool that only reads', deltaOf(1), TOOLS.get('fs.read') as ToolDefinition, 'effect.invalid'],
    ['of too many changes', deltaOf(LIMITS.deltaChanges.max + 1), tool, 'limit.exceeded'],
    [
      'of too many bytes',
      { ...deltaOf(0), changes: [{ path: 'a', before: null, after: { ...file(1), size: LIMITS.deltaBytes.max + 1 } }] },
      tool,
      'limit.exceeded',
    ],
    ['that is none', { v: 1 }, tool, 'effect.invalid'],
  ])('%s is refused alike on the loop and in a thread', async (_, delta, of, code) => {
    const delta_ref = await blobs.put(tenant_id, Buffer.from(JSON.stringify(delta) + ' '.repeat(20_000)));
    const codes = await bothAnswers((reader) => reader.delta(report({ delta_ref }), { ...BESIDE, tool: of }), 'code');
    expect(codes).toEqual([code, code]);
  });
});

describe('the largest reports keep each turn of the event loop short', () => {
  const repeated = (unit: string, bytes: number): string => `[${unit.repeat(Math.floor(bytes / unit.length) - 2)}0]`;
  const named = (bytes: number): string =>
    `{${Array.from({ length: bytes / 20 }, (_, n) => `"\\u0041${n}":0`).join()}}`;
  const MIB = 1024 * 1024;

  it.each([
    ['as many changes as there may be', () => JSON.stringify(deltaOf(LIMITS.deltaChanges.max))],
    ['too many changes', () => JSON.stringify(deltaOf(LIMITS.deltaChanges.max + 1))],
    ['empty lists', () => repeated('[],', 6 * MIB)],
    ['names with escapes', () => named(6 * MIB)],
    ['brackets', () => '['.repeat(6 * MIB)],
  ])(
    'a delta of %s',
    async (_, text) => {
      const delta_ref = await blobs.put(tenant_id, Buffer.from(text()));
      expect(await longestTurn(() => threads.delta(report({ delta_ref }), BESIDE))).toBeLessThan(TURN_MS_MAX);
    },
    120_000,
  );

  it('a delta by value', async () => {
    const after = { kind: 'dir', mode: null, sha256: null, size: 0 };
    const delta = {
      ...deltaOf(0),
      changes: Array.from({ length: 1_500 }, (_, n) => ({ path: String(n).padStart(4, '0'), before: null, after })),
    };
    expect(JSON.stringify(delta).length).toBeGreaterThan(LIMITS.deltaInlineBytes.max - 10_000);
    const sent = report({ delta: delta as never });
    expect((await threads.delta(sent, BESIDE)).delta.changes).toHaveLength(1_500);
    expect(await longestTurn(() => threads.delta(sent, BESIDE))).toBeLessThan(TURN_MS_MAX);
  });

  it.each([
    ['an output of control characters', () => JSON.stringify({ ...RESULT, output: '\u0001'.repeat(200_000) })],
    ['an output of quotes', () => JSON.stringify({ ...RESULT, output: '"'.repeat(900_000) })],
    ['empty lists', () => repeated('[],', 1.9 * MIB)],
    ['names with escapes', () => named(1.9 * MIB)],
  ])('a result of %s', async (_, text) => {
    const bytes = Buffer.from(text());
    const sent = report({ result_ref: await blobs.put(tenant_id, bytes), result_hash: sha256Hex(bytes) });
    const answers = await bothAnswers((reader) => reader.result(contents, tool, sent), 'message');
    expect(answers[1]).toEqual(answers[0]);
    expect(await longestTurn(() => threads.result(contents, tool, sent))).toBeLessThan(TURN_MS_MAX);
  });

  it('a result by value', async () => {
    const list = TOOLS.get('web.search') ?? (TOOLS.get('fs.list') as ToolDefinition);
    const result = { value: Array.from({ length: 20_000 }, () => []) };
    const sent = report({ result: result as never, result_hash: sha256Hex(canonicalBytes(result)) });
    const answers = await bothAnswers((reader) => reader.result(contents, list, sent), 'message');
    expect(answers).toEqual([answers[0], answers[0]]);
    expect(await longestTurn(() => threads.result(contents, list, sent))).toBeLessThan(TURN_MS_MAX);
  });

  it.each([
    [
      'as many as there may be, as long as they may be',
      () =>
        JSON.stringify(
          Array.from({ length: LIMITS.egressRequests.max }, (_, n) => ({
            at_ms: n,
            method: 'GET',
            target: 'x'.repeat(512),
            purpose: '"'.repeat(256),
            outcome: 'refused',
            reason: '\n'.repeat(256),
            address: '1.2.3.4',
            status: null,
            sent_bytes: 1,
            received_bytes: 1,
          })),
        ),
    ],
    ['empty lists', () => repeated('[],', 1.9 * MIB)],
    ['names with escapes', () => named(1.9 * MIB)],
  ])('requests: %s', async (_, text) => {
    const requests_ref = await blobs.put(tenant_id, Buffer.from(text()));
    const sent = report({ requests_ref });
    const answers = await bothAnswers((reader) => reader.requests(contents, sent), 'message');
    expect(answers[1]).toEqual(answers[0]);
    expect(await longestTurn(() => threads.requests(contents, sent))).toBeLessThan(TURN_MS_MAX);
  });
});
