// SPDX-License-Identifier: Apache-2.0
import type { V1Pod } from '@kubernetes/client-node';
import { CONTAINER } from './pod-shape.ts';

/** The parts of a pod's status that matter here. */
export interface PodState {
  readonly name: string;
  /** its container runs */
  readonly isRunning: boolean;
  /** why it can't run, or how it ended: for operators; null in other states */
  readonly failure: string | null;
  /** the image is the cause of the failure: nodes can't pull it */
  readonly isImageFailure: boolean;
  readonly ranOutOfMemory: boolean;
  /** the runtime's name for the running image, which may end with a digest; `''` before */
  readonly imageId: string;
  /** why it waits, where the scheduler or the kubelet gives a reason */
  readonly waitsFor: string | null;
}

/** The kubelet's reason for a container that the kernel killed for lack of memory. */
const OUT_OF_MEMORY = 'OOMKilled';
/** Reasons that only a person can resolve: the kubelet retries, and a call doesn't wait for that. */
const NO_IMAGE: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
  'ImageInspectError',
]);
const HOPELESS: ReadonlySet<string> = new Set([
  ...NO_IMAGE,
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
]);

export function stateOf({ metadata, status }: V1Pod): PodState {
  const container = status?.containerStatuses?.find(({ name }) => name === CONTAINER);
  const { running, terminated, waiting } = container?.state ?? {};
  const unscheduled = status?.conditions?.find(
    ({ type, status: holds }) => type === 'PodScheduled' && holds === 'False',
  );
  return {
    name: metadata?.name ?? '',
    isRunning: running !== undefined && metadata?.deletionTimestamp === undefined,
    failure: failureOf(status?.phase, [status, terminated, waiting]),
    isImageFailure: NO_IMAGE.has(waiting?.reason ?? ''),
    ranOutOfMemory: terminated?.reason === OUT_OF_MEMORY || container?.lastState?.terminated?.reason === OUT_OF_MEMORY,
    imageId: container?.imageID ?? '',
    waitsFor: wordsOf(waiting) ?? wordsOf(unscheduled),
  };
}

type Reasoned = { readonly reason?: string; readonly message?: string } | undefined;

function failureOf(
  phase: string | undefined,
  [pod, terminated, waiting]: readonly [Reasoned, Reasoned, Reasoned],
): string | null {
  if (waiting?.reason !== undefined && HOPELESS.has(waiting.reason)) return wordsOf(waiting);
  if (terminated === undefined && phase !== 'Failed' && phase !== 'Succeeded') return null;
  return wordsOf(pod) ?? wordsOf(terminated) ?? 'the pod has ended';
}

/** A text for operators: short, and without control characters. */
export function wordsOf(reasoned: Reasoned): string | null {
  if (reasoned?.reason === undefined && reasoned?.message === undefined) return null;
  return [reasoned.reason, reasoned.message]
    .filter((each) => each !== undefined && each !== '')
    .join(': ')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .slice(0, 500);
}
