// SPDX-License-Identifier: Apache-2.0
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { Pool } from '@writ/database';
import { setTimeout as sleep } from 'node:timers/promises';

interface Taking {
  start(): Promise<void>;
  stop(): Promise<void>;
}
interface Stopping {
  stopAll(): void;
}
/** `drain`: what can end at once does, and nothing new begins; `close` ends the rest. */
interface Closing {
  drain?(): void;
  close(): Promise<void>;
}

/**
 * Starts taking work when everything is up. At the end it takes nothing new, lets calls finish for a while, gives the
 * rest back for other executors, and leaves no container behind.
 */
export class Lifetime implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #taking: readonly Taking[];
  readonly #running: Stopping;
  readonly #closing: readonly Closing[];
  readonly #pool: Pool;
  readonly #drainMs: number;

  /** @param drainMs for so long calls that run may end by themselves */
  constructor(taking: readonly Taking[], running: Stopping, closing: readonly Closing[], pool: Pool, drainMs: number) {
    this.#taking = taking;
    this.#running = running;
    this.#closing = closing;
    this.#pool = pool;
    this.#drainMs = drainMs;
  }

  async onApplicationBootstrap(): Promise<void> {
    await Promise.all(this.#taking.map((each) => each.start()));
  }

  async onModuleDestroy(): Promise<void> {
    const stopped = Promise.all(this.#taking.map((each) => each.stop()));
    for (const each of this.#closing) each.drain?.();
    await Promise.race([stopped, sleep(this.#drainMs, undefined, { ref: false })]);
    this.#running.stopAll();
    await Promise.all([stopped, ...this.#closing.map((each) => each.close())]);
    await this.#pool.end();
  }
}
