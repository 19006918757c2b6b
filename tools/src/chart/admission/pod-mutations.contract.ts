// SPDX-License-Identifier: Apache-2.0
// Differences from the driver's pod that are harmless, and those that can't occur alone.
import type { V1Container, V1Pod, V1PodSpec } from '@kubernetes/client-node';

/** Fields without a value that is admitted without a policy, or that can't be removed alone, each with its reason. */
export const IMPOSSIBLE: Readonly<Record<string, string>> = {
  metadata: 'an object has a name',
  spec: 'a pod has containers',
  'spec.containers.resources.claims': 'needs a claim of the pod: among the combinations',
  'spec.containers.restartPolicyRules': 'needs a policy of the container: among the combinations',
  'spec.containers.resources.requests.example.com/more': 'needs a limit: among the combinations',
  'spec.containers.volumeDevices': 'needs a volume: among the combinations',
  'spec.dnsConfig': 'the policy of names `None` needs it',
  'spec.ephemeralContainers': 'comes by a subresource only',
  'spec.overhead': 'is that of a runtime class, or refused by its plugin',
  'spec.runtimeClassName': 'needs a runtime class: among the specs of one',
  'spec.securityContext.seccompProfile.localhostProfile': 'needs another type: among the combinations',
  'spec.volumes.name': 'needs another mount: among the combinations',
};

const isOneOf =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value);
const isText = (value: unknown): boolean => typeof value === 'string';

/** Fields in which an admitted pod may differ from the driver's, by harmless values. */
export const HARMLESS: Readonly<Record<string, { readonly why: string; readonly is: (value: unknown) => boolean }>> = {
  'metadata.labels.writ.owner': { why: 'another executor sweeps it: it may delete it anyhow', is: isText },
  'metadata.name': {
    why: 'each pod has a name of its own, after its Lease',
    is: (value) => /^writ-exe-1-[0-9a-f]{10}$/.test(String(value)),
  },
  'metadata.ownerReferences.uid': { why: 'the cluster collects what an unknown owner owns', is: isText },
  'spec.containers.args': {
    why: 'more addresses, or others, that the agent tries: its job may try them too',
    is: (value) => value === undefined || /^--refused-at=[0-9.]+:[0-9]+$/.test(String(value)),
  },
  'spec.containers.imagePullPolicy': { why: 'the node asks the registry again', is: isOneOf('Always') },
  'spec.containers.resources.limits.cpu': { why: 'less', is: isOneOf('500m') },
  'spec.containers.resources.limits.ephemeral-storage': { why: 'less', is: isOneOf('64Mi') },
  'spec.containers.resources.limits.memory': { why: 'less', is: isOneOf('64Mi') },
  'spec.containers.resources.requests.cpu': { why: 'less', is: isOneOf('50m') },
  'spec.containers.resources.requests.memory': { why: 'less', is: isOneOf('32Mi') },
  'spec.tolerations.tolerationSeconds': {
    why: 'how long it waits for a node that is gone; it ends with its deadline',
    is: isOneOf(60, 300),
  },
  'spec.volumes.emptyDir.sizeLimit': { why: 'less', is: isOneOf('1', '32Mi') },
};

type Change = (pod: V1Pod) => V1Pod;

const inSpec =
  (change: (spec: V1PodSpec) => Partial<V1PodSpec>): Change =>
  (pod) => ({ ...pod, spec: { ...(pod.spec as V1PodSpec), ...change(pod.spec as V1PodSpec) } });

const inContainer = (change: (container: V1Container) => Partial<V1Container>): Change =>
  inSpec(({ containers }) => ({ containers: containers.map((each) => ({ ...each, ...change(each) })) }));

const DEVICE = { name: 'device', persistentVolumeClaim: { claimName: 'c' } };
const GPU = 'example.com/gpu';

/** Differences in several fields at once, which the API server refuses one by one. */
export const COMBINATIONS: readonly (readonly [what: string, change: Change])[] = [
  [
    'a claim of a device',
    (pod) =>
      inSpec(() => ({ resourceClaims: [{ name: 'a', resourceClaimTemplateName: 'a' }] }))(
        inContainer(({ resources }) => ({ resources: { ...resources, claims: [{ name: 'a' }] } }))(pod),
      ),
  ],
  [
    'rules of restarts',
    inContainer(() => ({
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }],
    })),
  ],
  [
    'a resource of another kind',
    inContainer(({ resources }) => ({
      resources: { limits: { ...resources?.limits, [GPU]: '1' }, requests: { ...resources?.requests, [GPU]: '1' } },
    })),
  ],
  [
    'a device of a volume',
    (pod) =>
      inSpec(({ volumes = [] }) => ({ volumes: [...volumes, DEVICE] }))(
        inContainer(() => ({ volumeDevices: [{ name: 'device', devicePath: '/dev/a' }] }))(pod),
      ),
  ],
  [
    "a profile of the node's for seccomp",
    inSpec(({ securityContext }) => ({
      securityContext: { ...securityContext, seccompProfile: { type: 'Localhost', localhostProfile: 'p' } },
    })),
  ],
  [
    'a volume and its mount by another name',
    (pod) =>
      inSpec(({ volumes = [] }) => ({ volumes: volumes.map((each) => ({ ...each, name: `${each.name}-2` })) }))(
        inContainer(({ volumeMounts = [] }) => ({
          volumeMounts: volumeMounts.map((each) => ({ ...each, name: `${each.name}-2` })),
        }))(pod),
      ),
  ],
  [
    'a second container like the first',
    inSpec(({ containers }) => ({
      containers: [...containers, ...containers.map((each) => ({ ...each, name: 'b' }))],
    })),
  ],
  [
    'an init container like the first',
    inSpec(({ containers }) => ({ initContainers: containers.map((each) => ({ ...each, name: 'b', stdin: false })) })),
  ],
  [
    'a port of the node',
    inSpec(({ containers }) => ({
      hostNetwork: true,
      containers: containers.map((each) => ({ ...each, ports: [{ containerPort: 80, hostPort: 80 }] })),
    })),
  ],
  [
    'a token of the API server',
    (pod) =>
      inSpec(({ volumes = [] }) => ({
        automountServiceAccountToken: true,
        volumes: [...volumes, { name: 'token', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }],
      }))(
        inContainer(({ volumeMounts = [] }) => ({
          volumeMounts: [...volumeMounts, { name: 'token', mountPath: '/token' }],
        }))(pod),
      ),
  ],
];
