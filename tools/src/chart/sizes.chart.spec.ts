// SPDX-License-Identifier: Apache-2.0
// The resource requests of an installation, compared with docs/operations/install.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../setup.ts';
import { driverContainer, largestPod } from './admission/driver-pod.ts';
import { chartTools, describeChart, exampleFile, SMALL } from './chart.contract.ts';
import type { Container } from './pods.ts';
import { renderObjects, type KubeObject, type Values } from './render.ts';
import { settingsOf } from './settings.ts';

const PAGE = readFileSync(join(checkout, 'docs/operations/install.md'), 'utf8');

/** Two CPUs and 4 GiB without the pods of Kubernetes itself: those of a kind cluster request 950m and 290 MiB. */
const TRIAL = { milliCpu: 2_000 - 950, mebibytes: 4_096 - 290 };

const BUNDLED: Values = {
  postgres: { bundled: { enabled: true } },
  nats: { bundled: { enabled: true } },
  sandbox: { image: { digest: `sha256:${'1'.repeat(64)}` } },
};

interface Sum {
  readonly pods: number;
  readonly milliCpu: number;
  readonly mebibytes: number;
}

const milliOf = (cpu: string): number => (cpu.endsWith('m') ? Number(cpu.slice(0, -1)) : Number(cpu) * 1_000);
const mebibytesOf = (memory: string): number =>
  Number(memory.slice(0, -2)) * ({ Mi: 1, Gi: 1_024 }[memory.slice(-2)] ?? Number.NaN);

/** The requests of each sandbox, from a pod of the driver. */
const sandboxRequests = driverContainer(largestPod({ cpus: 2, memoryBytes: 2 ** 30, tmpfsBytes: 2 ** 20 })).resources!
  .requests!;
const SANDBOX = { milliCpu: milliOf(sandboxRequests['cpu']!), mebibytes: Number(sandboxRequests['memory']) / 2 ** 20 };

interface Workload {
  readonly replicas: number;
  readonly template: {
    readonly spec: { readonly containers: readonly Container[]; readonly initContainers?: readonly Container[] };
  };
}

/** The scheduler's sum: all containers together, or a larger init container. */
function requestOf({ containers, initContainers = [] }: Workload['template']['spec'], of: 'cpu' | 'memory'): number {
  const read = of === 'cpu' ? milliOf : mebibytesOf;
  const amounts = (list: readonly Container[]): number[] =>
    list.map(({ resources }) => read(resources!.requests![of]!));
  return Math.max(
    amounts(containers).reduce((sum, amount) => sum + amount, 0),
    ...amounts(initContainers),
  );
}

function servicesOf(objects: readonly KubeObject[]): Sum {
  const workloads = objects
    .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
    .map(({ spec }) => spec as Workload);
  const sum = (of: (workload: Workload) => number): number =>
    workloads.reduce((total, workload) => total + of(workload) * workload.replicas, 0);
  return {
    pods: sum(() => 1),
    milliCpu: sum(({ template }) => requestOf(template.spec, 'cpu')),
    mebibytes: sum(({ template }) => requestOf(template.spec, 'memory')),
  };
}

const settings = await settingsOf(checkout);

/** Sandboxes in the executors' warm pools. */
function warmOf(objects: readonly KubeObject[]): Sum {
  const executor = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith('-executor'))!;
  const { replicas, template } = executor['spec'] as Workload;
  const count = (name: string): number =>
    Number(
      template.spec.containers[0]!.env?.find((each) => each.name === name)?.value ??
        settings.executor[name]!['default'],
    );
  const pods = replicas * (count('WRIT_POOL_SIZE') + count('WRIT_POOL_PREPOPULATED'));
  return { pods, milliCpu: pods * SANDBOX.milliCpu, mebibytes: pods * SANDBOX.mebibytes };
}

const amounts = ({ pods, milliCpu, mebibytes }: Sum): string =>
  `${String(pods)} pods: ${String(milliCpu / 1_000)} CPUs, ${(mebibytes / 1_024).toFixed(1)} GiB`;

describeChart('the size of an installation', () => {
  const trial = (): KubeObject[] => renderObjects({ helm: chartTools().helm, files: [exampleFile(SMALL)] });
  const defaults = (): KubeObject[] => renderObjects({ helm: chartTools().helm, values: BUNDLED });

  test.each([
    ['a trial, `ci/small-values.yaml`', trial],
    ['the defaults, with the bundled Postgres and NATS', defaults],
  ] as const)('of %s matches docs/operations/install.md', (name, objects) => {
    expect(PAGE).toContain(`| ${name} | ${amounts(servicesOf(objects()))} | ${amounts(warmOf(objects()))} |`);
  });

  test('of a trial fits two CPUs and 4 GiB with Kubernetes, commands and an upgrade', () => {
    const [services, warm] = [servicesOf(trial()), warmOf(trial())];
    // An upgrade adds at most one pod of each of three Deployments, and a call runs in a sandbox beside the warm pool.
    const more = { milliCpu: 3 * 50 + 2 * SANDBOX.milliCpu, mebibytes: 3 * 256 + 2 * SANDBOX.mebibytes };
    expect(services.milliCpu + warm.milliCpu + more.milliCpu).toBeLessThanOrEqual(TRIAL.milliCpu);
    expect(services.mebibytes + warm.mebibytes + more.mebibytes).toBeLessThanOrEqual(TRIAL.mebibytes);
  });
});
