// SPDX-License-Identifier: Apache-2.0
// Erased content exists nowhere any more: in no column of any table, and in no stored content. Its records verify as
// before.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { logIdOf, type ErasureView, type TenantId } from '@writ/contract';
import {
  eventually,
  expectCleanLog,
  makeWorld,
  Observer,
  startStack,
  verifiedReceipt,
  type Api,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { repositoryRoot } from '@writ/testing';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** More than a message holds, so that it is stored by reference. */
const LONG = 80_000;
/** More than a result shows, so that the full output is kept too. */
const FLOOD = 300_000;

let stack: Stack;
let world: World;
let observer: Observer;
beforeAll(async () => {
  stack = await startStack({
    env: { kernel: { WRIT_SWEEP_MS: '200', WRIT_COLLECT_MS: '1000', WRIT_RETENTION_MS: '500' } },
  });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});
beforeEach(async () => {
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
});

const writ = async (api: Api, ...args: string[]): Promise<JsonValue> => {
  const program = join(repositoryRoot(), 'apps', 'cli', 'dist', 'main.js');
  return JSON.parse(
    (
      await promisify(execFile)(process.execPath, [program, ...args, '--json'], {
        env: { PATH: process.env['PATH'], WRIT_URL: api.url, WRIT_API_KEY: api.key },
      })
    ).stdout,
  ) as JsonValue;
};
const shell = async (command: string, over: Record<string, unknown> = {}): Promise<JsonValue> => {
  const { body } = await world.call('shell.run', { command }, over);
  expect(body).toMatchObject({ tx_outcome: 'no_op' });
  return body as JsonValue;
};

/** Every place of the text: rows of any table of any schema, and contents of the blob store. */
async function findings(text: string): Promise<string[]> {
  const tables = await observer.rows<{
    name: string;
  }>(`SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND n.nspname IN ('orchestrator', 'kernel', 'ledger', 'blobs', 'audio', 'info_store')`);
  const found: string[] = [];
  for (const { name } of tables) {
    // Postgres prints a bytea as hex: both forms are searched.
    const hit = await observer.rows(
      `SELECT 1 FROM ${name} t WHERE position($1 IN t::text) > 0 OR position($2 IN t::text) > 0 LIMIT 1`,
      [text, Buffer.from(text).toString('hex')],
    );
    if (hit.length > 0) found.push(name);
  }
  return found;
}
const payloads = async (): Promise<number> =>
  (
    await observer.rows(
      'SELECT 1 FROM kernel.payload WHERE tenant_id = $1 AND (args IS NOT NULL OR args_ref IS NOT NULL OR salt IS NOT NULL OR result IS NOT NULL OR staged IS NOT NULL OR requests IS NOT NULL)',
      [world.tenantId],
    )
  ).length;
async function collected(): Promise<void> {
  await observer.rows(`UPDATE blobs.blob SET touched_at = now() - interval '3 days' WHERE tenant_id = $1`, [
    world.tenantId,
  ]);
  await observer.rows(`UPDATE blobs.chunk SET touched_at = now() - interval '3 days' WHERE tenant_id = $1`, [
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
}

describe('an erasure of a call', () => {
  it('removes its arguments, result and full output for ever; receipts verify, and its key is used up', async () => {
    const marker = `marker-${world.tenantId}`;
    const idempotency_key = `key-${world.tenantId}`;
    const said = await shell(`yes ${marker} | head -c ${FLOOD}`, { idempotency_key });
    const id = said.operation_id as string;
    // Arguments of a dry run are stored as any other's, and never become a file.
    const long = (
      await world.call('fs.write', { path: 'long.txt', content: `${marker} `.repeat(LONG / 30) }, { dry_run: true })
    ).body;
    expect(
      (
        await observer.rows('SELECT 1 FROM kernel.payload WHERE operation_id = $1 AND args_ref IS NOT NULL', [
          long.operation_id,
        ])
      ).length,
    ).toBe(1);
    expect(said.whole_output.stdout.bytes).toBe(FLOOD);
    // Not even before the erasure: contents by reference are sealed.
    expect(await findings(marker)).toEqual([]);
    const before = await verifiedReceipt(stack, world, id);

    const erasure = (await writ(
      world.admin,
      'erase',
      '--operation',
      id,
      '--reason',
      'gdpr-art-17',
      '--yes',
    )) as ErasureView;
    expect(erasure).toMatchObject({
      selector: 'operation',
      operation_id: id,
      state: 'done',
      operations: 1,
      reason_code: 'gdpr-art-17',
    });
    expect(await payloads()).toBe(1);
    await writ(world.admin, 'erase', '--operation', long.operation_id as string, '--reason', 'gdpr-art-17', '--yes');
    expect(await payloads()).toBe(0);
    const { body } = await world.admin.get(`/v1/operations/${id}`);
    expect(body).toMatchObject({
      erased: { erasure_id: erasure.erasure_id, record_id: erasure.record_id },
      result: { result: null, result_ref: null, result_hash: expect.any(String) },
    });
    expect(body.result.whole_output).toBeUndefined();
    expect((await world.admin.get(`/v1/operations/${id}/output`)).body.code).toBe('output.not_kept');
    const again = (await world.call('shell.run', { command: 'true' }, { idempotency_key })).body;
    expect(again).toMatchObject({ error: { code: 'idempotency.expired' }, tx_outcome: 'rolled_back' });

    // Contents by reference are deleted by the next collection, after a grace period.
    await collected();
    await eventually('the marker is nowhere', async () => (await findings(marker)).length === 0, 120_000);
    expect((await verifiedReceipt(stack, world, id)).record).toEqual(before.record);
    await observer.untilLogged();
    const leaves = await observer.rows(
      'SELECT operation_id FROM ledger.leaf WHERE log_id = $1 AND record_id = $2 AND kind = $3',
      [logIdOf(world.tenantId as TenantId), erasure.record_id, 'erasure'],
    );
    expect(leaves).toEqual([{ operation_id: id }]);
    expect((await world.auditor.get(`/v1/records?type=erasure`)).body.items).toHaveLength(2);
    expectCleanLog(stack);
  });

  it('of a call that has not ended is refused, and removes nothing', async () => {
    const held = (await world.call('shell.run', { command: 'rm -rf deep' })).body;
    const answer = await world.admin.post('/v1/erasures', { operation_id: held.operation_id, reason_code: 'asked' });
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
    expect(answer.body.detail).toContain('`held`');
    await expect(
      writ(world.operator, 'erase', '--operation', held.operation_id as string, '--reason', 'asked', '--yes'),
    ).rejects.toMatchObject({ stderr: expect.stringContaining('auth.role') });
    expect(await payloads()).toBe(1);
    expect((await world.admin.get('/v1/erasures')).body.items).toEqual([]);
  });
});

describe('an erasure of many calls', () => {
  it('removes those of a session, after a dry run that lists them', async () => {
    for (const session_id of ['ses-a', 'ses-a', 'ses-b']) await shell('echo hi', { session_id });
    expect(await writ(world.admin, 'erase', '--session', 'ses-a', '--dry-run')).toEqual({
      dry_run: true,
      operations: 2,
      unfinished: 0,
      more: false,
      sessions: 0,
    });
    expect(await payloads()).toBe(3);
    const erasure = (await writ(
      world.admin,
      'erase',
      '--session',
      'ses-a',
      '--reason',
      'asked',
      '--yes',
    )) as ErasureView;
    expect(erasure).toMatchObject({ operations: 2, records: 1, state: 'done' });
    expect(await payloads()).toBe(1);
    expect((await writ(world.auditor, 'erase', 'list')).items).toMatchObject([{ erasure_id: erasure.erasure_id }]);
    expect(await writ(world.auditor, 'erase', 'show', erasure.erasure_id)).toMatchObject({ session_id: 'ses-a' });
  });

  it('removes those about a data subject, by the id in the calls', async () => {
    for (const data_subject of ['crm/42', 'crm/43']) await shell('echo hi', { data_subject });
    expect(await writ(world.admin, 'erase', '--subject', 'crm/42', '--reason', 'asked', '--yes')).toMatchObject({
      selector: 'subject',
      subject: 'crm/42',
      operations: 1,
    });
    expect(await payloads()).toBe(1);
    expect(await findings('crm/42')).toEqual(['kernel.erasure']);
  });

  it('removes all calls before a time, and no later one', async () => {
    await shell('echo before');
    const { created_at } = (await world.admin.get('/v1/operations')).body.items[0] as { created_at: number };
    const before = new Date(created_at + 1).toISOString();
    await eventually(
      'a later moment',
      async () =>
        (await observer.rows('SELECT 1 WHERE kernel.now_ms() > $1::bigint', [String(created_at + 1)])).length > 0,
    );
    await shell('echo later');
    const { status, body } = await world.admin.post('/v1/erasures', { before, reason_code: 'asked' });
    expect([status, body.operations, body.before]).toEqual([200, 1, created_at + 1]);
    expect(await payloads()).toBe(1);
  });
});

it('of a call of which only hashes stay, the content is gone after its end, and its receipt verifies', async () => {
  const call = (await world.call('shell.run', { command: 'echo once' }, { retention: 'hashes' })).body;
  expect(call).toMatchObject({ status: 'ok' });
  // Its minute passes.
  await observer.rows('UPDATE kernel.operation SET updated_at = updated_at - 60001 WHERE operation_id = $1', [
    call.operation_id,
  ]);
  const erased = await eventually(
    'it is erased',
    async () =>
      (await world.admin.get(`/v1/operations/${call.operation_id as string}`)).body.erased as JsonValue | undefined,
    60_000,
  );
  expect((await world.admin.get(`/v1/erasures/${erased.erasure_id as string}`)).body).toMatchObject({
    selector: 'ended',
    reason_code: 'retention',
    requested_by: 'kernel',
  });
  await verifiedReceipt(stack, world, call.operation_id as string);
});

it('retention erases old calls by itself, and records it in the log', async () => {
  const [old, young] = [await shell('echo old'), await shell('echo young')];
  expect(await writ(world.admin, 'retention', 'set', '--payload-days', '30')).toMatchObject({
    payload_days: 30,
    output_days: null,
  });
  await observer.rows(
    'UPDATE kernel.operation SET created_at = created_at - 31 * 86400000::bigint WHERE operation_id = $1',
    [old.operation_id],
  );
  const erased = await eventually(
    'it is erased',
    async () =>
      (await world.admin.get(`/v1/operations/${old.operation_id as string}`)).body.erased as JsonValue | undefined,
    60_000,
  );
  expect((await world.admin.get(`/v1/erasures/${erased.erasure_id as string}`)).body).toMatchObject({
    reason_code: 'retention',
    requested_by: 'kernel',
    operations: 1,
  });
  expect((await world.admin.get(`/v1/operations/${young.operation_id as string}`)).body.erased).toBeUndefined();
  await verifiedReceipt(stack, world, old.operation_id as string);
  await observer.untilLogged();
  expectCleanLog(stack);
});
