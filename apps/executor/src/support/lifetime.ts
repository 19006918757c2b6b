// SPDX-License-Identifier: Apache-2.0
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { Pool } from '@writ/database';
import { setTimeout as sleep } from 'node:timers/promises';

/** Calls that still run may end by themselves for so long; then they are killed, and their leases decide. */
const FINISH_MS = 5_000;

interface Taking { start(): Promise<void>; stop(): Promise<void> }
interface Stopping { stopAll(): void }
interface Closing { close(): Promise<void> }

/** Starts taking work when everything is up; at the end takes nothing new, lets calls finish for a while, and leaves no container behind. */
export class Lifetime implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #taking: readonly Taking[];
  readonly #running: Stopping;
  readonly #closing: readonly Closing[];
  readonly #pool: Pool;

  constructor(taking: readonly Taking[], running: Stopping, closing: readonly Closing[], pool: Pool) {
    this.#taking = taking;
    this.#running = running;
    this.#closing = closing;
    this.#pool = pool;
  }

  async onApplicationBootstrap(): Promise<void> {
    await Promise.all(this.#taking.map((each) => each.start()));
  }

  async onModuleDestroy(): Promise<void> {
    const stopped = Promise.all(this.#taking.map((each) => each.stop()));
    await Promise.race([stopped, sleep(FINISH_MS, undefined, { ref: false })]);
    this.#running.stopAll();
    await Promise.all([stopped, ...this.#closing.map((each) => each.close())]);
    await this.#pool.end();
  }
}
