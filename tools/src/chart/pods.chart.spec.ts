// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROCESSES } from '@writ/contract';
import { checkout } from '../setup.ts';
import {
  describeChart,
  EXAMPLES,
  examplePods,
  objectOf,
  objectsOf,
  PRODUCTION,
  renderSmall,
  SMALL,
} from './chart.contract.ts';
import { containersOf, podsOf, restrictedProblems, type Container, type Pod, type PodSpec } from './pods.ts';
import { CHART } from './render.ts';

const GOOD: PodSpec = {
  containers: [
    { name: 'c', image: 'i', securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } },
  ],
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
};
const withContainer = (over: object): PodSpec => ({
  ...GOOD,
  containers: [{ ...GOOD.containers[0]!, ...over } as Container],
});

test('PodSecurity `restricted`: a pod that it admits has no problem', () => {
  expect(restrictedProblems({ spec: GOOD })).toEqual([]);
});

test.each<[string, PodSpec]>([
  ["shares the node's network", { ...GOOD, hostNetwork: true }],
  ['mounts a path of its node', { ...GOOD, volumes: [{ name: 'v', hostPath: { path: '/' } }] }],
  ['sets kernel parameters', { ...GOOD, securityContext: { ...GOOD.securityContext, sysctls: [] } as never }],
  ['may run as root', { ...GOOD, securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }],
  ['runs as root', { ...GOOD, securityContext: { ...GOOD.securityContext, runAsUser: 0 } }],
  ['has no seccomp profile', { ...GOOD, securityContext: { runAsNonRoot: true } }],
  ['may gain privileges', withContainer({ securityContext: { capabilities: { drop: ['ALL'] } } })],
  ['keeps capabilities', withContainer({ securityContext: { allowPrivilegeEscalation: false } })],
  [
    'adds capabilities',
    withContainer({
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'], add: ['SYS_ADMIN'] } },
    }),
  ],
  ['takes a port of the node', withContainer({ ports: [{ name: 'p', containerPort: 1, hostPort: 1 }] })],
])('PodSecurity `restricted`: a pod that %s has one', (_what, spec) => {
  expect(restrictedProblems({ spec })).toHaveLength(1);
});

/** Kubernetes' units: milli-processors, and bytes in powers of 1024. */
const UNIT: Readonly<Record<string, number>> = { m: 1e-3, '': 1, Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3 };
const amount = (quantity: string): number => {
  const [, digits = '', unit = ''] = /^([\d.]+)(\D*)$/.exec(quantity) ?? [];
  return Number(digits) * UNIT[unit]!;
};

const hasToken = ({ spec }: Pod): boolean => spec.automountServiceAccountToken !== false;

const RUNS_ONCE = new Set(['keys', 'migrate', 'rotate-keys', 'smoke']);

