// SPDX-License-Identifier: Apache-2.0
// Services are rolled, killed and scaled while agents call ten times a second: no client with standard retries notices.
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expectNothingLost, makeWorld, openLoad, STANDARD_RETRIES, triesOf, warmUp, type Ended } from '@writ/stack';
import { ClusterRelease, describeRelease, TWO_OF_EACH } from './cluster-release.ts';

const MINUTE_MS = 60_000;
const PER_SECOND = 10;
/** A pod takes a processor for a second: two of them have other work as well. */
const COMMAND_EVERY = 20;
/** Before, and after what is done to a service. */
const AROUND_MS = 4_000;

const SERVICES = { ledger: 'statefulset', kernel: 'deployment', executor: 'deployment', orchestrator: 'deployment' } as const;
type Service = keyof typeof SERVICES;

const workload = (service: Service): string => `${SERVICES[service]}/writ-${service}`;

describeRelease('under ten calls a second', () => {
  let cluster: ClusterRelease;
  beforeAll(async () => {
    cluster = await ClusterRelease.install('writ-load', { values: TWO_OF_EACH });
  }, 15 * MINUTE_MS);
  afterAll(() => cluster.remove(), 5 * MINUTE_MS);

  const report = (line: string): void => {
    const file = process.env['WRIT_TEST_REPORT'];
    if (file !== undefined) appendFileSync(file, `${line}\n`);
  };

  const scale = async (service: Service, replicas: number): Promise<void> => {
    await cluster.release.kubectl(['scale', workload(service), `--replicas=${replicas}`]);
    await cluster.rolledOut(workload(service));
  };

  const ACTS: Readonly<Record<string, (service: Service) => Promise<void>>> = {
    rolled: async (service) => {
      await cluster.release.kubectl(['rollout', 'restart', workload(service)]);
      await cluster.rolledOut(workload(service));
    },
    // Without a word: SIGKILL at once, as a node that is gone.
    killed: async (service) => {
      const [pod = ''] = await cluster.pods(service);
      await cluster.release.kubectl(['delete', 'pod', pod, '--grace-period=0', '--force']);
      await cluster.rolledOut(workload(service));
    },
    'scaled 1, 3, 1': async (service) => {
      for (const replicas of [1, 3, 1, 2]) await scale(service, replicas);
    },
  };

  const slowest = (ends: readonly Ended[]): number => Math.max(...ends.map(({ ms }) => ms));

  describe.each(Object.entries(ACTS))('%s', (how, act) => {
    it.each(Object.keys(SERVICES) as Service[])(
      'the %s, and nobody notices',
      async (service) => {
        const world = await makeWorld(await cluster.apiUrl(), await cluster.release.platformKey(), { files: { 'a.txt': 'one\n' } });
        await warmUp(world);
        const load = openLoad(world, PER_SECOND, COMMAND_EVERY, STANDARD_RETRIES);
        await sleep(AROUND_MS);
        const began = Date.now();
        await act(service);
        const tookMs = Date.now() - began;
        await sleep(AROUND_MS);
        const ends = await load.stop();
        report(`${how} ${service}: ${ends.length} calls in ${tookMs + 2 * AROUND_MS} ms, tries ${JSON.stringify(triesOf(ends))}, slowest ${slowest(ends)} ms, faults ${JSON.stringify([...new Set(ends.flatMap(({ fault }) => fault ?? []))])}`);
        expect(ends.filter(({ outcome }) => outcome !== 'committed')).toEqual([]);
        await expectNothingLost(await cluster.checked(), world, ends);
      },
      10 * MINUTE_MS,
    );
  });
});
