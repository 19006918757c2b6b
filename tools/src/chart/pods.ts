// SPDX-License-Identifier: Apache-2.0
// The pods in rendered objects, and their violations of Kubernetes' security standard `restricted`.
import type { KubeObject, Labels } from './render.ts';

export interface EnvVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: unknown;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvVariable[] | null;
  readonly ports?: readonly { readonly name: string; readonly containerPort: number; readonly hostPort?: number }[];
  readonly resources?: { readonly requests?: Labels; readonly limits?: Labels };
  readonly securityContext?: SecurityContext;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly startupProbe?: unknown;
  readonly readinessProbe?: unknown;
  readonly livenessProbe?: unknown;
  readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds: number } } };
}

interface SecurityContext {
  readonly privileged?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly procMount?: string;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  readonly seccompProfile?: { readonly type: string };
}

export type Volume = { readonly name: string } & Readonly<Record<string, unknown>>;

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext?: SecurityContext & { readonly fsGroup?: number; readonly runAsGroup?: number };
  readonly volumes?: readonly Volume[];
  readonly topologySpreadConstraints?: readonly unknown[];
}

export interface Pod {
  /** `Deployment/w-writ-kernel` */
  readonly owner: string;
  /** Its component of Writ. */
  readonly component: string;
  readonly labels: Labels;
  readonly spec: PodSpec;
}

interface Template {
  readonly metadata: { readonly labels?: Labels };
  readonly spec: PodSpec;
}

const COMPONENT = 'app.kubernetes.io/component';

/** The object itself where it is a pod, or the pod template of a workload, a Job or a CronJob. */
function templateOf(object: KubeObject): Template | undefined {
  if (object.kind === 'Pod') return object as unknown as Template;
  const spec = object['spec'] as { template?: Template; jobTemplate?: { spec: { template: Template } } } | undefined;
  return spec?.jobTemplate?.spec.template ?? spec?.template;
}

/** Every pod in the objects, by itself or in a workload. */
export function podsOf(objects: readonly KubeObject[]): Pod[] {
  return objects.flatMap((object) => {
    const own = templateOf(object);
    if (own === undefined || !Array.isArray(own.spec?.containers)) return [];
    const labels = own.metadata.labels ?? {};
    return [
      { owner: `${object.kind}/${object.metadata.name}`, component: labels[COMPONENT] ?? '', labels, spec: own.spec },
    ];
  });
}

export const containersOf = ({ spec }: Pod): Container[] => [...spec.containers, ...(spec.initContainers ?? [])];

/** Kinds of volumes that `restricted` admits. */
const VOLUMES = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

const containerProblems = ({ securityContext: own = {}, ports = [] }: Container, pod: SecurityContext): string[] => [
  ...(own.privileged === true ? ['is privileged'] : []),
  ...(own.allowPrivilegeEscalation === false ? [] : ['may gain privileges']),
  ...(own.capabilities?.drop?.includes('ALL') === true ? [] : ['keeps capabilities']),
  ...((own.capabilities?.add ?? []).every((name) => name === 'NET_BIND_SERVICE') ? [] : ['adds capabilities']),
  ...((own.runAsNonRoot ?? pod.runAsNonRoot) === true ? [] : ['may run as root']),
  ...((own.runAsUser ?? pod.runAsUser) === 0 ? ['runs as root'] : []),
  ...(['RuntimeDefault', 'Localhost'].includes((own.seccompProfile ?? pod.seccompProfile)?.type ?? '')
    ? []
    : ['has no seccomp profile']),
  ...((own.procMount ?? 'Default') === 'Default' ? [] : ['sees more of /proc']),
  ...(ports.some(({ hostPort }) => hostPort !== undefined) ? ['takes a port of the node'] : []),
];

/**
 * The violations of PodSecurity's profile `restricted` (version 1.35) in a Linux pod; empty for an admitted one. This
 * chart can't set fields of AppArmor, SELinux and sysctls, so any of them is a finding.
 */
export function restrictedProblems({ spec }: { readonly spec: PodSpec }): string[] {
  const context = spec.securityContext ?? {};
  const known = new Set([
    'runAsNonRoot',
    'runAsUser',
    'runAsGroup',
    'fsGroup',
    'fsGroupChangePolicy',
    'seccompProfile',
  ]);
  return [
    ...(spec.hostNetwork === true || spec.hostPID === true || spec.hostIPC === true
      ? ['the pod shares a namespace of its node']
      : []),
    ...Object.keys(context)
      .filter((name) => !known.has(name))
      .map((name) => `the pod sets ${name}`),
    ...(spec.volumes ?? [])
      .filter((volume) => !Object.keys(volume).some((kind) => VOLUMES.has(kind)))
      .map(({ name }) => `volume ${name} is of a kind that isn't admitted`),
    ...[...spec.containers, ...(spec.initContainers ?? [])].flatMap((container) =>
      containerProblems(container, context).map((problem) => `container ${container.name} ${problem}`),
    ),
  ];
}
