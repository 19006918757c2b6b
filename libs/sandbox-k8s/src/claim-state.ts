// SPDX-License-Identifier: Apache-2.0
import { wordsOf } from './pod-state.ts';

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** A SandboxClaim of agent-sandbox, as far as it is read. */
export interface SandboxClaim {
  readonly metadata?: { readonly name?: string; readonly resourceVersion?: string };
  readonly status?: { readonly conditions?: readonly Condition[]; readonly sandbox?: { readonly name?: string } };
}

/** What is asked of a claim's status. */
export interface ClaimState {
  readonly name: string;
  /** the Sandbox that it has, whose pod is called the same; null before */
  readonly sandbox: string | null;
  /** why it can't get one: for operators; null while it may */
  readonly failure: string | null;
  /** why it waits, where the controller says it */
  readonly waitsFor: string | null;
}

/** What a claim waits for in vain: the controller tries again, and a call doesn't wait for somebody to mend it. */
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
