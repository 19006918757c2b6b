// SPDX-License-Identifier: Apache-2.0
//
// A call of a dialect may stand for several: the values of its variables come first, and a read of a directory is
// followed by a list of it. INVARIANT (no bypass): each of them is proposed, decided, run and recorded like a single
// call. The call with its variables filled in is the one that is decided and recorded.
import { isFinal, VALUE_GET, type OperationView } from '@writ/contract';
import { fillVariables, listInstead, unfilledVariable, type Args, type DialectName } from '@writ/dialects';
import type { CallResult } from './staged-changes.ts';

/** A call as its dialect was parsed. */
export interface WrittenCall {
  readonly tool_id: string;
  readonly args: Args;
  readonly variables?: readonly string[];
}

/** How the calls that a written call stands for are made. */
export interface CallMaker {
  /**
   * Proposes one of them. `part` names it, and MUST become part of its idempotency key; it is empty for the written
   * call itself.
   */
  readonly propose: (call: Omit<WrittenCall, 'variables'>, part: string) => Promise<CallResult>;
  /** the result of an operation that ended, in full */
  readonly resultOf: (view: OperationView) => Promise<unknown>;
}

const VALUE_MISSING = 'value.missing';

/** Runs a written call. The result is that of the call that decides: the one that failed or waits, or the last one. */
export async function runWritten(
  dialect: DialectName | null,
  { tool_id, args, variables = [] }: WrittenCall,
  calls: CallMaker,
): Promise<CallResult> {
  const values: Record<string, string> = {};
  for (const name of variables) {
    const found = await valueOf(name, args, calls);
    if (typeof found !== 'string') return found;
    values[name] = found;
  }
  const filled = variables.length === 0 ? { tool_id, args } : { tool_id, args: fillVariables(args, values) };
  const came = await calls.propose(filled, '');
  if (came.view === null || !isFinal(came.view.state)) return variables.length === 0 ? came : applied(came, filled);
  const list = listInstead(dialect, filled, came.outcome);
  if (list !== null) return applied(await calls.propose(list, 'list'), list);
  return variables.length === 0 ? came : applied(came, filled);
}

const applied = (came: CallResult, appliedCall: Omit<WrittenCall, 'variables'>): CallResult => ({
  ...came,
  appliedCall,
});

/**
 * The value of a variable that is no secret; or the result in its place, where it waits or failed. Nobody is asked for
 * it: a model asks for a value by a call of its own, in which a person reads why.
 */
async function valueOf(name: string, args: Args, { propose, resultOf }: CallMaker): Promise<string | CallResult> {
  const came = await propose(
    {
      tool_id: VALUE_GET.tool_id,
      args: { key: name, reason: `fills \`$KARYI{${name}}\` in a call`, secret: false, ask: false },
    },
    `value:${name}`,
  );
  const { view, outcome } = came;
  if (view === null || !isFinal(view.state)) return came;
  if (outcome.error?.code === VALUE_MISSING)
    return {
      view,
      // The request was refused; the written call failed, and another one may do.
      outcome: {
        standing: 'failed',
        result: null,
        error: { code: VALUE_MISSING, ...unfilledVariable({ args }, name) },
      },
      resultToShow: null,
    };
  if (outcome.standing !== 'completed') return came;
  const { value } = ((await resultOf(view)) ?? {}) as { value?: unknown };
  if (typeof value !== 'string') throw new Error(`the value of \`${name}\` came without its text`);
  return value;
}
