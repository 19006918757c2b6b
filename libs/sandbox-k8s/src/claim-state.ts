// SPDX-License-Identifier: Apache-2.0
import { wordsOf } from './pod-state.ts';

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The fields of agent-sandbox's SandboxClaim that are read. */
export interface SandboxClaim {
  readonly metadata?: { readonly name?: string; readonly resourceVersion?: string };
  readonly status?: { readonly conditions?: readonly Condition[]; readonly sandbox?: { readonly name?: string } };
}

/** The parts of a claim's status that matter here. */
export interface ClaimState {
  readonly name: string;
  /** the Sandbox that it is bound to, whose pod has the same name; null before */
  readonly sandbox: string | null;
  /** why it can't be bound: for operators; null while it may be */
  readonly failure: string | null;
  /** why it waits, where the controller gives a reason */
  readonly waitsFor: string | null;
}

/** Reasons that only a person can resolve: the controller retries, and a call doesn't wait for that. */
const HOPELESS: ReadonlySet<string> = new Set([
  'TemplateNotFound',
  'WarmPoolNotFound',
  'InvalidMetadata',
  'EnvVarsInjectionRejected',
  'VolumeClaimTemplatesError',
  'ClaimExpired',
  'SandboxExpired',
  'SandboxSuspended',
  'PodFailed',
  'PodSucceeded',
]);

export function claimStateOf({ metadata, status }: SandboxClaim): ClaimState {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const words = ready?.status === 'True' ? null : wordsOf(ready);
  return {
    name: metadata?.name ?? '',
    sandbox: status?.sandbox?.name || null,
    failure: HOPELESS.has(ready?.reason ?? '') ? words : null,
    waitsFor: words,
  };
}
