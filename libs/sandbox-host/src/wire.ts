// SPDX-License-Identifier: Apache-2.0
import type { Writable } from 'node:stream';

/** Receives the bytes of a wire. */
export interface WireListener {
  /** Attacker-controlled: bytes that the agent, or its job in its place, writes to its standard output. */
  stdout(bytes: Buffer): void;
  /** The same for its error stream. */
  stderr(bytes: Buffer): void;
  /** The stream is over; MUST be the last call; later ones have no effect. */
  closed(error: Error | null): void;
}

/** The connection to the agent of one container, whatever carries its three streams. */
export interface Wire {
  /** the agent's input; MUST show by `writableNeedDrain` when it is full */
  readonly input: Writable;
  /** Starts to deliver bytes to the listener. Called once, before anything arrives. */
  listen(listener: WireListener): void;
  /**
   * Stops reading until `resume`: the agent then waits as at a full pipe. Bytes that were read before are still
   * delivered.
   */
  pause(): void;
  resume(): void;
  /** Breaks the connection in both directions. */
  destroy(): void;
}
