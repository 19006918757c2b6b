// SPDX-License-Identifier: Apache-2.0

/** Reads the time. It is both the port and the token by which Nest injects it. */
export abstract class Clock {
  /** Epoch milliseconds, UTC. */
  abstract now(): number;
}

/** The machine's clock. It may jump; leases and expiries follow the database's. */
export class SystemClock extends Clock {
  override now(): number {
    return Date.now();
  }
}