describeChart('pods of the chart', () => {
  const all = (): { example: string; pod: Pod }[] =>
    EXAMPLES.flatMap((example) => examplePods(example).map((pod) => ({ example, pod })));
  const findings = (look: (pod: Pod) => readonly string[]): string[] =>
    all().flatMap(({ example, pod }) => look(pod).map((finding) => `${example}: ${pod.owner}: ${finding}`));
  const ofContainers = (look: (container: Container, pod: Pod) => readonly string[]): string[] =>
    findings((pod) =>
      containersOf(pod).flatMap((container) => look(container, pod).map((finding) => `${container.name} ${finding}`)),
    );

  test('there are pods of every process in every example', () => {
    for (const example of EXAMPLES)
      expect(examplePods(example).map(({ component }) => component)).toEqual(expect.arrayContaining([...PROCESSES]));
  });

  test('every pod passes PodSecurity `restricted`', () => {
    expect(findings(restrictedProblems)).toEqual([]);
  });

  test('every container has a read-only root', () => {
    expect(
      ofContainers(({ securityContext }) =>
        securityContext?.readOnlyRootFilesystem === true ? [] : ['may write to its root'],
      ),
    ).toEqual([]);
  });

  test('every container has requests and limits of processor, memory and disk, the limits not below the requests', () => {
    expect(
      ofContainers(({ resources }) =>
        ['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => {
          const [request, limit] = [resources?.requests?.[name], resources?.limits?.[name]];
          if (request === undefined || limit === undefined) return [`lacks ${name}`];
          return amount(String(request)) <= amount(String(limit)) ? [] : [`requests more ${name} than it may have`];
        }),
      ),
    ).toEqual([]);
  });

  test('every serving container has startup, readiness and liveness probes', () => {
    expect(
      findings(({ component, spec }) =>
        RUNS_ONCE.has(component)
          ? []
          : spec.containers.flatMap((container) =>
              (['startupProbe', 'readinessProbe', 'livenessProbe'] as const).filter(
                (probe) => container[probe] === undefined,
              ),
            ),
      ),
    ).toEqual([]);
  });

  test('only the executor with pods and the Jobs for keys have a token of the API server', () => {
    const holders = new Set(
      all()
        .filter(({ pod }) => hasToken(pod))
        .map(({ pod }) => pod.component),
    );
    expect([...holders].sort()).toEqual(['executor', 'keys', 'rotate-keys']);
    const readme = readFileSync(join(CHART, 'README.md'), 'utf8');
    const [, list = ''] =
      /These pods have a token of the API server, and no others:\n\n((?:- .*\n)+)/.exec(readme) ?? [];
    expect([...list.matchAll(/^- `([a-z-]+)`/gm)].map(([, component]) => component).sort()).toEqual(
      [
        ...new Set(
          examplePods(PRODUCTION)
            .filter(hasToken)
            .map(({ component }) => component),
        ),
      ].sort(),
    );
    const accounts = EXAMPLES.flatMap((example) => objectsOf(example).filter(({ kind }) => kind === 'ServiceAccount'));
    expect(accounts.filter((account) => account['automountServiceAccountToken'] !== false)).toEqual([]);
    expect(
      examplePods('one-namespace-values.yaml').find(({ component }) => component === 'executor')!.spec
        .automountServiceAccountToken,
    ).toBe(false);
  });

  test('the pods of every component run under their own service account', () => {
    for (const example of EXAMPLES) {
      const pods = examplePods(example);
      const components = new Set(pods.map(({ component }) => component));
      expect(new Set(pods.map(({ spec }) => spec.serviceAccountName)).size).toBe(components.size);
      for (const { spec } of pods) objectOf(objectsOf(example), 'ServiceAccount', spec.serviceAccountName!);
    }
  });

  test('a service mounts only its own Secret, readable by its group only', () => {
    for (const { example, pod } of all().filter(({ pod: { component } }) =>
      (PROCESSES as readonly string[]).includes(component),
    )) {
      const secrets = (pod.spec.volumes ?? []).flatMap(({ secret }) =>
        secret === undefined ? [] : [secret as { secretName: string; defaultMode: number }],
      );
      const own = example === 'existing-keys-values.yaml' ? `my-${pod.component}` : `w-writ-${pod.component}`;
      expect(secrets).toEqual([{ secretName: own, defaultMode: 0o440 }]);
      // A secret that is no variable is not in descriptions of the pod, and child processes don't inherit it.
      expect(JSON.stringify(containersOf(pod).map(({ env }) => env))).not.toContain('secretKeyRef');
    }
  });

  test("the grace period covers the pause before SIGTERM and the process's shutdown", () => {
    const boot = readFileSync(join(checkout, 'libs/nest-kit/src/boot-process.ts'), 'utf8');
    const seconds = (name: string): number =>
      Number((new RegExp(`^const ${name} = ([\\d_]+);$`, 'm').exec(boot)?.[1] ?? '').replaceAll('_', '')) / 1_000;
    const [stop, close] = [seconds('stopMs'), seconds('closeMs')];
    const graceOf = (pods: readonly Pod[], component: string): number =>
      pods.find((pod) => pod.component === component)!.spec.terminationGracePeriodSeconds!;
    expect(graceOf(examplePods(PRODUCTION), 'executor')).toBe(60 + close + 5);
    expect(graceOf(examplePods(SMALL), 'executor')).toBe(stop + 5);
    expect(graceOf(examplePods(SMALL), 'orchestrator')).toBe(5 + stop + 5);
    expect(
      graceOf(podsOf(renderSmall({ executor: { drainMs: 7_001 }, orchestrator: { preStopSeconds: 30 } })), 'executor'),
    ).toBe(8 + close + 5);
  });

  test('a gate queries every other component, earlier and later ones', () => {
    const argsOf = (component: string): string[] =>
      examplePods(SMALL)
        .find((pod) => pod.component === component)!
        .spec.initContainers![0]!.args!.slice(2);
    expect(argsOf('kernel')).toEqual([
      '--port=9464',
      '--silent-seconds=20',
      '--earlier=ledger=w-writ-ledger-ops:9464',
      '--later=executor=w-writ-executor-ops:9464',
      '--later=orchestrator=w-writ-orchestrator-ops:9464',
    ]);
    expect(argsOf('ledger').filter((arg) => arg.startsWith('--earlier'))).toEqual([]);
    expect(argsOf('orchestrator').filter((arg) => arg.startsWith('--later'))).toEqual([]);
    for (const component of PROCESSES) {
      expect(objectOf(objectsOf(SMALL), 'Service', `w-writ-${component}-ops`)['spec']).toMatchObject({
        clusterIP: 'None',
        publishNotReadyAddresses: true,
      });
    }
  });

  test('each ledger has its memory file on a volume that is never deleted', () => {
    expect(objectOf(objectsOf(PRODUCTION), 'StatefulSet', 'w-writ-ledger')['spec']).toMatchObject({
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      volumeClaimTemplates: [
        {
          metadata: { name: 'memory' },
          spec: { storageClassName: 'fast', resources: { requests: { storage: '2Gi' } } },
        },
      ],
    });
    const [ledger] = examplePods(PRODUCTION).find(({ component }) => component === 'ledger')!.spec.containers;
    expect(ledger!.volumeMounts).toContainEqual({ name: 'memory', mountPath: '/var/lib/writ/ledger' });
  });

  test('a workload with an autoscaler sets no replica count', () => {
    for (const component of ['orchestrator', 'kernel', 'executor'])
      expect(objectOf(objectsOf(PRODUCTION), 'Deployment', `w-writ-${component}`)['spec']).not.toHaveProperty(
        'replicas',
      );
    expect(objectOf(objectsOf(PRODUCTION), 'StatefulSet', 'w-writ-ledger')['spec']).toMatchObject({ replicas: 3 });
  });
});
