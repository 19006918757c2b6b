// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { AdmitRequest, parseMessage, type OperationView } from '@writ/contract';
import { injectTrace, withSpan } from '@writ/telemetry';
import { OperationMonitor } from '../../execution/telemetry/operation-monitor.ts';
import { Admit, type Decided } from './admit.ts';
import { releaseWhenDone, ConcurrencyLimiter } from './concurrency-limiter.ts';
import type { SentCall } from './proposal.ts';

/** Calls here at once, most of them waiting for a place or for their end; one more is told to come back. */
const CONCURRENCY_MAX = 1_024;

/** in: bytes become an AdmitRequest. What can't be parsed never becomes an operation. */
@Controller()
export class AdmitController {
  readonly #admit: Admit;
  readonly #monitor: OperationMonitor;
  readonly #places: ConcurrencyLimiter;

  constructor(admit: Admit, monitor: OperationMonitor, places: ConcurrencyLimiter) {
    this.#admit = admit;
    this.#monitor = monitor;
    this.#places = places;
  }

  @MessagePattern('kernel.admit', { concurrencyMax: CONCURRENCY_MAX })
  async handle(@Payload() payload: unknown): Promise<OperationView> {
    const began = performance.now();
    const { wait_ms = 0, ...call } = parseMessage(AdmitRequest, payload);
    const leave = await this.#places.take(call.tenant_id);
    let decided: Decided;
    try {
      decided = await this.#decide(call, wait_ms, began);
    } catch (error) {
      leave();
      throw error;
    }
    releaseWhenDone(decided.row.lane === 'inline' ? decided.end : null, leave);
    return await this.#admit.answer(decided);
  }

  async #decide(call: SentCall, waitMs: number, began: number): Promise<Decided> {
    return await withSpan('proposed', { operation_id: call.operation_id }, async (span) => {
      const headers: Record<string, string> = {};
      injectTrace(headers);
      const decided = await this.#admit.decide(call, headers['traceparent'] ?? null, waitMs);
      const { row, replayed } = decided;
      // The span that decides bears the name of what was decided.
      span.updateName(row.state);
      span.setAttribute('replayed', replayed);
      if (!replayed) this.#monitor.decided(row, performance.now() - began);
      return decided;
    });
  }
}
