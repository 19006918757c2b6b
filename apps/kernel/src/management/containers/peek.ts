// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, type KernelRequest, type PeekedEvent, type PeekEvent, type ContainerLogs } from '@writ/contract';
import { requireRole } from '../../foundation/tenancy/index.ts';
import type { Containers } from './containers.ts';

/** An executor that is there answers in milliseconds. */
const ANSWER_MS = 2_000;
const ASK_ID_BYTES = 16;

/**
 * Asks executors what comes out of their containers. Nothing of it is kept here; what a call returned in the end is its
 * result.
 */
export class Peek {
  readonly #containers: Containers;
  readonly #ask: (tenantId: string, event: PeekEvent) => void;
  readonly #waiting = new Map<string, (said: PeekedEvent) => void>();

  /** @param ask tells every executor; nobody waits for it */
  constructor(containers: Containers, ask: (tenantId: string, event: PeekEvent) => void) {
    this.#containers = containers;
    this.#ask = ask;
  }

  /** @throws Fault `not_found`, `auth.role`, `sandbox.unavailable` where its executor gives no answer */
  async run({ caller, container_id }: KernelRequest<'container.logs'>): Promise<ContainerLogs> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const { tenant_id, executor_id } = await this.#containers.find(caller, container_id);
    const askId = randomBytes(ASK_ID_BYTES).toString('hex');
    const { promise, resolve } = Promise.withResolvers<PeekedEvent>();
    this.#waiting.set(askId, (said) => {
      if (said.executor_id === executor_id && said.container_id === container_id) resolve(said);
    });
    const late = new AbortController();
    try {
      this.#ask(tenant_id, { v: 1, container_id, ask_id: askId });
      const said = await Promise.race([
        promise,
        sleep(ANSWER_MS, null, { signal: late.signal, ref: false }).catch(() => null),
      ]);
      if (said === null) throw new Fault('sandbox.unavailable', 'its executor gives no answer');
      return { container_id, output: said.output, output_bytes: said.output_bytes, withheld: said.withheld };
    } finally {
      late.abort();
      this.#waiting.delete(askId);
    }
  }

  /** Every replica hears every answer; only one has asked. */
  heard(said: PeekedEvent): void {
    this.#waiting.get(said.ask_id)?.(said);
  }
}
