// SPDX-License-Identifier: Apache-2.0
// What a model is told of a call that has no result.
import type { FailedCall, HeldCall, RefusedCall } from '../calls.ts';

/** The call waits for a person. Its operation is all that has to be kept. */
export interface Held {
  readonly outcome: 'held';
  readonly operationId: string;
  readonly approvalId: string;
  readonly text: string;
}

/** The call did not run, or failed. */
export interface Denied {
  readonly outcome: 'denied';
  /** null where there is none, since Writ was not asked or has not answered */
  readonly operationId: string | null;
  /** a code of Writ's table; `tool.unlisted`, `call.unnamed` or `error` where there is none */
  readonly code: string;
  /** for the model */
  readonly text: string;
}

export const heldOf = ({ operationId, approvalId }: HeldCall): Held => ({
  outcome: 'held',
  operationId,
  approvalId,
  text: `The call waits for a person's approval and has not run (operation ${operationId}). Do not repeat it.`,
});

/** The denial of a call that was refused, or failed: with what Writ says about it, and its hint. */
export function denialOf({ outcome, operationId, code, hint, toolResult }: RefusedCall | FailedCall): Denied {
  const message = toolResult?.error?.message ?? 'no result is stored';
  const what =
    code === 'effect.ambiguous'
      ? 'It is not known whether the call took effect. Do not repeat it'
      : outcome === 'refused'
        ? 'The call was refused and did not run'
        : 'The call failed';
  const advice = hint === null ? '' : ` ${hint}.`;
  return {
    outcome: 'denied',
    operationId,
    code,
    text: `${what} [${code}]: ${message}.${advice} (operation ${operationId})`,
  };
}

/** INVARIANT (errors deny): a question without an answer is a denial. */
export function errorOf(error: unknown, hasBegun: boolean): Denied {
  const { code, operationId } = error as { readonly code?: unknown; readonly operationId?: unknown };
  const message = error instanceof Error ? error.message : 'the call could not be decided';
  const what = hasBegun
    ? 'It is not known whether the call took effect. Do not repeat it'
    : 'The call did not run here';
  return {
    outcome: 'denied',
    operationId: typeof operationId === 'string' ? operationId : null,
    code: typeof code === 'string' ? code : 'error',
    text: `${what}: ${message}`,
  };
}

export const unlisted = (name: string): Denied => ({
  outcome: 'denied',
  operationId: null,
  code: 'tool.unlisted',
  text: `The tool \`${name}\` is not one of those that Writ governs here, and did not run.`,
});

export const unnamed = (name: string): Denied => ({
  outcome: 'denied',
  operationId: null,
  code: 'call.unnamed',
  text: `The call of \`${name}\` has no id that can name it, of at most 240 printable characters, and did not run.`,
});
