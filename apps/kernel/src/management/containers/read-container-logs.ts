// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, type KernelRequest, type PeekedEvent, type PeekEvent, type ContainerLogs } from '@writ/contract';
import { requireRole } from '../../foundation/tenancy/index.ts';
import type { Containers } from './containers.ts';

/** How long to wait for an executor, in milliseconds. A running one answers in a few. */
const ANSWER_MS = 2_000;
const REQUEST_ID_BYTES = 16;

/**
 * Requests the current output of containers from executors. The output is not stored here. The result of a call is what
 * it finally returned.
 */
export class ReadContainerLogs {
  readonly #containers: Containers;
  readonly #publish: (tenantId: string, event: PeekEvent) => void;
  readonly #waiting = new Map<string, (reply: PeekedEvent) => void>();

  /** @param publish publishes the request to all executors and does not wait */
  constructor(containers: Containers, publish: (tenantId: string, event: PeekEvent) => void) {
    this.#containers = containers;
    this.#publish = publish;
  }

  /** @throws Fault `not_found`, `auth.role`, `sandbox.unavailable` where its executor does not answer */
  async run({ caller, container_id }: KernelRequest<'container.logs'>): Promise<ContainerLogs> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const { tenant_id, executor_id } = await this.#containers.find(caller, container_id);
    const requestId = randomBytes(REQUEST_ID_BYTES).toString('hex');
    const { promise, resolve } = Promise.withResolvers<PeekedEvent>();
    this.#waiting.set(requestId, (reply) => {
      if (reply.executor_id === executor_id && reply.container_id === container_id) resolve(reply);
    });
    const timeout = new AbortController();
    try {
      this.#publish(tenant_id, { v: 1, container_id, ask_id: requestId });
      const answer = await Promise.race([
        promise,
        sleep(ANSWER_MS, null, { signal: timeout.signal, ref: false }).catch(() => null),
      ]);
      if (answer === null) throw new Fault('sandbox.unavailable', 'its executor gives no answer');
      return { container_id, output: answer.output, output_bytes: answer.output_bytes, withheld: answer.withheld };
    } finally {
      timeout.abort();
      this.#waiting.delete(requestId);
    }
  }

  /** Receives an answer. Every replica receives every answer, and only one of them sent the request. */
  receive(event: PeekedEvent): void {
    this.#waiting.get(event.ask_id)?.(event);
  }
}
