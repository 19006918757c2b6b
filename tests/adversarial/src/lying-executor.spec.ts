// SPDX-License-Identifier: Apache-2.0
// A compromised executor: it has credentials, receives calls, and sends false reports. None of them may move the head
// beyond what the call was granted.
import { randomUUID } from 'node:crypto';
import { connect as connectSocket } from 'node:net';
import { vi } from 'vitest';
import { pgBlobs } from '@writ/blobs-pg';
import type { BlobStore } from '@writ/blobs';
import type { Redemption, TenantId } from '@writ/contract';
import { createPool, type Pool } from '@writ/database';
import { canonicalBytes } from '@writ/digest';
import {
  BusExecutor,
  expectCleanLog,
  makeWorld,
  Observer,
  startStack,
  type JsonValue,
  type Report,
  type AttemptCredentials,
  type Stack,
  type World,
} from '@writ/stack';
import { created, delta, FALSE_REPORTS, OUTPUT, sha256, type FalseReport } from './false-reports.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const LEASE_MS = 4_000;

let stack: Stack;
let world: World;
let victim: World;
let observer: Observer;
let liar: BusExecutor;
let pool: Pool;
let blobs: BlobStore;

beforeAll(async () => {
  stack = await startStack({
    without: ['executor'],
    env: { kernel: { WRIT_LEASE_MS: String(LEASE_MS), WRIT_SWEEP_MS: '200' } },
  });
  const files = { 'src/a.txt': 'one\n', 'docs/b.txt': 'two\n' };
  world = await makeWorld(stack.url, stack.keys.platformKey, {
    files,
    fs: [
      { path: '', read: true, write: false },
      { path: 'src', read: true, write: true },
    ],
    budgets: { calls: 500, disk_write_bytes: 1_000_000_000 },
  });
  victim = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'secret.txt': "the victim's secret\n" } });
  observer = new Observer(stack);
  pool = createPool({ url: stack.database.urlFor('writ_executor'), applicationName: 'adversarial-executor' });
  blobs = pgBlobs(pool);
  liar = await BusExecutor.join(stack);
});
afterAll(async () => {
  await liar?.disconnect();
  await pool?.end();
  await observer?.close();
  expectCleanLog(stack);
  await stack?.stop();
});

const head = async (of: World = world): Promise<string> =>
  (await of.admin.get(`/v1/workspaces/${of.workspaceId}`)).body.head_snapshot_id as string;
const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'ok',
    (error: { code?: string }) => error.code ?? String(error),
  );
interface RedeemedAttempt {
  readonly redemption: Redemption;
  readonly credentials: AttemptCredentials;
  readonly base: string;
}

/**
 * Redeems the permit of that attempt, as an honest executor would. Permits of other attempts belong to earlier tests.
 */
async function take(attempt = 1): Promise<RedeemedAttempt> {
  let { envelope, permit } = await liar.next();
  while (permit.attempt !== attempt) ({ envelope, permit } = await liar.next());
  const nonce = BusExecutor.newNonce();
  const redemption = await liar.redeem(envelope, nonce);
  return { redemption, credentials: liar.credentialsOf(permit, nonce), base: redemption.state_snapshot_id };
}

const store = async (bytes: Uint8Array): Promise<string> => {
  await blobs.put(world.tenantId as TenantId, bytes);
  return sha256(bytes);
};
const byBlob = async (value: unknown): Promise<Partial<Report>> => {
  const bytes = canonicalBytes(value);
  return { delta: null, delta_ref: { sha256: await store(bytes), size: bytes.length } };
};

/** A call whose executor sends a false report: the caller's answer. */
async function reportFalsely(
  makeReport: FalseReport,
  tool = 'shell.run',
  args: JsonValue = { command: 'true' },
): Promise<JsonValue> {
  const answer = world.call(tool, args);
  const redeemed = await take();
  const stopKeeping = liar.keep(redeemed.credentials);
  try {
    await blobs.putMany(world.tenantId as TenantId, [Buffer.from('new\n')]);
    await liar.report(redeemed.credentials, {
      result: OUTPUT,
      ...(await makeReport({ base: redeemed.base, store, byBlob })),
    });
  } finally {
    stopKeeping();
  }
  return (await answer).body;
}
it('an honest report commits, so that the false reports below fail for their content', async () => {
  const before = await head();
  const body = await reportFalsely(({ base }) => ({ delta: delta(base, [created('src/honest.txt')]) }));
  expect(body).toMatchObject({ status: 'ok', tx_outcome: 'committed' });
  expect(await head()).not.toBe(before);
  expect(await world.file('src/honest.txt')).toBe('new\n');
});

