// SPDX-License-Identifier: Apache-2.0
import type { V1Container, V1Pod, V1PodSpec } from '@kubernetes/client-node';
import { SANDBOX_LABELS } from '@writ/sandbox';
import { AGENT_VARIABLES, SANDBOX_UID, type SandboxSize } from '@writ/sandbox-host';

/** The one container of a pod. */
export const CONTAINER = 'sandbox';
/** The label that names the owner of a pod or lease: the id of an executor. */
export const OWNER_LABEL = 'writ.owner';
/** Labels of every pod and lease of a release; the network policy of a shared namespace selects by the first. */
export const commonLabels = (release: string): Readonly<Record<'writ' | 'writ.role', string>> => ({
  writ: release,
  'writ.role': 'sandbox',
});

/** Path of the agent in the image. */
const AGENT = '/opt/writ/agent';

/**
 * The disk space of a pod on its node, for the kubelet's log of the agent's streams, which it rotates at 50 MiB by
 * default. The root is read-only, and the two volumes are in memory.
 */
const DISK_BYTES = 512 * 1024 * 1024;
/**
 * Processor share that the scheduler reserves: a waiting pod uses next to nothing, and few pods run a call at the same
 * time.
 */
const CPU_REQUEST = 0.1;
const MEMORY_REQUEST_BYTES = 64 * 1024 * 1024;
/**
 * Seconds between the request to end a pod and its kill. The agent needs none, and 0 would delete the pod without
 * waiting for the kubelet.
 */
const GRACE_S = 1;
/**
 * After this time Kubernetes ends a pod that its executor forgot: longer than the longest call and the longest session.
 */
export const LIFE_S = 24 * 60 * 60;

/** The owner reference of a pod, which is deleted with its owner. */
export interface PodOwner {
  readonly name: string;
  readonly uid: string;
}

export interface PodOptions {
  readonly name: string;
  readonly namespace: string;
  /** the reference by which nodes pull it */
  readonly image: string;
  readonly size: SandboxSize;
  readonly labels: Readonly<Record<string, string>>;
  readonly owner: PodOwner;
  /** addresses, `IP:port`, that must refuse the pod before its agent says hello */
  readonly refusedAt: readonly string[];
  /** a RuntimeClass; absent: the cluster's default runtime */
  readonly runtimeClass?: string;
  /**
   * whether the pod shares its node's user namespace. With false it gets a separate one, so a process that escapes has
   * no rights on the node. Absent: the cluster's default
   */
  readonly hostUsers?: boolean;
}

const KNOWN_LABELS = new Set([...Object.keys(commonLabels('')), OWNER_LABEL, ...SANDBOX_LABELS]);

/**
 * The only shape of a sandbox's pod. The chart's ValidatingAdmissionPolicy admits only this shape in the sandboxes'
 * namespace. It is generated from this function's result: after a change, run `node tools/with-node.mjs
 * tools/src/chart/main.ts`.
 *
 * INVARIANT (restricted): PodSecurity `restricted` accepts it. No token, no host namespace, no privilege, no
 * capability, and only volumes in memory.
 * INVARIANT (no names): no working resolver is configured. The environment contains only the API server's own service
 * address, which the kubelet always sets.
 */
export function podOf(options: PodOptions): V1Pod {
  const { name, namespace, labels, owner } = options;
  const unknown = Object.keys(labels).find((label) => !KNOWN_LABELS.has(label));
  if (unknown !== undefined)
    throw new Error(
      `a sandbox has no label \`${unknown}\`: ` +
        `the admission policy of the chart knows ${[...KNOWN_LABELS].join(', ')}; ` +
        'add it to `SANDBOX_LABELS`, and make the chart anew',
    );
  const ownerReference = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    name: owner.name,
    uid: owner.uid,
    controller: true,
    blockOwnerDeletion: false,
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { ...labels }, ownerReferences: [ownerReference] },
    spec: specOf(options),
  };
}

/** The options of the shape that don't name an owner. */
type SpecOptions = Pick<PodOptions, 'image' | 'size' | 'refusedAt' | 'runtimeClass' | 'hostUsers'>;

/** The part of the shape that a template can contain. */
export function specOf(options: SpecOptions): V1PodSpec {
  const { size, runtimeClass, hostUsers } = options;
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    // Process 1 is then the runtime's pause program, which reaps orphans of a job.
    shareProcessNamespace: true,
    hostNetwork: false,
    hostPID: false,
    hostIPC: false,
    ...(hostUsers === undefined ? {} : { hostUsers }),
    dnsPolicy: 'None',
    // The API requires one; nothing listens there.
    dnsConfig: { nameservers: ['127.0.0.1'] },
    terminationGracePeriodSeconds: GRACE_S,
    activeDeadlineSeconds: LIFE_S,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: SANDBOX_UID,
      runAsGroup: SANDBOX_UID,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...(runtimeClass === undefined ? {} : { runtimeClassName: runtimeClass }),
    containers: [containerOf(options)],
    volumes: ['workspace', 'tmp'].map((name) => ({
      name,
      emptyDir: { medium: 'Memory', sizeLimit: String(size.tmpfsBytes) },
    })),
  };
}

function containerOf({ image, size, refusedAt }: SpecOptions): V1Container {
  return {
    name: CONTAINER,
    image,
    imagePullPolicy: 'IfNotPresent',
    command: [AGENT],
    args: ['--wait-for-greeting', '--tell-usage', ...refusedAt.map((address) => `--refused-at=${address}`)],
    env: Object.entries(AGENT_VARIABLES).map(([name, value]) => ({ name, value })),
    workingDir: '/workspace',
    stdin: true,
    stdinOnce: true,
    tty: false,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      privileged: false,
      capabilities: { drop: ['ALL'] },
    },
    resources: resourcesOf(size),
    volumeMounts: [
      { name: 'workspace', mountPath: '/workspace' },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  };
}

/** The kubelet bounds processes and threads (`podPidsLimit`): a pod can't set `pids`. */
function resourcesOf({ cpus, memoryBytes }: SandboxSize) {
  const milli = (value: number): string => `${Math.round(value * 1000)}m`;
  return {
    limits: { cpu: milli(cpus), memory: String(memoryBytes), 'ephemeral-storage': String(DISK_BYTES) },
    requests: {
      cpu: milli(Math.min(cpus, CPU_REQUEST)),
      memory: String(Math.min(memoryBytes, MEMORY_REQUEST_BYTES)),
      'ephemeral-storage': '0',
    },
  };
}
