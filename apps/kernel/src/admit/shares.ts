// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';

/** Bounds what one tenant has under way here, so that the bound over all tenants is never filled by one. */
export class Shares {
  readonly #underWay = new Map<string, number>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs the work, or refuses at once where as much of the tenant's is under way as may be. @throws Fault `rate.limited`, and what the work throws */
  async run<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#underWay.get(tenantId) ?? 0;
    if (before >= this.#most) throw new Fault('rate.limited', `${this.#most} calls of the tenant are being decided at once`);
    this.#underWay.set(tenantId, before + 1);
    try {
      return await work();
    } finally {
      const left = (this.#underWay.get(tenantId) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(tenantId);
      else this.#underWay.set(tenantId, left);
    }
  }
}
