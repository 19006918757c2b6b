// SPDX-License-Identifier: Apache-2.0
// The files of the chart that hold what its admission policies admit.
import { join } from 'node:path';
import { SANDBOX_LIMITS } from '@writ/contract';
import { claimedPodRules } from './claimed-pod-rules.ts';
import { leaseRules } from './lease-rules.ts';
import { podRules } from './pod-rules.ts';
import { policyText } from './rules.ts';

/** Every runner asks for one processor, whatever a call may use of it. */
const CPUS = 1;

/** Files of the chart by their names. */
export async function admissionFiles(checkout: string): Promise<Readonly<Record<string, string>>> {
  const max = { cpus: CPUS, memoryBytes: SANDBOX_LIMITS.memory_bytes, tmpfsBytes: await tmpfsBytesMax(checkout) };
  return {
    'files/sandbox-pods.yaml': policyText('What a pod in the namespace of sandboxes may be.', podRules(max)),
    'files/claimed-pods.yaml': policyText(
      'What a pod in the namespace of sandboxes may be where agent-sandbox makes them.',
      claimedPodRules(max),
    ),
    'files/sandbox-leases.yaml': policyText('What a Lease in the namespace of sandboxes may be.', leaseRules()),
  };
}

/** What runners ask for. By path: no tool depends on an app, and this one only reads a number. */
async function tmpfsBytesMax(checkout: string): Promise<number> {
  const path = join(checkout, 'apps/executor/src/runners/container-room.ts');
  return ((await import(path)) as { CONTAINER_TMPFS_BYTES: number }).CONTAINER_TMPFS_BYTES;
}
