// SPDX-License-Identifier: Apache-2.0
import type { V1Container, V1Pod, V1PodSpec } from '@kubernetes/client-node';
import { asServed } from './fake-claims.contract.ts';
import { podFault } from './pod-fault.ts';
import { specOf } from './pod-shape.ts';

const MIB = 1024 * 1024;
const SIZE = { memoryBytes: 256 * MIB, cpus: 1, pids: 64, tmpfsBytes: 64 * MIB };
const EXPECTED = {
  spec: specOf({ image: 'registry.example/s:1', size: SIZE, refusedAt: [] }),
  labels: { writ: 'w', 'writ.role': 'sandbox' },
  sandbox: 'pool-1',
};
const OWNER = { apiVersion: 'agents.x-k8s.io/v1beta1', kind: 'Sandbox', name: 'pool-1', uid: 'u', controller: true };

const podWith = (spec: Partial<V1PodSpec> = {}, container: Partial<V1Container> = {}): V1Pod => {
  const served = asServed(EXPECTED.spec);
  return {
    metadata: { name: 'pool-1', labels: { ...EXPECTED.labels, 'agents.x-k8s.io/x': 'y' }, ownerReferences: [OWNER] },
    spec: { ...served, containers: [{ ...served.containers[0]!, ...container }], ...spec },
  };
};
const served = (): V1Container => podWith().spec!.containers[0]!;

test("a sandbox's pod as an API server shows it has no fault", () => {
  expect(podFault(podWith(), EXPECTED)).toBeNull();
});

test('where a pod runs is not part of its shape', () => {
  const elsewhere = {
    nodeSelector: { pool: 'sandboxes' },
    affinity: {},
    priorityClassName: 'low',
    overhead: { cpu: '1' },
  };
  expect(podFault(podWith(elsewhere), EXPECTED)).toBeNull();
});

test("amounts are compared by value, and not by a server's notation", () => {
  const limits = { cpu: '1', memory: '256Mi', 'ephemeral-storage': '512Mi' };
  const requests = { cpu: '0.1', memory: '64Mi', 'ephemeral-storage': '0' };
  const volumes = ['workspace', 'tmp'].map((name) => ({ name, emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } }));
  expect(podFault(podWith({ volumes }, { resources: { limits, requests } }), EXPECTED)).toBeNull();
  expect(podFault(podWith({}, { resources: { limits: { ...limits, memory: '257Mi' }, requests } }), EXPECTED)).toMatch(
    /^`spec\.containers\[0\]\.resources\.limits\.memory` is `"257Mi"`, not `"268435456"`$/,
  );
  expect(podFault(podWith({}, { resources: { limits: { ...limits, memory: 'much' }, requests } }), EXPECTED)).toMatch(
    'is `"much"`',
  );
});

test('amounts with any suffix of Kubernetes are compared too', () => {
  const size = { ...SIZE, memoryBytes: 2 ** 40 };
  const expected = { ...EXPECTED, spec: specOf({ image: 'registry.example/s:1', size, refusedAt: [] }) };
  const { requests, limits } = expected.spec.containers[0]!.resources!;
  const withMemory = (memory: string) => podWith({}, { resources: { requests, limits: { ...limits, memory } } });
  for (const memory of ['1Ti', '1024Gi', '1099511627776', '1099511627776000m'])
    expect({ memory, fault: podFault(withMemory(memory), expected) }).toEqual({ memory, fault: null });
  for (const memory of ['1T', '2Ti', '1Pi']) expect(podFault(withMemory(memory), expected)).toContain('limits.memory');
});

const secure = () => served().securityContext;

