// SPDX-License-Identifier: Apache-2.0
// The chart's files with the rules of its admission policies.
import { join } from 'node:path';
import { SANDBOX_LIMITS } from '@writ/contract';
import { claimedPodRules } from './claimed-pod-rules.ts';
import { leaseRules } from './lease-rules.ts';
import { podRules } from './pod-rules.ts';
import { policyText } from './rules.ts';

/** Every runner requests one processor, whatever a call may use. */
const CPUS = 1;

/** Files of the chart by name. */
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

/** The runners' request. Imported by path: no tool depends on an app, and this only reads a number. */
async function tmpfsBytesMax(checkout: string): Promise<number> {
  const path = join(checkout, 'apps/executor/src/runners/container-capacity.ts');
  return ((await import(path)) as { CONTAINER_TMPFS_BYTES: number }).CONTAINER_TMPFS_BYTES;
}
