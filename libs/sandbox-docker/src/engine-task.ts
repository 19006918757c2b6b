// SPDX-License-Identifier: Apache-2.0
import type Docker from 'dockerode';

/** A line of the engine's progress. */
export interface EngineProgress {
  readonly error?: string;
  readonly status?: string;
  readonly id?: string;
  readonly progress?: string;
}

/**
 * Resolves when the engine has finished the task whose progress it sends. It answers 200 before it starts, so that a
 * failure is a line of the answer, which dockerode passes on as any other.
 *
 * @param onProgress is called with each line as it comes
 * @throws Error of the connection; or one with the engine's words and without a `code`
 */
export const engineTask = (
  docker: Docker,
  stream: NodeJS.ReadableStream,
  onProgress: (line: EngineProgress) => void = () => undefined,
): Promise<void> =>
  new Promise((resolve, reject) => {
    docker.modem.followProgress(
      stream,
      (error: Error | null, lines: readonly EngineProgress[] | null) => {
        const failure = lines?.find((line) => line.error !== undefined)?.error;
        if (error !== null) reject(error);
        else if (failure !== undefined) reject(new Error(failure.trim()));
        else resolve();
      },
      onProgress,
    );
  });
