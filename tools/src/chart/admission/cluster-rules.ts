// SPDX-License-Identifier: Apache-2.0
// What the cluster itself may set in a sandbox's pod: its scheduler, its plugins of admission, and what the values of
// the release say that it adds.
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

/** How long a pod is kept for a node that is gone: every cluster adds it, with a time of its own. */
const GONE_NODES = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** What an operator reads whose cluster does. */
const addedBy = (value: string): string =>
  `name what your cluster adds by itself in \`sandbox.admissionPolicy.added.${value}\``;

/**
 * @param lifeSeconds how long a sandbox lives at most: nothing may be waited for longer
 * @param annotations of whoever makes a pod
 */
export const clusterValidations = (lifeSeconds: number, annotations: readonly string[]): readonly Validation[] => [
  {
    // On its way a pod gets annotations of the cluster's network and of other parts; by then its network is chosen.
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
    // A cluster without user namespaces drops the field: then none is admitted where the release asks for one.
    expression:
      "variables.hostUsers == 'false' ? variables.spec.?hostUsers.orValue(true) == false\n" +
      ": !has(variables.spec.hostUsers) || variables.hostUsers == 'true' && variables.spec.hostUsers == true",
    message: 'a sandbox has the users that the release says: `sandbox.hostUsers`',
  },
  {
    // The plugin of runtime classes refuses any that isn't the class's own.
    expression: "!has(variables.spec.overhead) || variables.runtimeClass != ''",
    message: 'the driver sets no spec.overhead',
  },
  {
    // A pod that names its node passes by the scheduler.
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
