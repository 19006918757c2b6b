// SPDX-License-Identifier: Apache-2.0
// What the cluster itself may set in a sandbox's pod: its scheduler, its admission plugins, and the additions that the
// values of the release name.
import { cel } from './cel.ts';
import type { Validation } from './rules.ts';

/** Fields of a pod that only the cluster sets. */
export const CLUSTER_SPEC = [
  'hostUsers',
  'nodeName',
  'nodeSelector',
  'overhead',
  'preemptionPolicy',
  'priority',
  'priorityClassName',
  'runtimeClassName',
  'tolerations',
];

/** How long a pod stays bound to a lost node: every cluster adds it, with its own time. */
const GONE_NODES = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** The advice for an operator whose cluster does so. */
const addedBy = (value: string): string =>
  `name what your cluster adds by itself in \`sandbox.admissionPolicy.added.${value}\``;

/**
 * @param lifeSeconds the longest life of a sandbox: no toleration may last longer
 * @param annotations set by the creator of a pod
 */
export const clusterValidations = (lifeSeconds: number, annotations: readonly string[]): readonly Validation[] => [
  {
    // Later a pod gets annotations of the cluster's network and of other components; by then its network is chosen.
    expression:
      "request.operation != 'CREATE'\n" +
      '|| dyn(variables.metadata.?annotations.orValue({}))' +
      `.all(k, k in ${annotations.length === 0 ? '' : `${cel(annotations)} + `}variables.addedAnnotations)`,
    message: `the driver sets no metadata.annotations; ${addedBy('annotations')}`,
  },
  {
    expression: "variables.spec.?runtimeClassName.orValue('') == variables.runtimeClass",
    message: 'a sandbox runs in the runtime class of the release',
  },
  {
    // A cluster without user namespaces drops the field: then no pod is admitted where the release requires one.
    expression:
      "variables.hostUsers == 'false' ? variables.spec.?hostUsers.orValue(true) == false\n" +
      ": !has(variables.spec.hostUsers) || variables.hostUsers == 'true' && variables.spec.hostUsers == true",
    message: 'a sandbox has the users that the release says: `sandbox.hostUsers`',
  },
  {
    // The plugin of runtime classes refuses any overhead but the class's own.
    expression: "!has(variables.spec.overhead) || variables.runtimeClass != ''",
    message: 'the driver sets no spec.overhead',
  },
  {
    // A pod with a node name bypasses the scheduler.
    expression: "!has(variables.spec.nodeName) || request.operation != 'CREATE'",
    message: 'the driver sets no spec.nodeName',
  },
  {
    expression: 'variables.spec.?nodeSelector.orValue({}) == variables.addedNodeSelector',
    message: `the driver sets no spec.nodeSelector; ${addedBy('nodeSelector')}`,
  },
  {
    expression:
      'variables.tolerations.size() <= variables.addedTolerations.size() + 2\n' +
      '&& variables.tolerations.all(t, t in variables.addedTolerations\n' +
      `|| t.size() == 4 && t.?key.orValue('') in ${cel(GONE_NODES)} && t.?operator.orValue('') == 'Exists'\n` +
      `&& t.?effect.orValue('') == 'NoExecute' && t.?tolerationSeconds.orValue(${lifeSeconds + 1}) <= ${lifeSeconds})`,
    message: `the driver sets no spec.tolerations; ${addedBy('tolerations')}`,
  },
  {
    expression:
      "variables.spec.?priorityClassName.orValue('') == variables.priorityClass\n" +
      "&& (variables.priorityClass != '' || variables.spec.?priority.orValue(0) == 0\n" +
      "&& variables.spec.?preemptionPolicy.orValue('PreemptLowerPriority') == 'PreemptLowerPriority')",
    message: `the driver sets no spec.priorityClassName and no priority; ${addedBy('priorityClassName')}`,
  },
];
