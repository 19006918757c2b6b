// SPDX-License-Identifier: Apache-2.0
import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';

/** Something that goes on by itself between start and stop. */
export interface Worker {
  /** Absent where it goes on already. */
  start?(): void | Promise<void>;
  /** Takes nothing new; resolves when what is under way has ended. */
  stop(): Promise<void>;
}

/** What begins and ends with a process. */
export interface LifetimePlan {
  /** They start in this order once everything is wired. */
  readonly workers: readonly Worker[];
  /**
   * Ends the work of the process while its APIs still answer. It MUST call `stopWorkers`, which stops all of them at
   * once; that is all that happens where it is absent.
   */
  readonly drain?: (stopWorkers: () => Promise<void>) => Promise<void>;
  /** Closes what workers and requests depend on, once no API answers any more. */
  readonly close?: () => Promise<void>;
}

/** Starts and ends with the process what its plan names. Nest calls it, as a provider of the process's module. */
export class Lifetime implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  readonly #plan: LifetimePlan;

  constructor(plan: LifetimePlan) {
    this.#plan = plan;
  }

  async onApplicationBootstrap(): Promise<void> {
    await Promise.all(this.#plan.workers.map((worker) => worker.start?.()));
  }

  async onModuleDestroy(): Promise<void> {
    const { workers, drain = (stopWorkers) => stopWorkers() } = this.#plan;
    await drain(async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#plan.close?.();
  }
}