it.each(Object.entries(FALSE_REPORTS))(
  'a report with %s rolls back, and the head stays',
  async (_what, [code, lie]) => {
    const before = [await head(), await head(victim)];
    const body = await reportFalsely(lie);
    expect(body).toMatchObject({
      status: 'error',
      tx_outcome: 'rolled_back',
      error: { code },
      commit_delta_id: null,
      new_snapshot_id: null,
    });
    expect([await head(), await head(victim)]).toEqual(before);
    expect(await observer.outcomes(body.operation_id as string)).toBeLessThanOrEqual(1);
  },
);

it('a delta in the report of a read-only call has no effect', async () => {
  const before = await head();
  const body = await reportFalsely(
    ({ base }) => ({
      delta: delta(base, [created('src/new.txt')]),
      result: { content: 'x', encoding: 'utf8', size: 1, truncated: false },
    }),
    'fs.read',
    { path: 'src/a.txt' },
  );
  expect(body).toMatchObject({ status: 'error', tx_outcome: 'no_op', error: { code: 'effect.invalid' } });
  expect(await head()).toBe(before);
});

describe("a report that isn't the current attempt's own", () => {
  it('is fenced, and the honest report still counts', async () => {
    const answer = world.call('shell.run', { command: 'true' });
    const { credentials, base } = await take();
    const effect = { result: OUTPUT, delta: delta(base, [created(`src/${randomUUID()}.txt`)]) };
    const elsewhere = (await victim.call('no.such_tool', {})).body.operation_id as string;
    const masks: Readonly<Record<string, Partial<AttemptCredentials>>> = {
      nonce: { nonce: BusExecutor.newNonce() },
      executor: { executor_id: `exe_${'0'.repeat(26)}` },
      attempt: { attempt: credentials.attempt + 1 },
      past: { attempt: 1_000 },
      operation: { operation_id: `op_${'0'.repeat(26)}` },
      "another tenant's operation": { operation_id: elsewhere, tenant_id: victim.tenantId },
      "our operation as another tenant's": { tenant_id: victim.tenantId },
      "another tenant's operation as ours": { operation_id: elsewhere },
    };
    for (const [what, mask] of Object.entries(masks)) {
      for (const verb of ['kernel.report', 'kernel.renew', 'kernel.effect_started'] as const) {
        const masked = { ...credentials, ...mask };
        const said = verb === 'kernel.report' ? liar.report(masked, effect) : liar.ask(verb, { v: 1, ...masked });
        expect({ what, verb, code: await codeOf(said) }).toEqual({ what, verb, code: 'attempt.fenced' });
      }
    }
    await blobs.putMany(world.tenantId as TenantId, [Buffer.from('new\n')]);
    expect(await liar.report(credentials, effect)).toMatchObject({ state: 'committed' });
    expect((await answer).body.tx_outcome).toBe('committed');
  });

  it('after its lease expired is fenced, and another attempt ends the call', async () => {
    const answer = world.call('shell.run', { command: 'true' });
    const first = await take();
    const second = await take(2);
    expect(second.credentials).toMatchObject({ operation_id: first.credentials.operation_id, attempt: 2 });
    expect(
      await codeOf(
        liar.report(first.credentials, { result: OUTPUT, delta: delta(first.base, [created('src/late.txt')]) }),
      ),
    ).toBe('attempt.fenced');
    await liar.report(second.credentials, { result: OUTPUT });
    expect((await answer).body.tx_outcome).toBe('no_op');
    expect(await world.file('src/late.txt')).toBeNull();
  });

  it('after cancellation or revocation changes nothing', async () => {
    const token = (
      await world.admin.must('/v1/capability-tokens', {
        agent_id: world.agentId,
        workspace_id: world.workspaceId,
        grant: {
          tools: ['*'],
          fs: [{ path: '', read: true, write: true }],
          net: [],
          secrets: [],
          budgets: {},
          not_before: 0,
          expires_at: Date.now() + 600_000,
        },
      })
    ).capability_token_id as string;
    for (const [code, stop] of [
      ['cancelled', (id: string) => world.agent.post(`/v1/operations/${id}/cancel`)],
      ['token.revoked', () => world.admin.post(`/v1/capability-tokens/${token}/revoke`)],
    ] as const) {
      const before = await head();
      const answer = world.call('shell.run', { command: 'true' }, { capability_token_id: token });
      const { credentials, base } = await take();
      expect((await stop(credentials.operation_id)).status).toBe(200);
      await liar.report(credentials, { result: OUTPUT, delta: delta(base, [created('src/stopped.txt')]) });
      expect((await answer).body).toMatchObject({ tx_outcome: 'rolled_back', error: { code } });
      expect(await head()).toBe(before);
    }
  });
});

