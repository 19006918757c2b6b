// SPDX-License-Identifier: Apache-2.0
// A pod and a Lease as the driver makes them, from which the rules derive the common fields.
import type { V1Container, V1Lease, V1Pod } from '@kubernetes/client-node';
import { commonLabels, leaseOf, OWNER_LABEL, podOf } from '@writ/sandbox-k8s';

type Fields = Readonly<Record<string, unknown>>;

/** The maximum size of a sandbox. */
export interface SizeMax {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly tmpfsBytes: number;
}

const LABELS = { ...commonLabels('release'), [OWNER_LABEL]: 'owner' };

/** The largest pod, with only the fields that every pod has. */
export const largestPod = (max: SizeMax): V1Pod =>
  podOf({
    name: 'name',
    namespace: 'namespace',
    image: 'image',
    size: { ...max, pids: 1 },
    labels: LABELS,
    owner: { name: 'lease', uid: 'uid' },
    refusedAt: [],
  });

export const driverLease = (): V1Lease =>
  leaseOf({ name: 'name', namespace: 'namespace', labels: LABELS, holder: 'owner', now: new Date(0) });

/** @throws Error unless the driver makes exactly one container */
export function driverContainer({ spec }: V1Pod): V1Container {
  const [container, ...more] = spec?.containers ?? [];
  if (container === undefined || more.length > 0)
    throw new Error(
      'the driver makes pods of other than one container: teach the admission policy of the chart of them',
    );
  return container;
}

/**
 * Fields that are absent where they are false: the API server drops `false`, and policies don't see it. The driver sets
 * it for readers.
 */
const ABSENT_WHEN_FALSE = new Set(['hostNetwork', 'hostPID', 'hostIPC', 'tty']);

/** Every field that the driver sets, without those that another rule covers. */
export const pinsOf = (object: object, free: readonly string[]): Fields =>
  Object.fromEntries(
    Object.entries(object as Fields).filter(
      ([name, value]) => !free.includes(name) && !(value === false && ABSENT_WHEN_FALSE.has(name)),
    ),
  );
