// SPDX-License-Identifier: Apache-2.0
// HorizontalPodAutoscalers on a real cluster: replicas follow the load up and down, an upgrade keeps their number, and
// no client notices.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  eventually,
  expectNothingLost,
  makeWorld,
  pacedLoad,
  STANDARD_RETRIES,
  triesOf,
  warmUp,
  type Ended,
  type Load,
  type World,
} from '@writ/stack';
import type { Values } from '../../chart/render.ts';
import { addMetrics } from '../../cluster/metrics.ts';
import { throttle } from '../../steps.ts';
import { report } from './calls-under-load.ts';
import { ClusterRelease, describeRelease, TWO_OF_EACH } from './cluster-release.ts';

const MINUTE_MS = 60_000;
const LINE_MS = 5_000;
const LOOK_MS = 1_000;

/** Agents with one call a second. A fast machine needs more of them before its autoscalers act. */
const AGENTS = 10;
const STEPS = 4;
const STEP_MS = 90_000;
const BUSY_MS = 1_000;
/** Interval of the one agent that continues after the load. */
const CALM_MS = 4_000;
/** A pod start takes a processor for a second: two other processes compete with it. */
const COMMAND_EVERY = 20;
/** Replicas serve this long before the next step. */
const AROUND_MS = 4_000;

const MAX = 3;
/** Pods that aren't ready count as absent: a short window would remove some during load. */
const CALM_DOWN_SECONDS = 60;

/**
 * The target, in percent of the 50 thousandths of a processor that the example `small` requests. Two idle pods must use
 * less, or the autoscaler keeps both.
 */
const TARGETS = { orchestrator: 100, kernel: 140 } as const;

const autoscaling = (targetCpuUtilization: number) => ({
  enabled: true,
  minReplicas: 1,
  maxReplicas: MAX,
  targetCpuUtilization,
  behavior: { scaleDown: { stabilizationWindowSeconds: CALM_DOWN_SECONDS } },
});

const VALUES: Values = {
  ...TWO_OF_EACH,
  // The replica count that an upgrade could reset.
  orchestrator: {
    ...(TWO_OF_EACH['orchestrator'] as object),
    replicas: 1,
    autoscaling: autoscaling(TARGETS.orchestrator),
  },
  kernel: { replicas: 1, autoscaling: autoscaling(TARGETS.kernel) },
};
type Autoscaled = keyof typeof TARGETS;
const AUTOSCALED = Object.keys(TARGETS) as readonly Autoscaled[];
type Wanted = Readonly<Record<Autoscaled, { readonly replicas: number; readonly outputOf: readonly string[] }>>;

/** The field manager of Kubernetes' autoscaler. */
const AUTOSCALER = 'kube-controller-manager';

/** The field managers of an object. */
interface Managed {
  readonly manager: string;
  readonly fieldsV1: { readonly 'f:spec'?: Readonly<Record<string, unknown>> };
}

interface Deployment {
  readonly metadata: { readonly managedFields: readonly Managed[] };
  readonly spec: { readonly replicas: number };
}

const wantedOf = ({ metadata, spec }: Deployment): Wanted[Autoscaled] => ({
  replicas: spec.replicas,
  outputOf: metadata.managedFields
    .filter(({ fieldsV1 }) => 'f:replicas' in (fieldsV1['f:spec'] ?? {}))
    .map(({ manager }) => manager),
});

