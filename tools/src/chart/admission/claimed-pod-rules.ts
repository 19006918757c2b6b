// SPDX-License-Identifier: Apache-2.0
// The same shape for pods that the controller of agent-sandbox makes: another creator, owner and name, and the
// controller's metadata. Everything else is as in the driver's own pods.
import { commonLabels, SANDBOX_GROUP, SANDBOX_VERSION } from '@writ/sandbox-k8s';
import { cel } from './cel.ts';
import { driverContainer, largestPod, type SizeMax } from './driver-pod.ts';
import { rulesOf } from './pod-rules.ts';
import type { Rules } from './rules.ts';

/** The prefix of the controller's own labels and annotations, which a template or claim can't set. */
const OWN = `${SANDBOX_GROUP}/`;
/** Annotations in the controller's new pods: the template's metadata keys, and that a waiting pod may be evicted. */
const ANNOTATIONS = [
  `${OWN}propagated-annotations`,
  `${OWN}propagated-labels`,
  'cluster-autoscaler.kubernetes.io/safe-to-evict',
];

/** @throws Error where the driver makes something that these rules can't bound */
export function claimedPodRules(max: SizeMax): Rules {
  const pod = largestPod(max);
  const args = driverContainer(pod).args ?? [];
  return rulesOf(pod, {
    who: {
      // It adds a label when the pod's Sandbox is claimed.
      expression: "request.operation != 'CREATE' || request.userInfo.username == variables.maker",
      message: 'only the controller of agent-sandbox makes pods here',
    },
    oneOwner: {
      expression: 'object.metadata.?ownerReferences.orValue([]).size() == 1',
      message: 'the controller of agent-sandbox makes pods of one owner, a Sandbox',
    },
    owner: {
      apiVersion: `${SANDBOX_GROUP}/${SANDBOX_VERSION}`,
      kind: 'Sandbox',
      controller: true,
      blockOwnerDeletion: true,
    },
    labels: {
      pins: { ...commonLabels('release') },
      free: [],
      more: `variables.addedLabels + variables.labels.filter(k, k.startsWith(${cel(OWN)}))`,
    },
    name: {
      expression: 'variables.metadata.name == variables.owner.name',
      message: 'the controller of agent-sandbox names a pod after its Sandbox',
    },
    args: {
      // The executor sends the agent the addresses that must be unreachable, before the agent's hello.
      expression: `variables.container.?args.orValue([]) == ${cel(args)}`,
      message: 'the driver sets other spec.containers[0].args in a template',
    },
    annotations: ANNOTATIONS,
  });
}