const NOT_A_SANDBOX: readonly (readonly [what: string, pod: V1Pod, words: string])[] = [
  ['another image', podWith({}, { image: 'x:1' }), '`spec.containers[0].image` is `"x:1"`'],
  ['another command', podWith({}, { command: ['sh'] }), '`spec.containers[0].command[0]`'],
  ['another argument', podWith({}, { args: ['--tell-usage'] }), '`spec.containers[0].args`'],
  ['a second container', podWith({ containers: [served(), served()] }), '`spec.containers`'],
  ['an init container', podWith({ initContainers: [served()] }), '`spec.initContainers`'],
  ['an ephemeral container', podWith({ ephemeralContainers: [{ name: 'x' }] }), '`spec.ephemeralContainers`'],
  ['a token', podWith({ automountServiceAccountToken: true }), '`spec.automountServiceAccountToken` is `true`'],
  ['a token by default', podWith({ automountServiceAccountToken: undefined }), 'is not set, not `false`'],
  ["the node's network", podWith({ hostNetwork: true }), '`spec.hostNetwork` is `true`'],
  ["the node's processes", podWith({ hostPID: true }), '`spec.hostPID`'],
  ['names of its own', podWith({ hostAliases: [{ ip: '1.2.3.4' }] }), '`spec.hostAliases`'],
  ["the cluster's resolver", podWith({ dnsPolicy: 'ClusterFirst' }), '`spec.dnsPolicy`'],
  ['a resolver', podWith({ dnsConfig: { nameservers: ['8.8.8.8'] } }), '`spec.dnsConfig.nameservers[0]`'],
  [
    'a search domain',
    podWith({ dnsConfig: { nameservers: ['127.0.0.1'], searches: ['x'] } }),
    'spec.dnsConfig.searches',
  ],
  ["services' addresses", podWith({ enableServiceLinks: true }), '`spec.enableServiceLinks`'],
  ['a pull secret', podWith({ imagePullSecrets: [{ name: 's' }] }), '`spec.imagePullSecrets`'],
  ['a path of the node', podWith({ volumes: [{ name: 'workspace', hostPath: { path: '/' } }] }), '`spec.volumes`'],
  [
    'a volume on disk',
    podWith({ volumes: ['workspace', 'tmp'].map((name) => ({ name, emptyDir: { sizeLimit: '64Mi' } })) }),
    '`spec.volumes[0].emptyDir.medium` is not set',
  ],
  ['another mount', podWith({}, { volumeMounts: [] }), '`spec.containers[0].volumeMounts`'],
  ['a device', podWith({}, { volumeDevices: [{ name: 'x', devicePath: '/x' }] }), 'volumeDevices'],
  ['a port of its node', podWith({}, { ports: [{ containerPort: 1, hostPort: 1 }] }), '`spec.containers[0].ports`'],
  [
    'a variable',
    podWith({}, { env: [...(served().env ?? []), { name: 'A', value: 'b' }] }),
    '`spec.containers[0].env`',
  ],
  ['variables from elsewhere', podWith({}, { envFrom: [{ secretRef: { name: 's' } }] }), 'envFrom'],
  ['a probe', podWith({}, { livenessProbe: { exec: { command: ['x'] } } }), 'livenessProbe'],
  ['a hook', podWith({}, { lifecycle: { postStart: { exec: { command: ['x'] } } } }), 'lifecycle'],
  ['a message of its own', podWith({}, { terminationMessagePath: '/etc/x' }), 'terminationMessagePath'],
  ['privilege', podWith({}, { securityContext: { ...secure(), privileged: true } }), 'securityContext.privileged'],
  [
    'a way to privilege',
    podWith({}, { securityContext: { ...secure(), allowPrivilegeEscalation: undefined } }),
    'allowPrivilegeEscalation` is not set',
  ],
  [
    'a capability',
    podWith({}, { securityContext: { ...secure(), capabilities: { drop: ['ALL'], add: ['NET_RAW'] } } }),
    'securityContext.capabilities.add',
  ],
  [
    'a root that it can write',
    podWith({}, { securityContext: { ...secure(), readOnlyRootFilesystem: false } }),
    'readOnlyRoot',
  ],
  ['an open /proc', podWith({}, { securityContext: { ...secure(), procMount: 'Unmasked' } }), 'procMount'],
  ['another user', podWith({ securityContext: { ...podWith().spec?.securityContext, runAsUser: 0 } }), 'runAsUser'],
  [
    'no filter of system calls',
    podWith({ securityContext: { ...podWith().spec?.securityContext, seccompProfile: { type: 'Unconfined' } } }),
    'seccompProfile.type',
  ],
  ['another runtime class', podWith({ runtimeClassName: 'other' }), '`spec.runtimeClassName`'],
  ['restarts', podWith({ restartPolicy: 'Always' }), '`spec.restartPolicy`'],
  ['no end', podWith({ activeDeadlineSeconds: undefined }), '`spec.activeDeadlineSeconds`'],
  ['processes apart', podWith({ shareProcessNamespace: undefined }), '`spec.shareProcessNamespace`'],
  ['no input', podWith({}, { stdin: undefined }), '`spec.containers[0].stdin`'],
  ['input for whoever attaches next', podWith({}, { stdinOnce: undefined }), '`spec.containers[0].stdinOnce`'],
  ['a terminal', podWith({}, { tty: true }), '`spec.containers[0].tty`'],
  [
    'a field that nobody knows',
    podWith({ newField: 1 } as Partial<V1PodSpec>),
    '`spec.newField` is `1`, which no sandbox has',
  ],
];

test.each(NOT_A_SANDBOX)('podFault rejects a pod with %s', (_what, pod, words) => {
  expect(podFault(pod, EXPECTED)).toContain(words);
});

test('podFault rejects a pod without limits or without a container', () => {
  expect(podFault(podWith({}, { resources: undefined }), EXPECTED)).toContain('resources` is not set');
  expect(podFault(podWith({ containers: [] }), EXPECTED)).toContain('`spec.containers` is `[]`');
  expect(podFault({ metadata: podWith().metadata }, EXPECTED)).toContain('`spec` is not set');
});

test.each([
  ['nobody', []],
  ['another Sandbox', [{ ...OWNER, name: 'pool-2' }]],
  ['something else of that name', [{ ...OWNER, kind: 'ReplicaSet', apiVersion: 'apps/v1' }]],
  ['somebody in another group', [{ ...OWNER, apiVersion: 'agents.example/v1' }]],
  ['a Sandbox that does not control it', [{ ...OWNER, controller: false }]],
])('podFault rejects a pod that %s owns', (_who, ownerReferences) => {
  const pod = podWith();
  expect(podFault({ ...pod, metadata: { ...pod.metadata, ownerReferences } }, EXPECTED)).toBe(
    'no Sandbox `pool-1` owns it',
  );
});

test('podFault rejects a pod that network policies would not select', () => {
  const pod = podWith();
  const labels = { writ: 'w' };
  expect(podFault({ ...pod, metadata: { ...pod.metadata, labels } }, EXPECTED)).toBe(
    'its label `writ.role` is not set, not `"sandbox"`',
  );
});