it('impossible usage is counted up to the reservation', async () => {
  const most = Number.MAX_SAFE_INTEGER;
  await reportFalsely(() => ({
    usage: { wall_ms: most, cpu_ms: most, memory_peak_bytes: most, disk_write_bytes: most, output_bytes: most },
  }));
  const rows = await observer.rows(
    'SELECT dimension, reserved::float8, used::float8, bound::float8 FROM kernel.budget WHERE capability_token_id = $1',
    [world.tokenId],
  );
  for (const { dimension, reserved, used, bound } of rows)
    expect({ dimension, isWithin: used! <= bound! && reserved === 0 }).toEqual({ dimension, isWithin: true });
});

describe("a message that isn't a report", () => {
  const WRONG: Readonly<Record<string, JsonValue>> = {
    null: null,
    text: 'report',
    'a list': [],
    'a greater version': { v: 2 },
    'a negative use': { usage: { wall_ms: -1, cpu_ms: 0, memory_peak_bytes: 0, disk_write_bytes: 0, output_bytes: 0 } },
    'an unknown end': { ended: 'fine' },
    'a device by value': {
      delta: {
        v: 1,
        base: `snap_${'a'.repeat(64)}`,
        changes: [{ path: 'x', before: null, after: { kind: 'device', mode: null, sha256: null, size: 0 } }],
      },
    },
    "a nonce that isn't one": { nonce: "' OR 1=1 --" },
    "an id that isn't one": { operation_id: "'; DROP TABLE kernel.operation; --" },
    'a request outside': { requests: [{ url: 'http://127.0.0.1' }] },
  };

  it('is answered `request.malformed`, and the honest report still counts', async () => {
    const answer = world.call('shell.run', { command: 'true' });
    const { credentials } = await take();
    for (const [what, wrong] of Object.entries(WRONG)) {
      const message =
        wrong === null || typeof wrong !== 'object' || Array.isArray(wrong)
          ? wrong
          : { v: 1, ...credentials, ...wrong };
      const said =
        typeof message === 'object' && message !== null && !Array.isArray(message) && message.v === 1
          ? liar.report(credentials, wrong)
          : liar.ask('kernel.report', message);
      expect({ what, code: await codeOf(said) }).toEqual({ what, code: 'request.malformed' });
    }
    await liar.report(credentials, { result: OUTPUT });
    expect((await answer).body.tx_outcome).toBe('no_op');
  });

  it('a result of a megabyte is refused, and the bus drops a larger message', async () => {
    const body = await reportFalsely(() => ({ result: { ...OUTPUT, output: 'x'.repeat(900_000) } }));
    expect(body).toMatchObject({ tx_outcome: 'rolled_back', error: { code: 'effect.invalid' } });
    const said = await new Promise<string>((resolve, reject) => {
      const socket = connectSocket(stack.nats.port, '127.0.0.1');
      let text = '';
      socket
        .on('data', (bytes: Buffer) => {
          text += bytes.toString();
        })
        .on('close', () => resolve(text))
        .on('error', reject);
      socket.write(
        `CONNECT {"verbose":false,"user":"executor","pass":"password-of-executor-0123456789"}\r\nPUB writ.v1.s0.kernel.report 2000000\r\n`,
      );
    });
    expect(said).toContain('Maximum Payload Violation');
    expect((await reportFalsely(() => ({}))).tx_outcome).toBe('no_op');
  });
});
