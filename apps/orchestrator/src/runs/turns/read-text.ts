// SPDX-License-Identifier: Apache-2.0
import { Fault, isFinal, type Caller, type OperationView } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { ParsedCall } from '../../calls/parsed-call.ts';
import type { Propose, WaitOptions } from '../../calls/propose.ts';

/** How a file is read: by an ordinary call, which is decided and recorded as any other. */
export interface ReadTextParts {
  readonly propose: Propose['run'];
  readonly show: (caller: Caller, view: OperationView) => Promise<OperationView>;
}

/**
 * Runs a call of `fs.read`, and resolves with the text that it read. Null where the call is refused, held or still
 * running after the wait, and where the file doesn't exist or is no text. @throws Fault `workspace.unknown`
 */
export async function readText(
  { propose, show }: ReadTextParts,
  caller: Caller,
  read: ParsedCall,
  wait: WaitOptions,
): Promise<string | null> {
  const view = await propose(caller, newId('operation'), read, wait);
  if (view.result?.error?.code === 'workspace.unknown') throw new Fault('workspace.unknown');
  if (!isFinal(view.state)) return null;
  const { result } = await show(caller, view);
  const content =
    result?.status === 'ok'
      ? (result.result as { readonly content?: unknown; readonly encoding?: unknown } | null)
      : null;
  return typeof content?.content === 'string' && content.encoding === 'utf8' ? content.content : null;
}