interface Autoscaler {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const describeCalls = (calls: readonly Ended[]): string => {
  const slowest = Math.max(...calls.map(({ ms }) => ms));
  const faults = [...new Set(calls.flatMap(({ fault }) => fault ?? []))];
  const tries = JSON.stringify(triesOf(calls));
  return `${calls.length} calls, tries ${tries}, slowest ${slowest} ms, faults ${JSON.stringify(faults)}`;
};

describeRelease('autoscalers', () => {
  let cluster: ClusterRelease;
  beforeAll(async () => {
    cluster = await ClusterRelease.install('writ-autoscaling', { values: VALUES });
    // Includes the first build.
    const print = throttle(
      (line) => process.stdout.write(`  ${line}\n`),
      LINE_MS,
      () => performance.now(),
    );
    await addMetrics({ ...cluster.setup, report: print }, cluster.node);
  }, 60 * MINUTE_MS);
  afterAll(() => cluster.remove(), 5 * MINUTE_MS);

  /** The replica count of each, and who set it. */
  const wanted = async (): Promise<Wanted> => {
    const names = AUTOSCALED.map((component) => `deployment/writ-${component}`);
    const found = await cluster.release.kubectl(['get', ...names, '-o', 'json', '--show-managed-fields']);
    const { items } = JSON.parse(found) as { readonly items: readonly Deployment[] };
    return Object.fromEntries(
      AUTOSCALED.map((component, n) => [component, wantedOf(items[n] as Deployment)]),
    ) as Wanted;
  };

  /** Polls it until it is stopped, and keeps each change. */
  const watchWanted = () => {
    const [seen, began] = [[] as { readonly atSeconds: number; readonly found: Wanted }[], Date.now()];
    const atSeconds = (): number => Math.round((Date.now() - began) / 1_000);
    let isOn = true;
    const watching = (async () => {
      while (isOn) {
        const found = await wanted();
        const isOther = JSON.stringify(seen.at(-1)?.found) !== JSON.stringify(found);
        if (isOther) seen.push({ atSeconds: atSeconds(), found });
        await sleep(LOOK_MS);
      }
    })();
    watching.catch(() => undefined);
    return {
      seen,
      atSeconds,
      stop: async () => {
        isOn = false;
        await watching;
        return seen;
      },
    };
  };

  const of = (kind: string, component: Autoscaled, output: string): Promise<string> =>
    cluster.release.kubectl(['get', kind, `writ-${component}`, '-o', output]);
  const ready = async (component: Autoscaled): Promise<number> =>
    Number(await of('deployment', component, 'jsonpath={.status.readyReplicas}'));

  it(
    'read the processor time of each component',
    async () => {
      const condition = async (component: Autoscaled): Promise<string> => {
        const { status } = JSON.parse(await of('hpa', component, 'json')) as Autoscaler;
        return status?.conditions?.find(({ type }) => type === 'ScalingActive')?.status ?? 'Unknown';
      };
      for (const component of AUTOSCALED)
        await eventually(
          `metrics of the ${component}`,
          async () => (await condition(component)) === 'True',
          3 * MINUTE_MS,
        );
      expect(await cluster.node.run(['top', 'nodes', '--no-headers'])).toMatch(/^node1 +\d+m +\d+% +\d+Mi +\d+% *\n$/);
      const pods = await cluster.release.kubectl(['top', 'pods', '--no-headers']);
      for (const component of AUTOSCALED)
        expect(pods).toMatch(new RegExp(`^writ-${component}-\\S+ +\\d+m +\\d+Mi`, 'm'));
    },
    10 * MINUTE_MS,
  );

  /** A tenant, and continuous calls. */
  const startLoad = async (
    agents: number,
    everyMs: number,
  ): Promise<{ readonly world: World; readonly load: Load }> => {
    const files = { 'a.txt': 'one\n' };
    const world = await makeWorld(await cluster.apiUrl(), await cluster.release.platformKey(), { files });
    await warmUp(world);
    return { world, load: pacedLoad(world, agents, everyMs, COMMAND_EVERY, STANDARD_RETRIES) };
  };

  const all = async (holds: (count: number) => boolean): Promise<boolean> =>
    Object.values(await wanted()).every(({ replicas }) => holds(replicas));

  it(
    'follow the load up and down across an upgrade with the same values, and no client notices',
    async () => {
      // A start uses processor time that is no load.
      await eventually('one of each', () => all((count) => count === 1), 5 * MINUTE_MS);
      const watch = watchWanted();
      const busy: Awaited<ReturnType<typeof startLoad>>[] = [];
      for (let step = 0; step < STEPS && !(await all((count) => count > 1)); step += 1) {
        busy.push(await startLoad(AGENTS, BUSY_MS));
        await eventually('more of each', () => all((count) => count > 1), STEP_MS).catch(() =>
          report('more load is needed'),
        );
      }
      const atWork = async (component: Autoscaled): Promise<boolean> => (await ready(component)) > 1;
      await eventually(
        'more of each at work',
        async () => (await Promise.all(AUTOSCALED.map(atWork))).every(Boolean),
        5 * MINUTE_MS,
      );

      const [before, atUpgrade] = [watch.seen.length, await wanted()];
      await cluster.release.install({ values: VALUES });
      await sleep(AROUND_MS);
      const across = [atUpgrade, ...watch.seen.slice(before).map(({ found }) => found)];
      report(`across the upgrade: ${JSON.stringify(across)}`);
      // An upgrade that sets a number becomes its field manager, even where the autoscaler corrects it at once.
      expect(Object.values(atUpgrade).map(({ replicas }) => replicas > 1)).toEqual([true, true]);
      const outputOf = across.flatMap((found) => Object.values(found).flatMap((each) => each.outputOf));
      expect(new Set(outputOf)).toEqual(new Set([AUTOSCALER]));

      const calm = await startLoad(1, CALM_MS);
      const ends = await Promise.all(busy.map(async ({ world, load }) => ({ world, ends: await load.stop() })));
      report(`the load is over after ${watch.atSeconds()} s`);
      await eventually('one of each again', () => all((count) => count === 1), 8 * MINUTE_MS);
      await sleep(AROUND_MS);
      ends.push({ world: calm.world, ends: await calm.load.stop() });
      for (const { atSeconds, found } of await watch.stop()) report(`${atSeconds} s: ${JSON.stringify(found)}`);
      for (const { ends: calls } of ends) report(describeCalls(calls));
      expect(ends.flatMap(({ ends: calls }) => calls).filter(({ outcome }) => outcome !== 'committed')).toEqual([]);
      for (const { world, ends: calls } of ends)
        await expectNothingLost(await cluster.checked(), world, calls, 2 * MINUTE_MS);
    },
    30 * MINUTE_MS,
  );
});
