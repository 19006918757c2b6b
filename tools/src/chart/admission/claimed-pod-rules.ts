// SPDX-License-Identifier: Apache-2.0
// The same shape where the controller of agent-sandbox makes the pods of sandboxes: another maker, owner and name, and
// the metadata that it sets. All else is as of a pod that the driver makes.
import { commonLabels, SANDBOX_GROUP, SANDBOX_VERSION } from '@writ/sandbox-k8s';
import { cel } from './cel.ts';
import { driverContainer, largestPod, type SizeMax } from './driver-pod.ts';
import { rulesOf } from './pod-rules.ts';
import type { Rules } from './rules.ts';

/** The prefix of the controller's own labels and annotations. It lets no template or claim set one. */
const OWN = `${SANDBOX_GROUP}/`;
/** Annotations that it sets in a new pod: which metadata is a template's, and that a pod that waits may be evicted. */
const ANNOTATIONS = [
  `${OWN}propagated-annotations`,
  `${OWN}propagated-labels`,
  'cluster-autoscaler.kubernetes.io/safe-to-evict',
];

/** @throws Error where the driver makes what these rules don't know how to bound */
export function claimedPodRules(max: SizeMax): Rules {
  const pod = largestPod(max);
  const args = driverContainer(pod).args ?? [];
  return rulesOf(pod, {
    who: {
      // It labels a pod anew when the pod's Sandbox is claimed.
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
      // What must refuse the pod, an executor tells its agent before it greets it.
      expression: `variables.container.?args.orValue([]) == ${cel(args)}`,
      message: 'the driver sets other spec.containers[0].args in a template',
    },
    annotations: ANNOTATIONS,
  });
}
