// SPDX-License-Identifier: Apache-2.0
import { FAULTS, topOf, type FaultCode } from '@writ/contract';
import { redactResult } from './redaction-tasks.ts';
import type { Call, RunContext, Staged } from './runner.ts';

/** A result of this length, as JSON, takes some milliseconds: a longer one goes to a thread. */
const INLINE_CHARS_MAX = 32 * 1024;
/** Several times what the longest result takes on a busy machine. */
const REDACT_MS = 10_000;

/**
 * The staged effect without what the policy redacts of the result. INVARIANT (only the executor had it): this comes
 * before anything of the result is stored or sent. Nobody declares the form of a failure, so a rule redacts all of the
 * member of the top that it leads into.
 */
export async function withoutRedacted(
  staged: Staged,
  { redact = [] }: Pick<Call, 'redact'>,
  work: RunContext['work'],
): Promise<Staged> {
  if (redact.length === 0) return staged;
  const error = withoutWords(staged.error);
  if ((staged.result ?? null) === null) return { ...staged, error };
  const input = { result: staged.result, redact: staged.ended === 'exited' ? redact : topOf(redact) };
  const isShort = JSON.stringify(staged.result).length <= INLINE_CHARS_MAX;
  const result = isShort ? redactResult(input) : await work.run('result.redact', input, REDACT_MS);
  return { ...staged, error, result };
}

/** A server of MCP writes the words of its errors itself, and may put a value there that is redacted elsewhere. */
function withoutWords(error: Staged['error']): Staged['error'] {
  if (error === null || !/^mcp\./.test(error.code)) return error;
  const { message } = FAULTS[error.code as FaultCode];
  return { ...error, message };
}
