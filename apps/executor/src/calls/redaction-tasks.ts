// SPDX-License-Identifier: Apache-2.0
import { redactValue } from '@writ/contract';

/** A result, and pointers to what is redacted of it. */
export interface RedactedResult {
  readonly result: unknown;
  readonly redact: readonly string[];
}

/** The result without that. */
export const redactResult = ({ result, redact }: RedactedResult): unknown => redactValue(result, redact);

/** The work on results for worker threads. */
export const REDACTION_TASKS = { 'result.redact': redactResult } as const;
