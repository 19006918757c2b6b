// SPDX-License-Identifier: Apache-2.0
import type { Problem } from './generated/types.ts';

/** More than any problem has: an answer of a proxy may be a whole page. */
const PROBLEM_CHARACTERS_MAX = 256 * 1024;

/** The problem in an answer; null where there is none, or where it has another shape. */
export async function readProblem(answer: Response): Promise<Problem | null> {
  if (!/^application\/problem\+json\b/.test(answer.headers.get('content-type') ?? '')) {
    // Lets the connection be used again.
    await answer.body?.cancel().catch(() => undefined);
    return null;
  }
  const text = await answer.text();
  return text.length > PROBLEM_CHARACTERS_MAX ? null : parseProblem(text);
}

/** The problem of a text; null where it isn't one. */
export function parseProblem(text: string): Problem | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { code, detail, status, retry } = value as Partial<Record<string, unknown>>;
  const isProblem =
    typeof code === 'string' &&
    typeof detail === 'string' &&
    typeof status === 'number' &&
    (retry === 'never' || retry === 'later' || retry === 'same-key');
  return isProblem ? (value as Problem) : null;
}

/** The operation that an answer names. */
export const operationIdIn = (headers: Headers): string | null => headers.get('writ-operation-id');
