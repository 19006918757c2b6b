// SPDX-License-Identifier: Apache-2.0
import { SHOWN_BYTES_MAX, type ContainerLogs } from '@writ/contract';

/** The end of what came out of one container. */
export interface OutputTail {
  push(bytes: Uint8Array): void;
  /** Nothing is shown from here on: it was given secrets. */
  withhold(): void;
  /** It has ended: nobody looks on any more. */
  close(): void;
}

interface Tail {
  parts: Uint8Array[];
  kept: number;
  total: number;
  withheld: boolean;
}

/** What comes out of the containers that run here, for whoever looks on. Bounded for each of them, and gone with it. */
export class Outputs {
  readonly #tails = new Map<string, Tail>();

  /**
   * @param secrets of the call: where it has any nothing is shown, since what it prints may hold them in any spelling
   */
  open(sandboxId: string, secrets: Readonly<Record<string, string>>): OutputTail {
    const tail: Tail = { parts: [], kept: 0, total: 0, withheld: Object.keys(secrets).length > 0 };
    this.#tails.set(sandboxId, tail);
    return {
      push: (bytes) => add(tail, bytes),
      withhold: () => {
        [tail.parts, tail.kept, tail.withheld] = [[], 0, true];
      },
      // A later attempt of the same call may have taken the place.
      close: () => {
        if (this.#tails.get(sandboxId) === tail) this.#tails.delete(sandboxId);
      },
    };
  }

  /** Null for a container that isn't here. */
  read(sandboxId: string): ContainerLogs | null {
    const tail = this.#tails.get(sandboxId);
    if (!tail) return null;
    const end = Buffer.concat(tail.parts);
    return {
      container_id: sandboxId,
      output: end
        .subarray(Math.max(0, end.length - SHOWN_BYTES_MAX))
        .toString('utf8')
        .replaceAll('\0', '\uFFFD'),
      output_bytes: tail.total,
      withheld: tail.withheld,
    };
  }
}

function add(tail: Tail, bytes: Uint8Array): void {
  tail.total += bytes.length;
  if (tail.withheld) return;
  // A copy: what it is a part of may be much larger.
  const part = Buffer.from(bytes.subarray(Math.max(0, bytes.length - SHOWN_BYTES_MAX)));
  tail.parts.push(part);
  tail.kept += part.length;
  for (
    let first = tail.parts[0];
    first !== undefined && tail.kept - first.length >= SHOWN_BYTES_MAX;
    first = tail.parts[0]
  ) {
    tail.parts.shift();
    tail.kept -= first.length;
  }
}
