// SPDX-License-Identifier: Apache-2.0
import { SHOWN_BYTES_MAX, type ContainerLogs } from '@writ/contract';
import { NewestBytes } from './newest-bytes.ts';

/** The tail of one container's output. */
export interface OutputTail {
  push(bytes: Uint8Array): void;
  /** Shows nothing from now on, since the container was given secrets. */
  withhold(): void;
  /** Removes the tail: the container has ended. */
  close(): void;
}

interface Tail {
  readonly newest: NewestBytes;
  totalBytes: number;
  withheld: boolean;
}

/**
 * The live output of the containers of this executor, for observers. It is bounded for each container, and removed with
 * it.
 */
export class LiveOutputs {
  readonly #tails = new Map<string, Tail>();

  /** @param secrets of the call: if it has any, nothing is shown, since the output may hold them in any encoding */
  open(sandboxId: string, secrets: Readonly<Record<string, string>>): OutputTail {
    const tail: Tail = {
      newest: new NewestBytes(SHOWN_BYTES_MAX),
      totalBytes: 0,
      withheld: Object.keys(secrets).length > 0,
    };
    this.#tails.set(sandboxId, tail);
    return {
      push: (bytes) => add(tail, bytes),
      withhold: () => {
        tail.newest.clear();
        tail.withheld = true;
      },
      // A later attempt of the same call may have replaced the tail.
      close: () => {
        if (this.#tails.get(sandboxId) === tail) this.#tails.delete(sandboxId);
      },
    };
  }

  /** Null for a container that isn't on this executor. */
  read(sandboxId: string): ContainerLogs | null {
    const tail = this.#tails.get(sandboxId);
    if (!tail) return null;
    const end = Buffer.concat(tail.newest.parts);
    return {
      container_id: sandboxId,
      output: end
        .subarray(Math.max(0, end.length - SHOWN_BYTES_MAX))
        .toString('utf8')
        .replaceAll('\0', '\uFFFD'),
      output_bytes: tail.totalBytes,
      withheld: tail.withheld,
    };
  }
}

function add(tail: Tail, bytes: Uint8Array): void {
  tail.totalBytes += bytes.length;
  if (!tail.withheld) tail.newest.push(bytes);
}
