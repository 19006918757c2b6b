// SPDX-License-Identifier: Apache-2.0
// The shape of a sandbox's pod as rules of an admission policy: what the driver makes, and nothing else.
import type { V1Pod, V1Volume } from '@kubernetes/client-node';
import { REFUSED_AT_MAX, SANDBOX_LABELS } from '@writ/sandbox';
import { OWNER_LABEL } from '@writ/sandbox-k8s';
import { cel } from './cel.ts';
import { CLUSTER_SPEC, clusterValidations } from './cluster-rules.ts';
import { driverContainer, largestPod, pinsOf, type SizeMax } from './driver-pod.ts';
import { closed, Expression, joined, type Rules, type Validation } from './rules.ts';

/** Placeholders in the files: the template replaces them with values, as JSON. */
export const VALUES = {
  account: '__ACCOUNT__',
  maker: '__MAKER__',
  release: '__RELEASE__',
  images: '__IMAGES__',
  runtimeClass: '__RUNTIME_CLASS__',
  hostUsers: '__HOST_USERS__',
  addedLabels: '__ADDED_LABELS__',
  addedAnnotations: '__ADDED_ANNOTATIONS__',
  addedNodeSelector: '__ADDED_NODE_SELECTOR__',
  addedTolerations: '__ADDED_TOLERATIONS__',
  priorityClass: '__PRIORITY_CLASS__',
} as const;

/** Metadata that only the API server sets. */
export const SERVER_METADATA = [
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'uid',
];

