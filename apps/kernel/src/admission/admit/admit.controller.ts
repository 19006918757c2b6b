// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { AdmitRequest, parseMessage, type OperationView } from '@writ/contract';
import { schedulingClassOf } from '@writ/fairness';
import { injectTrace, withSpan } from '@writ/telemetry';
import { OperationMonitor } from '../../execution/telemetry/operation-monitor.ts';
import { Admit, type DecidedCall } from './admit.ts';
import { releaseWhenDone, ConcurrencyLimiter } from './concurrency-limiter.ts';
import type { SentCall } from './proposal.ts';

/**
 * Requests that one replica handles at the same time, most of them waiting for a slot or for the end of their call. One
 * more is refused with the advice to retry.
 */
const CONCURRENCY_MAX = 1_024;

/** Parses an AdmitRequest and admits it. A message that can't be parsed never becomes an operation. */
@Controller()
export class AdmitController {
  readonly #admit: Admit;
  readonly #monitor: OperationMonitor;
  readonly #limiter: ConcurrencyLimiter;

  constructor(admit: Admit, monitor: OperationMonitor, limiter: ConcurrencyLimiter) {
    this.#admit = admit;
    this.#monitor = monitor;
    this.#limiter = limiter;
  }

  @MessagePattern('kernel.admit', { concurrencyMax: CONCURRENCY_MAX })
  async handle(@Payload() payload: unknown): Promise<OperationView> {
    const began = performance.now();
    const { wait_ms = 0, ...call } = parseMessage(AdmitRequest, payload);
    const release = await this.#limiter.acquire(call.tenant_id, schedulingClassOf(call));
    let decided: DecidedCall;
    try {
      decided = await this.#decide(call, wait_ms, began);
    } catch (error) {
      release();
      throw error;
    }
    releaseWhenDone(decided.row.lane === 'inline' ? decided.end : null, release);
    return await this.#admit.answer(decided);
  }

  async #decide(call: SentCall, waitMs: number, began: number): Promise<DecidedCall> {
    return await withSpan('proposed', { operation_id: call.operation_id }, async (span) => {
      const headers: Record<string, string> = {};
      injectTrace(headers);
      const decided = await this.#admit.decide(call, headers['traceparent'] ?? null, waitMs);
      const { row, replayed } = decided;
      // The span is named after the verdict.
      span.updateName(row.state);
      span.setAttribute('replayed', replayed);
      if (!replayed) this.#monitor.decided(row, performance.now() - began);
      return decided;
    });
  }
}
