// SPDX-License-Identifier: Apache-2.0
import { isFinal, OperationView, parseMessage, ToolResult } from '@writ/contract';
import { CliError, EXIT, seePage } from './cli-error.ts';
import { show, type CommonOptions, type Context } from './context.ts';
import { describeResult, describeWaiting } from './describe-result.ts';

/** An answer of the API about a call. @throws CliError `answer` */
export function parseAnswer<S extends typeof ToolResult | typeof OperationView>(schema: S, value: unknown) {
  try {
    return parseMessage(schema, value);
  } catch (cause) {
    throw new CliError(
      'answer',
      'the API answered what this program does not understand: are both of the same version?',
      EXIT.failed,
      { cause },
    );
  }
}

/**
 * Whether an answer about a call is its result: a decided call is answered with that, one that is under way or held
 * with the operation.
 */
export const isResult = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'tx_outcome' in value;

/** Tells what the API answered about a call, and ends with the status for it. `describe` says a result in words. */
export function tellAnswer(
  context: Context,
  options: CommonOptions,
  value: unknown,
  describe: (result: ToolResult) => string = describeResult,
): void {
  if (isResult(value)) {
    const result = parseAnswer(ToolResult, value);
    show(context, options, result, () => describe(result));
    if (result.status === 'error') tellFailure(context, result);
    return;
  }
  const operation = parseAnswer(OperationView, value);
  show(context, options, operation, () => describeWaiting(operation));
  if (isFinal(operation.state) && operation.result?.status === 'error') tellFailure(context, operation.result);
}

function tellFailure(context: Context, { error }: ToolResult): void {
  context.complain(
    `error ${error?.code ?? 'failed'}: ${error?.message ?? 'the call failed'}${error?.hint ? `; ${error.hint}` : ''}${seePage(error?.code ?? '')}\n`,
  );
  context.setExit(EXIT.failed);
}
