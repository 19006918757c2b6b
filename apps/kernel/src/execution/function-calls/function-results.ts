// SPDX-License-Identifier: Apache-2.0
import type { FunctionOutcome, FunctionTool } from '@writ/contract';
import type { TaskRunner } from '@writ/worker-pool';
import type { ExecutionTasks } from '../worker-tasks.ts';
import {
  readResult,
  readResultWithin,
  redactedClaim,
  redactResult,
  type ClaimedResult,
  type RedactedResult,
  type ResultFault,
} from './function-report.ts';

/** The largest result that is read on the event loop, in bytes, and the most steps that its check takes there. */
const ON_LOOP_MAX = { bytes: 2 * 1024, steps: 2_000 } as const;
/** The bound on checking a result in a thread, in milliseconds. */
const READ_WALL_MS = 3_000;

/** What a process claims, and by what it is read. */
interface Claim {
  readonly outcome: FunctionOutcome;
  readonly schema: FunctionTool['result'];
  /** pointers to what rules redact of the result */
  readonly redact: readonly string[];
}

/** Checks and redacts results that processes of a tenant claim. The tenant decides how long either takes. */
export class FunctionResults {
  readonly #work: TaskRunner<ExecutionTasks> | null;

  /** @param work null: all of it is done on the event loop, for specs */
  constructor(work: TaskRunner<ExecutionTasks> | null) {
    this.#work = work;
  }

  /**
   * What is kept of a claim, and what is wrong with its result. INVARIANT (checked, then redacted): a result fits the
   * tool's schema as it came, and need not afterwards.
   * @throws Fault `overloaded`, `limit.exceeded`
   */
  async kept(
    tenantId: string,
    { outcome, schema, redact }: Claim,
  ): Promise<{ readonly claimed: FunctionOutcome; readonly fault: ResultFault }> {
    const found =
      outcome.outcome === 'succeeded' ? await this.#fault(tenantId, { result: outcome.result, schema }) : null;
    if (redact.length === 0) return { claimed: outcome, fault: found };
    const { claimed, fault } = redactedClaim(outcome, found);
    if (claimed.outcome !== 'succeeded' || fault !== null) return { claimed, fault };
    const result = await this.#redacted(tenantId, { result: claimed.result, redact });
    return { claimed: { ...claimed, result }, fault: null };
  }

  async #redacted(tenantId: string, { result, redact }: RedactedResult): Promise<unknown> {
    if (this.#work === null || Buffer.byteLength(JSON.stringify(result)) <= ON_LOOP_MAX.bytes)
      return redactResult({ result, redact });
    return await this.#work.run('function.redact', { result, redact }, { tenantId, wallMs: READ_WALL_MS });
  }

  async #fault(tenantId: string, claimed: ClaimedResult): Promise<ResultFault> {
    if (this.#work === null) return readResult(claimed);
    const isShort = Buffer.byteLength(JSON.stringify(claimed.result) ?? '') <= ON_LOOP_MAX.bytes;
    const found = isShort ? readResultWithin(claimed, ON_LOOP_MAX.steps) : undefined;
    if (found !== undefined) return found;
    return await this.#work.run('function.result', claimed, { tenantId, wallMs: READ_WALL_MS });
  }
}
