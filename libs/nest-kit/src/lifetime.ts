// SPDX-License-Identifier: Apache-2.0
import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';

/** Background work that runs between start and stop. */
export interface Worker {
  /** Absent where the worker runs already. */
  start?(): void | Promise<void>;
  /** Starts no new work; resolves when the running work has ended. */
  stop(): Promise<void>;
}

/** The workers and the shutdown steps of a process. */
export interface LifetimePlan {
  /** They start in this order once the module is complete. */
  readonly workers: readonly Worker[];
  /**
   * Ends the work of the process while its APIs still answer. It MUST call `stopWorkers`, which stops all of them at
   * once. Where it is absent, only `stopWorkers` is called.
   */
  readonly drain?: (stopWorkers: () => Promise<void>) => Promise<void>;
  /** Closes the connections of workers and requests, once no API answers any more. */
  readonly close?: () => Promise<void>;
}

/** Starts and stops the parts of the plan with the process. Nest calls it, as a provider of the process's module. */
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
