// SPDX-License-Identifier: Apache-2.0
//
// Decides when a process may start during a rollout. INVARIANT (no conflict): no process starts while an incompatible
// one runs. A server is updated before its clients, so a process needs every pod of an earlier component to have its
// version or a newer one. During a rollback every pod of a later component must have its version or an older one.
import { compareVersions } from './version.ts';

/** The last answer of a pod. */
export type PodAnswer =
  /** It runs this version; empty where it reports none. */
  | { readonly kind: 'runs'; readonly version: string }
  /** It waits at its own gate and runs nothing yet. */
  | { readonly kind: 'waits' }
  /** It has not answered for so many milliseconds. */
  | { readonly kind: 'silent'; readonly sinceMs: number };

export interface QueriedPod {
  readonly component: string;
  readonly side: 'earlier' | 'later';
  readonly address: string;
  readonly answer: PodAnswer;
}

export interface StartingProcess {
  /** The version of the process that wants to start. */
  readonly version: string;
  /** Milliseconds after which a pod that doesn't answer no longer delays others. */
  readonly silentMs: number;
}

const name = ({ component, address }: QueriedPod): string => `${component} at ${address}`;

function reasonOf(pod: QueriedPod, { version, silentMs }: StartingProcess): string | null {
  const { answer, side } = pod;
  if (answer.kind === 'waits') return null;
  if (answer.kind === 'silent') return answer.sinceMs < silentMs ? `${name(pod)} doesn't answer` : null;
  const order = compareVersions(answer.version, version);
  if (side === 'earlier' ? order >= 0 : order <= 0) return null;
  return `${name(pod)} runs ${answer.version === '' ? 'an unknown version' : answer.version}`;
}

/** Why the process has to wait: a line for each pod that delays it. Empty: it may start. */
export const reasonsToWait = (pods: readonly QueriedPod[], process: StartingProcess): string[] =>
  pods.flatMap((pod) => reasonOf(pod, process) ?? []);
