// SPDX-License-Identifier: Apache-2.0
import type { V1Lease, V1MicroTime } from '@kubernetes/client-node';

/** After so long without renewal the executor counts as dead, and its pods as nobody's, in seconds. */
export const LEASE_S = 40;

export interface LeaseShape {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** who holds it: shown to operators */
  readonly holder: string;
  readonly now: Date;
}

/**
 * The one shape of an executor's Lease. A ValidatingAdmissionPolicy of the chart is made from it, as from a pod's.
 */
export function leaseOf({ name, namespace, labels, holder, now }: LeaseShape): V1Lease {
  // Microseconds, as the field's type wants them. The model of the client says `Date`, the request takes a string.
  const renewTime = now.toISOString().replace('Z', '000Z') as unknown as V1MicroTime;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace, labels: { ...labels } },
    spec: { holderIdentity: holder, leaseDurationSeconds: LEASE_S, renewTime },
  };
}
