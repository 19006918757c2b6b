// SPDX-License-Identifier: Apache-2.0
import { Fault, type ReleaseRequest } from '@writ/contract';
import type { WakeUp } from '../announcements/wake-up.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { Sweeper } from './sweeper.ts';

/** Takes back attempts that their executors have stopped, so that no call waits for a lease that is never renewed. */
export class Release {
  readonly #tenants: TenantPool;
  readonly #sweeper: Sweeper;
  readonly #wakeUp: WakeUp;

  constructor(tenants: TenantPool, sweeper: Sweeper, wakeUp: WakeUp) {
    this.#tenants = tenants;
    this.#sweeper = sweeper;
    this.#wakeUp = wakeUp;
  }

  /**
   * Resolves when the call waits for another executor or has ended.
   * @throws Fault `attempt.fenced` for any other attempt than the current one
   */
  async run({ tenant_id, operation_id, attempt, mode, executor_id, nonce, stopping }: ReleaseRequest): Promise<void> {
    const release = mode === 'preview' ? kernelSql.releasePreview : kernelSql.release;
    const released = await release(this.#tenants.pool, {
      tenant: tenant_id,
      operation: operation_id,
      attempt,
      executor: executor_id,
      nonce,
      stopping,
    });
    if (released === null) throw new Fault('attempt.fenced');
    if (!released.over) this.#wakeUp.wake(released.lane);
    // A sweep finds an attempt that may be retried, as any whose lease has run out.
    else if (!(await this.#sweeper.endOne(tenant_id, operation_id))) await this.#sweeper.sweep();
  }
}
