// SPDX-License-Identifier: Apache-2.0
import type { Writable } from 'node:stream';

/** Who hears what comes over a wire. */
export interface WireListener {
  /** Attacker-controlled: what the agent, or its job in its place, writes to its standard output. */
  stdout(bytes: Buffer): void;
  /** The same of its error stream. */
  stderr(bytes: Buffer): void;
  /** The stream is over; MUST be the last call that counts. */
  closed(error: Error | null): void;
}

/** The way to the agent of one container, whatever carries its three streams. */
export interface Wire {
  /** what the agent reads; MUST say by `writableNeedDrain` when it holds enough */
  readonly input: Writable;
  /** Begins to hear. Called once, before anything comes. */
  hear(listener: WireListener): void;
  /**
   * Reads nothing more until `resume`: the agent then waits as at a full pipe. What was read already is still heard.
   */
  pause(): void;
  resume(): void;
  /** Breaks the connection in both directions. */
  destroy(): void;
}