/** Defaults of the API server. */
const DEFAULT_SPEC = { schedulerName: 'default-scheduler', serviceAccount: 'default', serviceAccountName: 'default' };
const DEFAULT_CONTAINER = { terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' };

/** Fields of the driver that differ from pod to pod. */
const FREE_METADATA = ['labels', 'name', 'namespace', 'ownerReferences'];
const FREE_LABELS = [OWNER_LABEL];
const FREE_OWNER = ['name', 'uid'];
const FREE_SPEC = ['containers', 'volumes'];
const FREE_CONTAINER = ['args', 'image', 'imagePullPolicy', 'resources'];

/** The agent's option. */
const REFUSED_AT = String.raw`r'^--refused-at=(\[[0-9a-fA-F:.]+\]|[0-9.]+):[0-9]{1,5}$'`;

const CONTAINER = 'variables.container';

/** The creator of a pod, as the rules recognise it. */
export interface Origin {
  /** the users that create pods, and that change their metadata */
  readonly who: Validation;
  readonly oneOwner: Validation;
  /** fields of the owner with one value; name and uid may have any */
  readonly owner: Readonly<Record<string, unknown>>;
  /** labels that are required with one value, and others that are allowed */
  readonly labels: {
    readonly pins: Readonly<Record<string, unknown>>;
    readonly free: readonly string[];
    readonly more: string;
  };
  /** the object whose name is the pod's */
  readonly name: Validation;
  readonly args: Validation;
  /** annotations that the creator sets */
  readonly annotations: readonly string[];
}

/** @throws Error where the driver makes something that these rules can't bound */
export function podRules(max: SizeMax): Rules {
  const pod = largestPod(max);
  const { metadata = {} } = pod;
  return rulesOf(pod, {
    who: WHO,
    oneOwner: ONE_OWNER,
    owner: pinsOf(metadata.ownerReferences?.[0] ?? {}, FREE_OWNER),
    labels: {
      pins: pinsOf(metadata.labels ?? {}, FREE_LABELS),
      free: [...FREE_LABELS, ...SANDBOX_LABELS],
      more: 'variables.addedLabels',
    },
    name: NAME,
    args: argsRule(pod),
    annotations: [],
  });
}

/** The rules of every pod, and those of its creator. */
export function rulesOf(pod: V1Pod, { who, oneOwner, owner, labels, name, args, annotations }: Origin): Rules {
  const { spec = { containers: [] } } = pod;
  return joined([
    VARIABLES,
    { variables: [], validations: [who, ONE_CONTAINER, oneOwner] },
    closed({
      variable: 'metadata',
      place: 'metadata',
      pins: {},
      free: [...FREE_METADATA, 'annotations', ...SERVER_METADATA],
    }),
    closed({
      variable: 'labels',
      place: 'metadata.labels',
      pins: { ...labels.pins, writ: new Expression('variables.release') },
      free: labels.free,
      more: labels.more,
    }),
    closed({ variable: 'owner', place: 'metadata.ownerReferences[0]', pins: owner, free: FREE_OWNER }),
    closed({
      variable: 'spec',
      place: 'spec',
      pins: { ...pinsOf(spec, FREE_SPEC), ...DEFAULT_SPEC },
      free: [...FREE_SPEC, ...CLUSTER_SPEC],
    }),
    closed({
      variable: 'container',
      place: 'spec.containers[0]',
      pins: { ...pinsOf(driverContainer(pod), FREE_CONTAINER), ...DEFAULT_CONTAINER },
      free: FREE_CONTAINER,
    }),
    resourceRules(pod),
    { variables: [], validations: [name, IMAGE, pullRule(pod), args, volumesRule(pod)] },
    { variables: [], validations: clusterValidations(spec.activeDeadlineSeconds ?? 0, annotations) },
  ]);
}

const VARIABLES: Rules = {
  variables: [
    ...Object.entries(VALUES).map(([name, expression]) => ({ name, expression })),
    // Objects are typed when a policy is checked, and maps when it runs: `dyn` lets a rule iterate over their fields.
    { name: 'metadata', expression: 'dyn(object.metadata)' },
    { name: 'labels', expression: 'dyn(object.metadata.?labels.orValue({}))' },
    { name: 'owner', expression: 'dyn(object.metadata.ownerReferences[0])' },
    { name: 'spec', expression: 'dyn(object.spec)' },
    { name: 'tolerations', expression: 'dyn(object.spec.?tolerations.orValue([]))' },
    { name: 'container', expression: 'dyn(object.spec.containers[0])' },
  ],
  validations: [],
};

const WHO: Validation = {
  expression: "(request.operation == 'CREATE') == (request.userInfo.username == variables.account)",
  message: 'only the executor makes pods here, and it changes none',
};

const ONE_CONTAINER: Validation = {
  expression: 'object.spec.containers.size() == 1',
  message: 'the driver makes pods of one container',
};

const ONE_OWNER: Validation = {
  expression: 'object.metadata.?ownerReferences.orValue([]).size() == 1',
  message: 'the driver makes pods of one owner, the Lease of its executor',
};

const NAME: Validation = {
  expression:
    `'${OWNER_LABEL}' in variables.labels\n` +
    "&& variables.metadata.name.matches('^writ-[a-z0-9-]{1,40}-[0-9a-f]{10}$')\n" +
    "&& variables.metadata.name.startsWith(variables.owner.name + '-')",
  message: 'the driver names a pod after its Lease, and labels it with the owner of both',
};

const IMAGE: Validation = {
  expression: `${CONTAINER}.image in variables.images`,
  message: 'a sandbox runs an image of the list',
  messageExpression: "'a sandbox runs an image of the list: ' + variables.images.join(', ')",
};

/** A cluster may change it to `Always`, so that the registry checks the pull credentials. */
const pullRule = (pod: V1Pod): Validation => ({
  expression: `${CONTAINER}.?imagePullPolicy.orValue('') in ${cel([driverContainer(pod).imagePullPolicy, 'Always'])}`,
  message: 'the driver sets another spec.containers[0].imagePullPolicy',
});

/** The agent's options, and addresses that must refuse it: without one it would greet an open network. */
function argsRule(pod: V1Pod): Validation {
  const args = driverContainer(pod).args ?? [];
  const given = `${CONTAINER}.?args.orValue([])`;
  return {
    expression: [
      `${given}.size() > ${args.length} && ${given}.size() <= ${args.length + REFUSED_AT_MAX}`,
      ...args.map((arg, at) => `${CONTAINER}.args[${at}] == ${cel(arg)}`),
      `${given}.filter(a, a.matches(${REFUSED_AT})).size() == ${given}.size() - ${args.length}`,
    ].join('\n&& '),
    message: 'the driver sets other spec.containers[0].args',
  };
}

/**
 * At most the driver's amount, and above 0 where the driver's is: a limit of 0 means no limit to a kubelet, and adds
 * nothing to a quota.
 */
const isWithin = (quantity: string, max: string): string =>
  `quantity(${quantity}).compareTo(quantity(${max})) <= 0\n` +
  `&& quantity(${quantity}).isGreaterThan(quantity('0')) == quantity(${max}).isGreaterThan(quantity('0'))`;

/** At most the largest sandbox's amount of each resource, and no other resource. */
function resourceRules(pod: V1Pod): Rules {
  const resources = driverContainer(pod).resources ?? {};
  const of = (kind: string): string => `${CONTAINER}.resources[${kind}]`;
  return {
    variables: [{ name: 'resourcesMax', expression: cel(resources) }],
    validations: [
      {
        expression:
          `${CONTAINER}.resources.all(kind, kind in variables.resourcesMax)\n` +
          `&& variables.resourcesMax.all(kind, kind in ${CONTAINER}.resources\n` +
          `&& ${of('kind')}.all(name, name in variables.resourcesMax[kind])\n` +
          `&& variables.resourcesMax[kind].all(name, name in ${of('kind')}\n` +
          `&& ${isWithin(`${of('kind')}[name]`, 'variables.resourcesMax[kind][name]')}))`,
        message: 'the driver sets other spec.containers[0].resources, or smaller ones above 0',
      },
    ],
  };
}

/** Folders in memory, each with a size limit. */
function volumesRule({ spec }: V1Pod): Validation {
  const volumes = spec?.volumes ?? [];
  const [sizeMax] = volumes.map(({ emptyDir }) => emptyDir?.sizeLimit ?? '');
  const known = volumes.map(({ name }): V1Volume => ({
    name,
    emptyDir: { medium: 'Memory', sizeLimit: sizeMax ?? '' },
  }));
  if (JSON.stringify(known) !== JSON.stringify(volumes))
    throw new Error(
      "the driver's volumes aren't all folders of memory: teach the admission policy of the chart of them",
    );
  return {
    expression:
      `variables.spec.?volumes.orValue([]).map(v, v.name) == ${cel(volumes.map(({ name }) => name))}\n` +
      '&& variables.spec.volumes.all(v, v.size() == 2 && has(v.emptyDir) && v.emptyDir.size() == 2\n' +
      "&& v.emptyDir.?medium.orValue('') == 'Memory'\n" +
      `&& has(v.emptyDir.sizeLimit) && ${isWithin('v.emptyDir.sizeLimit', cel(sizeMax))})`,
    message: 'the driver sets other spec.volumes, or smaller ones above 0',
  };
}
