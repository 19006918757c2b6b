// SPDX-License-Identifier: Apache-2.0
import { NoEffectError } from './errors.ts';
import type { PermitsApi } from './generated/api-groups.ts';
import type { OwnFunction } from './functions.ts';
import { sleep } from './platform.ts';
import { runOwn } from './run-function.ts';

/** The routes of permits, in memory: what was asked, in order. */
class FakePermits {
  readonly asked: [string, unknown][] = [];
  permit: object | null = { payload: 'p' };
  isStopped = false;

  readonly api = {
    takeOwn: async (body: unknown) => this.#answer('take', body, { permit: this.permit }),
    redeem: async (body: unknown) =>
      this.#answer('redeem', body, { operation_id: 'op_1', attempt: 1, args: { cents: 5 }, lease_ms: 30 }),
    renewLease: async (body: unknown) => this.#answer('renew', body, { lease_until: 0, stop: this.isStopped }),
    reportFunction: async (body: unknown) =>
      this.#answer('report', body, { state: 'committed', tx_outcome: 'committed' }),
  } as unknown as PermitsApi;

  run(run: OwnFunction, signal?: AbortSignal): Promise<void> {
    return runOwn({ permits: this.api, platform: { sleep } }, 'op_1', run, { signal });
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
