// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { ImageError } from '@writ/sandbox/images';
import { EngineTimeout } from '@writ/sandbox-host';
import { isEngineReachable, requestEngine } from '../engine-requests.ts';

/** How often the engine measures a build. What a disk takes in this time can exceed the bound. In milliseconds. */
const LOOK_MS = 1_000;

export interface BuildBound {
  /** of the image that the build began with */
  readonly baseBytes: number;
  /** of the result with all its layers */
  readonly bytesMax: number;
}

/**
 * Measures the files of a build until the signal aborts. It never resolves, so that a race with the build ends with the
 * build. Rejects with ImageError where the build is larger than its bound or can't be measured, and with the reason of
 * the signal.
 */
export async function boundBuild(
  docker: Docker,
  container: Docker.Container,
  bound: BuildBound,
  signal: AbortSignal,
): Promise<never> {
  const aborted = rejectedBy(signal);
  for (;;) {
    await Promise.race([verifyBuildSize(docker, container, bound), aborted]);
    await Promise.race([sleep(LOOK_MS, undefined, { ref: false }), aborted]);
  }
}

/** @throws ImageError where the build is larger than its bound, or its files can't be measured in time */
export async function verifyBuildSize(
  docker: Docker,
  container: Docker.Container,
  { baseBytes, bytesMax }: BuildBound,
): Promise<void> {
  const size = baseBytes + (await writtenBytes(docker, container));
  if (size > bytesMax) throw new ImageError(`the build has ${size} bytes, and an image may have ${bytesMax}`);
}

/** The bytes that a container's processes have written to its root. */
async function writtenBytes(docker: Docker, container: Docker.Container): Promise<number> {
  try {
    // The client's types lack the option and its answer.
    const options = { size: true } as Docker.ContainerInspectOptions;
    const asked = container.inspect(options) as Promise<{ readonly SizeRw?: number }>;
    const { SizeRw } = await requestEngine(docker, 'measure a container', asked);
    if (SizeRw === undefined) throw new Error('the engine does not tell the size of a container');
    return SizeRw;
  } catch (error) {
    // An engine that answers takes that long only for more files than an image has.
    if (error instanceof EngineTimeout && (await isEngineReachable(docker)))
      throw new ImageError('the build has more files than can be measured in time', { cause: error });
    throw error;
  }
}

/** Rejects as soon as the signal aborts, with its reason. */
export async function rejectedBy(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return await promise;
}
