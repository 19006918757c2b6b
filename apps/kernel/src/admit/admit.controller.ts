// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { AdmitRequest, parseMessage, TOOLS, type OperationView, type ProposedCall } from '@writ/contract';
import { injectTrace, withSpan } from '@writ/telemetry';
import { OperationCounter } from '../support/operation-counter.ts';
import { Admit, type Decided } from './admit.ts';
import { Shares } from './shares.ts';

/** Calls decided at once by one replica; one more is told to come back. Far above what the database decides in a second's wait. */
const CONCURRENCY_MAX = 256;
/** Of one tenant: a quarter, so that a flood leaves room for others. More at once than any honest caller's pool of connections. */
const TENANT_MAX = 64;

/** in: bytes become an AdmitRequest. What can't be parsed never becomes an operation. */
@Controller()
export class AdmitController {
  readonly #admit: Admit;
  readonly #counter: OperationCounter;
  readonly #shares = new Shares(TENANT_MAX);

  constructor(admit: Admit, counter: OperationCounter) {
    this.#admit = admit;
    this.#counter = counter;
  }

  @MessagePattern('kernel.admit', { concurrencyMax: CONCURRENCY_MAX })
  async handle(@Payload() payload: unknown): Promise<OperationView> {
    const { wait_ms = 0, ...call } = parseMessage(AdmitRequest, payload);
    return await this.#shares.run(call.tenant_id, async () => await this.#admit.answer(await this.#decide(call, wait_ms)));
  }

  async #decide(call: ProposedCall, waitMs: number): Promise<Decided> {
    return await withSpan('proposed', { operation_id: call.operation_id }, async (span) => {
      const headers: Record<string, string> = {};
      injectTrace(headers);
      const decided = await this.#admit.decide(call, headers['traceparent'] ?? null, waitMs);
      const { row, replayed } = decided;
      // The span that decides bears the name of what was decided.
      span.updateName(row.state);
      span.setAttribute('replayed', replayed);
      // Made-up tool ids must not become time series.
      if (!replayed) this.#counter.decided(row.state, TOOLS.has(call.tool_id) ? call.tool_id : 'unknown');
      return decided;
    });
  }
}
