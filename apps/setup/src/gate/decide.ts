// SPDX-License-Identifier: Apache-2.0
//
// When a process may start during a rollout. INVARIANT (no odds): no process starts while one runs that it would be at
// odds with. Whoever is asked is updated before whoever asks, so a process needs every pod of an earlier component to
// have its version or a newer one. On the way back every pod of a later component must have its version or an older
// one.
import { compareVersions } from './version.ts';

/** What a pod answered, when it was asked last. */
export type PodAnswer =
  /** It runs this version; an empty one where it says none. */
  | { readonly kind: 'runs'; readonly version: string }
  /** It is at its own gate, and runs nothing yet. */
  | { readonly kind: 'waits' }
  /** Nothing answers, for so many milliseconds. */
  | { readonly kind: 'silent'; readonly sinceMs: number };

export interface AskedPod {
  readonly component: string;
  readonly side: 'earlier' | 'later';
  readonly address: string;
  readonly answer: PodAnswer;
}

export interface GateTerms {
  /** Of the process that wants to start. */
  readonly version: string;
  /** Milliseconds after which a pod that doesn't answer no longer holds anybody up. */
  readonly silentMs: number;
}

const name = ({ component, address }: AskedPod): string => `${component} at ${address}`;

function reasonOf(pod: AskedPod, { version, silentMs }: GateTerms): string | null {
  const { answer, side } = pod;
  if (answer.kind === 'waits') return null;
  if (answer.kind === 'silent') return answer.sinceMs < silentMs ? `${name(pod)} doesn't answer` : null;
  const order = compareVersions(answer.version, version);
  if (side === 'earlier' ? order >= 0 : order <= 0) return null;
  return `${name(pod)} runs ${answer.version === '' ? 'a version that it does not say' : answer.version}`;
}

/** Why the process has to wait: a line for each pod that holds it up. None: it may start. */
export const reasonsToWait = (pods: readonly AskedPod[], terms: GateTerms): string[] =>
  pods.flatMap((pod) => reasonOf(pod, terms) ?? []);
