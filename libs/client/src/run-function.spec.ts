// SPDX-License-Identifier: Apache-2.0
import { ConnectionError, NoEffectError, ProblemError } from './errors.ts';
import type { PermitsApi } from './generated/api-groups.ts';
import type { OwnFunction } from './functions.ts';
import { sleep } from './platform.ts';
import { runOwn } from './run-function.ts';
import type { Problem } from './generated/types.ts';
import { problemReply, TestServer } from './specs/test-server.ts';
import { Writ } from './writ.ts';

/** The routes of permits, in memory: what was asked, in order. */
class FakePermits {
  readonly asked: [string, unknown][] = [];
  permit: object | null = { payload: 'p' };
  isStopped = false;
  /** what renewals fail with, in order; then they succeed */
  readonly failures: Error[] = [];

  readonly api = {
    takeOwn: async (body: unknown) => this.#answer('take', body, { permit: this.permit }),
    redeem: async (body: unknown) =>
      this.#answer('redeem', body, { operation_id: 'op_1', attempt: 1, args: { cents: 5 }, lease_ms: 30 }),
    renewLease: async (body: unknown) => {
      this.#answer('renew', body, null);
      const failure = this.failures.shift();
      if (failure !== undefined) throw failure;
      return { lease_until: 0, stop: this.isStopped };
    },
    reportFunction: async (body: unknown) =>
      this.#answer('report', body, { state: 'committed', tx_outcome: 'committed' }),
  } as unknown as PermitsApi;

  run(run: OwnFunction, signal?: AbortSignal): Promise<void> {
    return runOwn({ permits: this.api, platform: { sleep, now: () => Date.now() } }, 'op_1', run, { signal });
  }

  get outcome(): unknown {
    return (this.asked.find(([what]) => what === 'report')?.[1] as { outcome?: unknown } | undefined)?.outcome;
  }

  #answer<T>(what: string, body: unknown, answer: T): T {
    this.asked.push([what, body]);
    return answer;
  }
}

it('redeems before it runs, with a nonce of 128 bits that is new each time, and reports the result', async () => {
  const nonces = new Set<string>();
  for (let times = 0; times < 2; times += 1) {
    const permits = new FakePermits();
    await permits.run((args, context) => {
      permits.asked.push(['run', { args, ...context, signal: context.signal.aborted }]);
      return { refund: 'r' };
    });
    expect(permits.asked.map(([what]) => what)).toEqual(['take', 'redeem', 'run', 'report']);
    expect(permits.asked[2]?.[1]).toEqual({ args: { cents: 5 }, operationId: 'op_1', attempt: 1, signal: false });
    const { nonce } = permits.asked[1]?.[1] as { nonce: string };
    expect(nonce).toMatch(/^[0-9a-f]{32}$/);
    nonces.add(nonce);
    expect(permits.asked[3]?.[1]).toMatchObject({ nonce, outcome: { outcome: 'succeeded', result: { refund: 'r' } } });
  }
  expect(nonces.size).toBe(2);
});

it('runs nothing without a permit', async () => {
  const permits = new FakePermits();
  permits.permit = null;
  await permits.run(() => expect.unreachable());
  expect(permits.asked.map(([what]) => what)).toEqual(['take']);
});

it('renews the lease while the function runs, and tells it when the call is stopped', async () => {
  const permits = new FakePermits();
  let wasAborted = false;
  await permits.run(async (_args, { signal }) => {
    await vi.waitFor(() => expect(permits.asked.filter(([what]) => what === 'renew').length).toBeGreaterThan(2));
    permits.isStopped = true;
    await vi.waitFor(() => expect(signal.aborted).toBe(true));
    wasAborted = true;
  });
  expect(wasAborted).toBe(true);
  expect(permits.asked.at(-1)?.[0]).toBe('report');
});

const lost = (): Error => new ConnectionError('no answer', null);
const fenced = (retry: 'never' | 'same-key'): ProblemError =>
  new ProblemError('it failed', {
    status: 409,
    operationId: null,
    problem: { code: 'attempt.fenced', detail: 'd', status: 409, retry } as unknown as Problem,
  });

