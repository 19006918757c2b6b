// SPDX-License-Identifier: Apache-2.0
import { parseMessage, type OperationView, type ToolResult } from '@writ/contract';
import { CliError, EXIT, seePage } from './cli-error.ts';
import type { Context } from './context.ts';

/** An answer of the API about a call. @throws CliError `answer` */
export function parseAnswer<S extends typeof ToolResult | typeof OperationView>(schema: S, value: unknown) {
  try {
    return parseMessage(schema, value);
  } catch (cause) {
    throw new CliError('answer', 'the API answered what this program does not understand: are both of the same version?', EXIT.failed, { cause });
  }
}

/** Says why a call failed, and ends with the status for that. */
export function tellFailure(context: Context, { error }: ToolResult): void {
  context.complain(`error ${error?.code ?? 'failed'}: ${error?.message ?? 'the call failed'}${error?.hint ? `; ${error.hint}` : ''}${seePage(error?.code ?? '')}\n`);
  context.setExit(EXIT.failed);
}
