// SPDX-License-Identifier: Apache-2.0
import type { Problem, ToolResult } from './generated/types.ts';

/** Every error that the client throws by itself, except an abort by your own signal. */
export class WritError extends Error {
  override readonly name: string = 'WritError';
}

/** What the caller must change in its program: a missing setting, or an id that can't be part of a path. */
export class UsageError extends WritError {
  override readonly name = 'UsageError';
}

/** No answer came, after all retries: the request may or may not have arrived. */
export class ConnectionError extends WritError {
  override readonly name = 'ConnectionError';
  /** the operation of a call, where an earlier attempt learned it */
  readonly operationId: string | null;

  constructor(message: string, operationId: string | null, options?: ErrorOptions) {
    super(message, options);
    this.operationId = operationId;
  }
}

/** The time of `timeoutMs` is over. */
export class TimeoutError extends WritError {
  override readonly name = 'TimeoutError';
}

interface ProblemFacts {
  readonly status: number;
  readonly problem: Problem | null;
  readonly operationId: string | null;
  /** default: that of the problem */
  readonly retry?: Problem['retry'];
}

/** The API answered with a problem (RFC 9457), after all retries that make sense. */
export class ProblemError extends WritError {
  override readonly name = 'ProblemError';
  readonly status: number;
  /** a code of the closed table, such as `not_found`; `http` where a proxy answered and not Writ */
  readonly code: string;
  /**
   * `later`: nothing happened. `same-key`: it may have happened, perhaps in an earlier attempt: repeat it with the same
   * idempotency key alone.
   */
  readonly retry: Problem['retry'];
  /** the place in the request, as a JSON pointer; null where the problem names none */
  readonly pointer: string | null;
  /** the whole problem; null where the answer was none */
  readonly problem: Problem | null;
  /** the operation of a call, of which the decision may stand */
  readonly operationId: string | null;

  constructor(message: string, { status, problem, operationId, retry }: ProblemFacts) {
    super(message);
    this.status = status;
    this.problem = problem;
    this.code = problem?.code ?? 'http';
    this.retry = retry ?? problem?.retry ?? 'never';
    this.pointer = problem?.pointer ?? null;
    this.operationId = operationId;
  }

  /** The same error with another instruction. */
  withRetry(retry: Problem['retry']): ProblemError {
    const { message, status, problem, operationId } = this;
    return new ProblemError(message, { status, problem, operationId, retry });
  }
}

/** A call that has no result. */
export class CallError extends WritError {
  override readonly name: string = 'CallError';
  /** a code of the closed table, such as `policy.denied` */
  readonly code: string;
  readonly hint: string | null;
  readonly operationId: string;
  readonly toolResult: ToolResult | null;

  constructor(operationId: string, toolResult: ToolResult | null, message: string) {
    super(message);
    this.operationId = operationId;
    this.toolResult = toolResult;
    this.code = toolResult?.error?.code ?? 'internal';
    this.hint = toolResult?.error?.hint ?? null;
  }
}

/** The call was refused, by the policy, its token or a person: it did not run. */
export class CallRefusedError extends CallError {
  override readonly name = 'CallRefusedError';
}

/** The call ran and failed: nothing of it was committed, unless its state is `ambiguous`. */
export class CallFailedError extends CallError {
  override readonly name = 'CallFailedError';
}

/** A receipt does not verify. */
export class ReceiptVerificationError extends WritError {
  override readonly name = 'ReceiptVerificationError';
  /** the check that failed, such as `signature` or `inclusion` */
  readonly check: string;

  constructor(check: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.check = check;
  }
}

/** For a function of yours: it failed, and nothing took effect. */
export class NoEffectError extends WritError {
  override readonly name = 'NoEffectError';
}
