// SPDX-License-Identifier: Apache-2.0
import type { Bus } from '@writ/bus';
import type { OperationEvent, Subjects } from '@writ/contract';
import { Events, type OperationChange } from './events.ts';

/**
 * Sends events over the bus. It is no error if nobody listens or the bus is away: a subscriber that missed an event
 * polls.
 */
export class BusEvents extends Events {
  readonly #bus: Bus;
  readonly #subjects: Subjects;
  readonly #report: (error: unknown) => void;

  constructor(bus: Bus, subjects: Subjects, report: (error: unknown) => void) {
    super();
    this.#bus = bus;
    this.#subjects = subjects;
    this.#report = report;
  }

  override operationChanged(change: OperationChange): void {
    const event: OperationEvent = { v: 1, ...change };
    this.#publish(this.#subjects.event('operation', change.tenant_id), event);
  }

  override stop(tenantId: string, operationId: string, attempt: number): void {
    this.#publish(this.#subjects.event('stop', tenantId), { tenant_id: tenantId, operation_id: operationId, attempt });
  }

  #publish(subject: string, payload: unknown): void {
    try {
      this.#bus.publish(subject, payload);
    } catch (error) {
      this.#report(error);
    }
  }
}
