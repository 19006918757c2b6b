// SPDX-License-Identifier: Apache-2.0
import { VERSION } from '@writ/nest-kit';
import type { SystemView } from './views.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

/** The state of the installation, as one replica of the kernel and this one see it. */
export class ReportSystem {
  readonly #kernel: KernelClient;
  readonly #now: () => number;

  /** @param now milliseconds since the epoch, by the clock of this process */
  constructor(kernel: KernelClient, now: () => number) {
    this.#kernel = kernel;
    this.#now = now;
  }

  /** Faults: `bus.unreachable`, `database.unavailable`. */
  async run(): Promise<SystemView> {
    const { version, now, pools, ...report } = await this.#kernel.ask('system.report', null, {});
    return { orchestrator: { version: VERSION, now: this.#now() }, kernel: { version, now, pools }, ...report };
  }
}
