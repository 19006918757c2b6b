// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { parseMessage, ProposedCall, TOOLS, type OperationView } from '@writ/contract';
import { injectTrace, withSpan } from '@writ/telemetry';
import { OperationCounter } from '../support/operation-counter.ts';
import { Admit } from './admit.ts';

/** Calls decided at once by one replica; one more is told to come back. Far above what the database decides in a second's wait. */
const CONCURRENCY_MAX = 256;

/** in: bytes become a ProposedCall. What can't be parsed never becomes an operation. */
@Controller()
export class AdmitController {
  readonly #admit: Admit;
  readonly #counter: OperationCounter;

  constructor(admit: Admit, counter: OperationCounter) {
    this.#admit = admit;
    this.#counter = counter;
  }

  @MessagePattern('kernel.admit', { concurrencyMax: CONCURRENCY_MAX })
  async handle(@Payload() payload: unknown): Promise<OperationView> {
    const call = parseMessage(ProposedCall, payload);
    return await withSpan('proposed', { operation_id: call.operation_id }, async (span) => {
      const headers: Record<string, string> = {};
      injectTrace(headers);
      const view = await this.#admit.run(call, headers['traceparent'] ?? null);
      // The span that decides bears the name of what was decided.
      span.updateName(view.state);
      span.setAttribute('replayed', view.replayed);
      // Made-up tool ids must not become time series.
      if (!view.replayed) this.#counter.decided(view.state, TOOLS.has(call.tool_id) ? call.tool_id : 'unknown');
      return view;
    });
  }
}
