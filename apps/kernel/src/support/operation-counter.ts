// SPDX-License-Identifier: Apache-2.0
import { toolLabel, type LabelledTool, type Meter } from '@writ/telemetry';

/** Counts decisions and outcomes. Labels come from closed sets. */
export class OperationCounter {
  readonly #operations: ReturnType<Meter['createCounter']>;

  constructor(meter: Meter) {
    this.#operations = meter.createCounter('writ_operations_total', { description: 'operations by what was decided or became of them' });
  }

  /** `verdict` is the state that the decision led to; an operation_id sent again counts again. */
  decided(verdict: string, tool: LabelledTool): void {
    this.#operations.add(1, { verdict, tool: toolLabel(tool) });
  }

  /** `outcome` is the transaction's. */
  ended(outcome: string, tool: LabelledTool): void {
    this.#operations.add(1, { outcome, tool: toolLabel(tool) });
  }
}
