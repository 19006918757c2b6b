// SPDX-License-Identifier: Apache-2.0
import { SANDBOX_LIMITS } from '@writ/contract';
import { checkout } from '../setup.ts';
import {
  chartValues,
  connectionsEach,
  connectionsOf,
  executorDefaults,
  planFor,
  podsOf,
  replicasIn,
  type Connections,
  type ExecutorSettings,
} from './sizing.ts';

/** Connections that Postgres reserves for administrators, and those of migrations and of checks of the log. */
const SPARE = 10;
const EACH: Connections = { orchestrator: 10, kernel: 22, executor: 10, ledger: 10 };
/** The requests and the processor limit of each sandbox pod, as libs/sandbox-k8s makes it. */
const POD = { requestCpu: 0.1, requestBytes: 64 * 1024 ** 2, limitCpu: 1 };
const GIB = 1024 ** 3;
const SETTINGS: ExecutorSettings = { slots: 8, sessions: 0, prePopulated: 2 };

describe('capacity model', () => {
  const values = chartValues(checkout);

  test("the bundled Postgres allows the connections of the chart's replicas, also during a rollout", async () => {
    const needed = connectionsOf(replicasIn(values), await connectionsEach(checkout));
    expect(needed).toBeGreaterThan(0);
    expect(needed).toBeLessThanOrEqual(values.postgres.bundled.maxConnections - SPARE);
  });

  test("the quota of sandboxes allows all pods of the chart's executors, with one more during a rollout", async () => {
    const defaults = await executorDefaults(checkout);
    const pods = (replicasIn(values).executor + 1) * podsOf(defaults.pool, defaults);
    expect(pods).toBeGreaterThan(0);
    expect(pods).toBeLessThanOrEqual(values.sandbox.quota.pods);
  });

  test('the quota of the production example allows all pods of the maximum of executors', async () => {
    const production = chartValues(checkout, 'ci/production-values.yaml');
    const defaults = await executorDefaults(checkout);
    const { settings, keda } = production.executor;
    const set = {
      ...defaults,
      slots: settings['WRIT_SLOTS_SANDBOXED']!,
      sessions: settings['WRIT_SESSIONS'] ?? defaults.sessions,
    };
    expect(keda.maxReplicas * podsOf(settings['WRIT_POOL_SIZE']!, set)).toBeLessThanOrEqual(
      production.sandbox.quota.pods,
    );
  });

  test.each(['values.yaml', 'ci/production-values.yaml'])('the quota of %s allows the requests of its pods', (file) => {
    const { pods, requests, limits } = chartValues(checkout, file).sandbox.quota;
    const bytes = (quantity: string): number => Number(/^(\d+)Gi$/.exec(quantity)?.[1]) * GIB;
    expect(pods * POD.requestCpu).toBeLessThanOrEqual(Number(requests.cpu));
    expect(pods * POD.requestBytes).toBeLessThanOrEqual(bytes(requests.memory));
    expect(pods * POD.limitCpu).toBeLessThanOrEqual(Number(limits.cpu));
    expect(pods * SANDBOX_LIMITS.memory_bytes).toBeLessThanOrEqual(bytes(limits.memory));
  });

  test('the KEDA target per pod equals its slots, by default and in the production example', async () => {
    expect(values.executor.keda.threshold).toBe((await executorDefaults(checkout)).slots);
    const { executor } = chartValues(checkout, 'ci/production-values.yaml');
    expect(executor.keda.threshold).toBe(executor.settings['WRIT_SLOTS_SANDBOXED']);
  });

  test('concurrent commands are the arrivals in a second times their duration', () => {
    expect(planFor({ callsPerSecond: 50, commandShare: 0.2, commandSeconds: 3 }, SETTINGS, EACH).running).toBe(30);
  });

  test('more load never needs less, and a small load needs two of everything', () => {
    const plans = [1, 10, 100, 1_000].map((callsPerSecond) =>
      planFor({ callsPerSecond, commandShare: 0.2, commandSeconds: 3 }, SETTINGS, EACH),
    );
    expect(plans[0]!.replicas).toEqual({ orchestrator: 2, kernel: 2, executor: 2, ledger: 2 });
    for (const of of ['pods', 'connections', 'gibPerDay'] as const)
      expect(plans.map((plan) => plan[of])).toEqual(plans.map((plan) => plan[of]).toSorted((a, b) => a - b));
    for (const process of ['orchestrator', 'kernel', 'executor', 'ledger'] as const)
      expect(plans.map(({ replicas }) => replicas[process])).toEqual(
        plans.map(({ replicas }) => replicas[process]).toSorted((a, b) => a - b),
      );
  });
});
