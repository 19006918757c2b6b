// SPDX-License-Identifier: Apache-2.0
// Contents of a call that are stored by reference (long arguments, a long result, a full output) are sealed in the blob
// store. The API returns them, until they are erased.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import {
  eventually,
  expectCleanLog,
  makeWorld,
  Observer,
  startStack,
  verifiedReceipt,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { repositoryRoot } from '@writ/testing';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** More than a message holds. */
const LONG = 100_000;
/** More than a result shows; the shown part is more than a message holds. */
const FLOOD = 400_000;

let stack: Stack;
let world: World;
let observer: Observer;
let marker: string;
beforeAll(async () => {
  stack = await startStack({ env: { kernel: { WRIT_SWEEP_MS: '200', WRIT_COLLECT_MS: '1000' } } });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});
beforeEach(async () => {
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  marker = `marker-${world.tenantId}`;
});

async function call(args: Record<string, unknown>, over: Record<string, unknown> = {}): Promise<JsonValue> {
  const { body } = await world.call('shell.run', args, over);
  expect(body).toMatchObject({ tx_outcome: 'no_op', error: null });
  return body as JsonValue;
}
/** A call with long arguments, a long result and a longer output. */
const talk = (over: Record<string, unknown> = {}) =>
  call(
    { command: `cat | head -c 20; yes ${marker} | head -c ${FLOOD}`, stdin: `${marker} `.repeat(LONG / marker.length) },
    { data_subject: 'crm/42', ...over },
  );

/** Rows of contents that contain the text. */
const holding = async (text: string): Promise<number> => {
  const bytes = Buffer.from(text);
  const [{ n }] = (await observer.rows<{ n: number }>(
    'SELECT (SELECT count(*) FROM blobs.blob b WHERE position($1::bytea IN b.bytes) > 0)::integer + (SELECT count(*) FROM blobs.chunk c WHERE position($1::bytea IN c.bytes) > 0)::integer AS n',
    [bytes],
  )) as [{ n: number }];
  return n;
};
interface Kept {
  readonly args_ref: object;
  readonly result_ref: object;
  readonly whole_output: object;
  readonly stdout_ref: object;
  readonly stderr_ref: object;
  readonly attempt: number;
  readonly expires_at: string;
}
const keptOf = async (id: unknown): Promise<Kept> =>
  (
    await observer.rows<Kept>(
      `SELECT y.args_ref, o.result_ref, o.whole_output, k.stdout_ref, k.stderr_ref, k.attempt, k.expires_at
  FROM kernel.operation o JOIN kernel.payload y USING (operation_id) JOIN kernel.kept_output k USING (operation_id) WHERE operation_id = $1`,
      [id],
    )
  )[0]!;
const read = async (id: unknown) => (await world.auditor.get(`/v1/operations/${String(id)}`)).body;
const outputOf = async (id: unknown) => {
  const answer = await fetch(`${stack.url}/v1/operations/${String(id)}/output`, {
    headers: { authorization: `Bearer ${world.auditor.key ?? ''}` },
  });
  return { status: answer.status, text: await answer.text() };
};
const erase = async (selector: Record<string, unknown>) =>
  expect((await world.admin.post('/v1/erasures', { ...selector, reason_code: 'gdpr-art-17' })).body).toMatchObject({
    state: 'done',
  });

