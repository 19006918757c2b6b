// SPDX-License-Identifier: Apache-2.0
// Services are rolled, killed and scaled while agents call ten times a second: no client with standard retries notices.
import { whileCallsGoOn } from './calls-under-load.ts';
import { ClusterRelease, describeRelease, TWO_OF_EACH } from './cluster-release.ts';

const MINUTE_MS = 60_000;
const SERVICES = {
  ledger: 'statefulset',
  kernel: 'deployment',
  executor: 'deployment',
  orchestrator: 'deployment',
} as const;
type Service = keyof typeof SERVICES;

const workload = (service: Service): string => `${SERVICES[service]}/writ-${service}`;

describeRelease('under ten calls a second', () => {
  let cluster: ClusterRelease;
  beforeAll(async () => {
    cluster = await ClusterRelease.install('writ-load', { values: TWO_OF_EACH });
  }, 15 * MINUTE_MS);
  afterAll(() => cluster.remove(), 5 * MINUTE_MS);

  const scale = async (service: Service, replicas: number): Promise<void> => {
    await cluster.release.kubectl(['scale', workload(service), `--replicas=${replicas}`]);
    await cluster.rolledOut(workload(service));
  };

  const ACTS: Readonly<Record<string, (service: Service) => Promise<void>>> = {
    rolled: async (service) => {
      await cluster.release.kubectl(['rollout', 'restart', workload(service)]);
      await cluster.rolledOut(workload(service));
    },
    // SIGKILL at once, as for a lost node.
    killed: async (service) => {
      const [pod = ''] = await cluster.pods(service);
      await cluster.release.kubectl(['delete', 'pod', pod, '--grace-period=0', '--force']);
      await cluster.rolledOut(workload(service));
    },
    'scaled 1, 3, 1': async (service) => {
      for (const replicas of [1, 3, 1, 2]) await scale(service, replicas);
    },
  };

  describe.each(Object.entries(ACTS))('%s', (how, act) => {
    it.each(Object.keys(SERVICES) as Service[])(
      'the %s, and no client notices',
      async (service) => {
        await whileCallsGoOn(cluster, `${how} ${service}`, () => act(service));
      },
      10 * MINUTE_MS,
    );
  });
});
