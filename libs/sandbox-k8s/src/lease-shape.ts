// SPDX-License-Identifier: Apache-2.0
import type { V1Lease, V1MicroTime } from '@kubernetes/client-node';

/** Seconds without a renewal after which the executor counts as dead, and its pods as ownerless. */
export const LEASE_S = 40;

export interface LeaseShape {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** its holder, shown to operators */
  readonly holder: string;
  readonly now: Date;
}

/**
 * The only shape of an executor's Lease. A ValidatingAdmissionPolicy of the chart is generated from it, as for a pod.
 */
export function leaseOf({ name, namespace, labels, holder, now }: LeaseShape): V1Lease {
  // Microseconds, as the field's type requires. The client's model says `Date`; the request needs a string.
  const renewTime = now.toISOString().replace('Z', '000Z') as unknown as V1MicroTime;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace, labels: { ...labels } },
    spec: { holderIdentity: holder, leaseDurationSeconds: LEASE_S, renewTime },
  };
}