describe('long arguments and results of a call', () => {
  it('are in no row of contents in clear, and the API returns them unchanged', async () => {
    const reported = await talk();
    expect(await keptOf(reported.operation_id)).toMatchObject({
      args_ref: { sealed_key: expect.any(String) },
      result_ref: { sealed: { attempt: 1, mode: 'run' } },
      stdout_ref: { size: FLOOD + 20, sealed: { attempt: 1 } },
    });
    expect(await holding(marker)).toBe(0);
    // The search works: contents of the workspace are in clear, as histories are.
    await world.call('fs.write', { path: 'b.txt', content: `in-history-${marker}`.repeat(4_000) });
    expect(await holding(`in-history-${marker}`)).toBeGreaterThan(0);

    const shown = await read(reported.operation_id);
    expect(shown.result.result.output).toContain(`${marker}\n${marker}`);
    expect(shown.result.result.output).toBe(reported.result.output);
    expect(await outputOf(reported.operation_id)).toEqual({
      status: 200,
      text: `${marker} `.repeat(2).slice(0, 20) + `${marker}\n`.repeat(FLOOD / marker.length).slice(0, FLOOD),
    });
    await verifiedReceipt(stack, world, reported.operation_id as string);
  });

  it('are written to a file by the command line', async () => {
    const reported = await talk();
    const program = join(repositoryRoot(), 'apps', 'cli', 'dist', 'main.js');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [program, 'operations', 'output', reported.operation_id as string, '--json'],
      {
        env: { PATH: process.env['PATH'] ?? '', WRIT_URL: stack.url, WRIT_API_KEY: world.auditor.key ?? '' },
        maxBuffer: 2 ** 24,
      },
    );
    expect((JSON.parse(stdout) as { content: string }).content).toContain(`${marker}\n${marker}`);
  });

  it('come back with a repeated request with the same key', async () => {
    const first = await talk({ idempotency_key: 'again' });
    expect(await talk({ idempotency_key: 'again' })).toMatchObject({
      operation_id: first.operation_id,
      result: first.result,
    });
  });

  it('survive a collection as long as the call is kept', async () => {
    const reported = await talk();
    for (const table of ['blob', 'chunk'])
      await observer.rows(`UPDATE blobs.${table} SET touched_at = now() - interval '3 days' WHERE tenant_id = $1`, [
        world.tenantId,
      ]);
    const [{ at }] = (await observer.rows<{ at: string }>('SELECT kernel.now_ms()::text AS at')) as [{ at: string }];
    await eventually(
      'a collection that began later',
      async () =>
        (
          await observer.rows('SELECT 1 FROM kernel.tenant WHERE tenant_id = $1 AND collected_at > $2::bigint', [
            world.tenantId,
            at,
          ])
        ).length > 0,
      120_000,
    );
    expect((await read(reported.operation_id)).result.result.output).toBe(reported.result.output);
    expect((await outputOf(reported.operation_id)).status).toBe(200);
  });

  it("can't be read after an erasure, even from a restored copy of the rows without the key", async () => {
    const reported = await talk();
    const kept = await keptOf(reported.operation_id);
    await erase({ subject: 'crm/42' });
    const gone = async () => {
      expect((await read(reported.operation_id)).result).toMatchObject({
        result: null,
        result_hash: expect.any(String),
      });
      expect(await outputOf(reported.operation_id)).toMatchObject({
        status: 404,
        text: expect.stringContaining('output.not_kept'),
      });
    };
    await gone();
    await observer.rows('UPDATE kernel.payload SET args_ref = $2 WHERE operation_id = $1', [
      reported.operation_id,
      JSON.stringify(kept.args_ref),
    ]);
    await observer.rows('UPDATE kernel.operation SET result_ref = $2, whole_output = $3 WHERE operation_id = $1', [
      reported.operation_id,
      JSON.stringify(kept.result_ref),
      JSON.stringify(kept.whole_output),
    ]);
    await observer.rows(
      'INSERT INTO kernel.kept_output (operation_id, tenant_id, attempt, stdout_ref, stderr_ref, expires_at) VALUES ($1, $2, $3, $4, $5, $6)',
      [
        reported.operation_id,
        world.tenantId,
        kept.attempt,
        JSON.stringify(kept.stdout_ref),
        JSON.stringify(kept.stderr_ref),
        kept.expires_at,
      ],
    );
    // A kernel that opened it caches the key for ten minutes; a restarted one has the rows alone.
    await stack.services.kernel.kill();
    await stack.services.kernel.start();
    await eventually(
      'the kernel is back',
      async () => (await world.auditor.get(`/v1/operations/${String(reported.operation_id)}`)).status === 200,
      60_000,
    );
    await gone();
    expect(await holding(marker)).toBe(0);
  });

  it('leave no key in any log', async () => {
    await talk();
    expect(stack.logs()).not.toMatch(/args_key|content_key|"opens"/);
    expectCleanLog(stack);
  });
});
