// SPDX-License-Identifier: Apache-2.0
import { toolLabel, type Logger, type Meter } from '@writ/telemetry';
import type { OperationRow } from '../store/operation-row.ts';

/** What a line of the log says of an operation: ids, codes and names, never arguments or results. */
type Observed = Pick<OperationRow,
  'operation_id' | 'tenant_id' | 'agent_id' | 'tool_id' | 'tool_definition_digest' | 'state' | 'risk_score' | 'reasons'>;

/** Counts decisions and outcomes, and writes a line of the log for each. Labels of metrics come from closed sets. */
export class OperationMonitor {
  readonly #operations: ReturnType<Meter['createCounter']>;
  readonly #logger: Pick<Logger, 'info'>;

  constructor(meter: Meter, logger: Pick<Logger, 'info'>) {
    const description = 'operations by what was decided or became of them';
    this.#operations = meter.createCounter('writ_operations_total', { description });
    this.#logger = logger;
  }

  /** A decision: `verdict` is the state that it led to. An operation_id that is sent again counts again. */
  decided(operation: Observed): void {
    const { state: verdict, risk_score: risk, reasons } = operation;
    this.#operations.add(1, { verdict, tool: toolLabel(operation) });
    const codes = [...new Set(reasons.map(({ code }) => code))];
    this.#logger.info({ ...idsOf(operation), verdict, risk, ...(codes.length === 0 ? {} : { reasons: codes }) }, 'decided');
  }

  /** An end: `outcome` is the transaction's, `fault` the code of why it did not commit, if there is one. */
  ended(outcome: string, fault: string | null, operation: Observed): void {
    this.#operations.add(1, { outcome, tool: toolLabel(operation) });
    this.#logger.info({ ...idsOf(operation), outcome, ...(fault === null ? {} : { fault }) }, 'ended');
  }
}

function idsOf({ operation_id, tenant_id, agent_id, tool_id }: Observed): Readonly<Record<string, string>> {
  return { operation_id, tenant_id, agent_id, tool_id };
}