it('goes on to renew after renewals that got no answer, and the function learns nothing of it', async () => {
  const permits = new FakePermits();
  permits.failures.push(lost(), fenced('same-key'), lost());
  await permits.run(async (_args, { signal }) => {
    await vi.waitFor(() => expect(permits.asked.filter(([what]) => what === 'renew').length).toBeGreaterThan(5));
    expect(signal.aborted).toBe(false);
  });
  expect(permits.outcome).toMatchObject({ outcome: 'succeeded' });
});

it.each([
  ['when no renewal has succeeded for a whole lease', () => Array.from({ length: 1_000 }, lost), 'in time'],
  ['at once when the attempt is not the current one any more', () => [fenced('never')], 'no longer ours'],
])('tells the function that the lease is lost, %s', async (_when, failures, says) => {
  const permits = new FakePermits();
  permits.failures.push(...failures());
  const began = Date.now();
  await permits.run(async (_args, { signal }) => {
    await vi.waitFor(() => expect(signal.aborted).toBe(true));
    expect(String((signal as AbortSignal).reason)).toContain(says);
  });
  // The lease of these permits is 30 ms, and a renewal is due after 10 ms.
  expect(Date.now() - began).toBeGreaterThanOrEqual(says === 'in time' ? 30 : 10);
});

it('redeem and report are sent again after an answer that got lost, as the same request, and take is not', async () => {
  const gone = (response: { destroy: () => void }): void => response.destroy();
  const redeemed = { operation_id: 'op_1', attempt: 1, args: {}, lease_ms: 60_000 };
  await using server = await TestServer.open(
    { status: 200, body: { permit: { payload: 'p' } } },
    gone,
    { status: 200, body: redeemed },
    gone,
    problemReply(503, 'bus.unreachable', 'same-key'),
    { status: 200, body: { state: 'committed', tx_outcome: 'committed' } },
  );
  const { permits } = new Writ({ url: server.url, apiKey: 'k' });
  await runOwn({ permits, platform: { sleep, now: () => Date.now() } }, 'op_1', () => 1, {});
  expect(server.arrived.map(({ path }) => path.slice('/v1/permits/'.length))).toEqual([
    ...['own', 'redemptions', 'redemptions', 'reports', 'reports', 'reports'],
  ]);
  const bodies = server.arrived.map(({ body }) => body);
  expect([bodies[2], bodies[4], bodies[5]]).toEqual([bodies[1], bodies[3], bodies[3]]);
  await using silent = await TestServer.open(gone);
  const other = new Writ({ url: silent.url, apiKey: 'k' }).permits;
  await expect(
    runOwn({ permits: other, platform: { sleep, now: () => Date.now() } }, 'op_1', () => 1, {}),
  ).rejects.toThrow(ConnectionError);
  expect(silent.arrived).toHaveLength(1);
});

it.each([
  ['an error', new Error('it broke'), { outcome: 'unknown', message: 'it broke' }],
  ['an error that says that nothing happened', new NoEffectError('gone'), { outcome: 'failed', message: 'gone' }],
  ['what is no error', 'text', { outcome: 'unknown', message: 'the function failed' }],
  ['an error without a message', new Error(''), { outcome: 'unknown', message: 'the function failed' }],
  ['a long message', new Error('x'.repeat(5_000)), { outcome: 'unknown', message: 'x'.repeat(2_048) }],
])('reports %s', async (_what, thrown, outcome) => {
  const permits = new FakePermits();
  await permits.run(() => {
    throw thrown;
  });
  expect(permits.outcome).toEqual(outcome);
});

it("reports what happened though the caller's signal aborted meanwhile", async () => {
  const permits = new FakePermits();
  const stop = new AbortController();
  await permits.run(() => {
    stop.abort();
    return 1;
  }, stop.signal);
  expect(permits.outcome).toEqual({ outcome: 'succeeded', result: 1 });
});
