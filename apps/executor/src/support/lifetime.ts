// SPDX-License-Identifier: Apache-2.0
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { Pool } from '@writ/database';
import type { Sandbox } from '@writ/sandbox';
import { setTimeout as sleep } from 'node:timers/promises';

/** Calls that still run may end by themselves for so long; then they are killed, and their leases decide. */
const FINISH_MS = 5_000;

interface Taking { start(): Promise<void>; stop(): Promise<void> }
interface Stopping { stopAll(): void }

/** Starts taking work when everything is up; at the end takes nothing new, lets calls finish for a while, and leaves no container behind. */
export class Lifetime implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #take: Taking;
  readonly #running: Stopping;
  readonly #sandbox: Sandbox;
  readonly #pool: Pool;

  constructor(take: Taking, running: Stopping, sandbox: Sandbox, pool: Pool) {
    this.#take = take;
    this.#running = running;
    this.#sandbox = sandbox;
    this.#pool = pool;
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.#take.start();
  }

  async onModuleDestroy(): Promise<void> {
    const stopped = this.#take.stop();
    await Promise.race([stopped, sleep(FINISH_MS, undefined, { ref: false })]);
    this.#running.stopAll();
    await Promise.all([stopped, this.#sandbox.close()]);
    await this.#pool.end();
  }
}
