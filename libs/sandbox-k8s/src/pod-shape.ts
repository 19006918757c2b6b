// SPDX-License-Identifier: Apache-2.0
import type { V1Container, V1Pod, V1PodSpec } from '@kubernetes/client-node';
import { AGENT_VARIABLES, SANDBOX_UID, type SandboxSize } from '@writ/sandbox-host';

/** The one container of a pod. */
export const CONTAINER = 'sandbox';
/** The label that says whose pod or lease it is: the id of an executor. */
export const OWNER_LABEL = 'writ.owner';
/** Labels that whoever starts a sandbox may put on it. */
export const JOB_LABELS: readonly string[] = ['writ.operation'];
/** Labels of every pod and lease of a release; the network policy of a shared namespace selects by the first. */
export const commonLabels = (release: string): Readonly<Record<'writ' | 'writ.role', string>> => ({
  writ: release,
  'writ.role': 'sandbox',
});

/** Where the image has the agent. */
const AGENT = '/opt/writ/agent';

/**
 * What a node keeps of a pod on its disk: what passes over the agent's streams, which the kubelet logs, and rotates at
 * 50 MiB unless it is told otherwise. The root is read-only, and the two volumes are memory.
 */
const DISK_BYTES = 512 * 1024 * 1024;
/**
 * What the scheduler sets aside: one that waits uses next to nothing, and calls that run at once are few beside them.
 */
const CPU_REQUEST = 0.1;
const MEMORY_REQUEST_BYTES = 64 * 1024 * 1024;
/**
 * Between asking a pod to end and killing it. The agent needs none of it, and less than a second can't be said without
 * deleting behind the kubelet's back.
 */
const GRACE_S = 1;
/**
 * Nobody may wait longer than this for a sandbox that its executor forgot: longer than the longest call and the longest
 * session.
 */
export const LIFE_S = 24 * 60 * 60;

/** Of whom a pod is part: it goes with its owner. */
export interface PodOwner {
  readonly name: string;
  readonly uid: string;
}

export interface PodOptions {
  readonly name: string;
  readonly namespace: string;
  /** as nodes pull it */
  readonly image: string;
  readonly size: SandboxSize;
  readonly labels: Readonly<Record<string, string>>;
  readonly owner: PodOwner;
  /** addresses, `IP:port`, that must refuse the pod before its agent says hello */
  readonly refusedAt: readonly string[];
  /** a RuntimeClass; absent: the cluster's default runtime */
  readonly runtimeClass?: string;
  /**
   * whether the pod has the users of its node. False gives it a user namespace: who gets out of the container is nobody
   * there. Absent: as the cluster has it
   */
  readonly hostUsers?: boolean;
}

const KNOWN_LABELS = new Set([...Object.keys(commonLabels('')), OWNER_LABEL, ...JOB_LABELS]);

/**
 * The one shape of a sandbox's pod. A ValidatingAdmissionPolicy of the chart admits this shape alone in the sandboxes'
 * namespace. It is made from what this function returns: after a change, `node tools/with-node.mjs
 * tools/src/chart/main.ts` makes it anew.
 *
 * INVARIANT (restricted): PodSecurity `restricted` accepts it. No token, no host namespace, no privilege, no
 * capability, no volume but memory.
 * INVARIANT (no names): no resolver is configured that answers, and no service's address is in the environment but the
 * API server's own, which the kubelet always sets.
 */
export function podOf(options: PodOptions): V1Pod {
  const { name, namespace, labels, owner } = options;
  const unknown = Object.keys(labels).find((label) => !KNOWN_LABELS.has(label));
  if (unknown !== undefined)
    throw new Error(
      `a sandbox has no label \`${unknown}\`: ` +
        `the admission policy of the chart knows ${[...KNOWN_LABELS].join(', ')}; ` +
        'add it to `JOB_LABELS`, and make the chart anew',
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

/** What of the shape doesn't say whose it is. */
type SpecOptions = Pick<PodOptions, 'image' | 'size' | 'refusedAt' | 'runtimeClass' | 'hostUsers'>;

/** The part of the shape that a template can hold. */
export function specOf(options: SpecOptions): V1PodSpec {
  const { size, runtimeClass, hostUsers } = options;
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    // Process 1 is then the runtime's pause program, which reaps what a job leaves behind.
    shareProcessNamespace: true,
    hostNetwork: false,
    hostPID: false,
    hostIPC: false,
    ...(hostUsers === undefined ? {} : { hostUsers }),
    dnsPolicy: 'None',
    // One must be named; nobody listens there.
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

/** Processes and threads (`pids`) are the kubelet's to bound (`podPidsLimit`): a pod can't ask for it. */
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
