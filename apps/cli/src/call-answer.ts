// SPDX-License-Identifier: Apache-2.0
import { FAULTS, isFaultCode, isFinal, OperationView, parseMessage, ToolResult } from '@writ/contract';
import { CliError, EXIT, isRefusal, seePage } from './cli-error.ts';
import { show, type CommonOptions, type Context } from './context.ts';
import { describeResult, describeWaiting } from './describe-result.ts';

/** Parses an answer of the API about a call. @throws CliError `answer` */
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
 * Whether an answer about a call is its result. The API returns the result of a call that has ended, and the operation
 * of a call that is under way or held.
 */
export const isResult = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'tx_outcome' in value;

/** Prints the API's answer about a call and sets the exit status by its state. `describe` turns a result into text. */
export function printAnswer(
  context: Context,
  options: CommonOptions,
  value: unknown,
  describe: (result: ToolResult) => string = describeResult,
): void {
  if (isResult(value)) {
    const result = parseAnswer(ToolResult, value);
    show(context, options, result, () => describe(result));
    if (result.status === 'error') printFailure(context, result);
    return;
  }
  const operation = parseAnswer(OperationView, value);
  show(context, options, operation, () => describeWaiting(operation));
  if (!isFinal(operation.state)) context.setExit(EXIT.held);
  else if (operation.result?.status === 'error') printFailure(context, operation.result);
}

/** The exit status of a call that ended with a fault. */
function exitOfFailure(code: string): number {
  if (isRefusal(code)) return EXIT.refused;
  // 404 in the table of faults says that a tool or thing isn't there.
  return isFaultCode(code) && FAULTS[code].status === 404 ? EXIT.notFound : EXIT.failed;
}

function printFailure(context: Context, { error }: ToolResult): void {
  context.writeError(
    `error ${error?.code ?? 'failed'}: ${error?.message ?? 'the call failed'}${error?.hint ? `; ${error.hint}` : ''}${seePage(error?.code ?? '')}\n`,
  );
  context.setExit(exitOfFailure(error?.code ?? ''));
}
