// SPDX-License-Identifier: Apache-2.0
import type { CallToolResult } from '@modelcontextprotocol/server';
import { FAULTS, isFinal, type Fault, type OperationView } from '@writ/contract';
import { shownMessage } from '../../edge/problems/problem.ts';
import { shownText } from './shown-text.ts';
import { receiptUri } from './uris.ts';

/** A structured result: the operation, and the tool's own result once there is one. */
export interface StructuredResult extends Record<string, unknown> {
  readonly operation_id: string;
  readonly state: string;
  readonly result: unknown;
  /** the result of which rules redacted something: it need not fit the schema of results. Absent for other calls */
  readonly redacted_result?: unknown;
  readonly error: { readonly code: string; readonly message: string; readonly hint: string | null } | null;
  readonly approval_id: string | null;
  /** the URI of the receipt, as a resource */
  readonly receipt: string | null;
  /** what the caller can do now; null where there is nothing left to do */
  readonly next: string | null;
}

/** The member of `_meta` with the id of the operation, beside the structured result. */
export const OPERATION_META = 'writ.dev/operation-id';

/**
 * The result of a call for an MCP client. An operation that was refused, failed, was rolled back or whose end is
 * unknown is an error of the tool, which a model can read, and never one of the protocol.
 */
export function resultOf(view: OperationView): CallToolResult {
  const structuredContent = structuredOf(view);
  return {
    content: [{ type: 'text', text: textOf(structuredContent) }],
    structuredContent,
    ...(structuredContent.error === null ? {} : { isError: true }),
    _meta: { [OPERATION_META]: view.operation_id },
  };
}

/** The result for a fault: no operation was decided, or it is unknown whether one was. */
export function faultResult(fault: Fault, operationId: string): CallToolResult {
  const { retry } = FAULTS[fault.code];
  const structuredContent: StructuredResult = {
    operation_id: operationId,
    state: 'unknown',
    result: null,
    error: { code: fault.code, message: shownText(shownMessage(fault)), hint: RETRY_HINTS[retry] },
    approval_id: null,
    receipt: null,
    next: null,
  };
  return {
    content: [{ type: 'text', text: textOf(structuredContent) }],
    structuredContent,
    isError: true,
    _meta: { [OPERATION_META]: operationId },
  };
}

const RETRY_HINTS = {
  never: null,
  later: 'nothing happened: try again later',
  'same-key': 'it may have happened: ask for the operation with `operations_wait` before you call again',
} as const;

/** What a result says of its operation. */
export function structuredOf(view: OperationView): StructuredResult {
  const { operation_id, state, approval_id, result, redactions } = view;
  const returned = result?.result ?? null;
  return {
    operation_id,
    state,
    // Clients refuse a result that doesn't fit the schema that its tool is listed with.
    ...(redactions === undefined || returned === null
      ? { result: returned }
      : { result: null, redacted_result: returned }),
    error: errorOf(view),
    approval_id: state === 'held' ? approval_id : null,
    receipt: isFinal(state) ? receiptUri(operation_id) : null,
    next: nextOf(view),
  };
}

function errorOf({ state, result, reasons }: OperationView): StructuredResult['error'] {
  if (!isFinal(state)) return null;
  if (result !== null && result.error !== null) return shownError(result.error);
  if (state === 'committed' || state === 'no_op') return null;
  const [reason] = reasons;
  return shownError({
    code: reason?.code ?? `operation.${state}`,
    message: reason?.message ?? `the operation ended as \`${state}\``,
    hint: null,
  });
}

/** The code of a call's error; null where it has none. Data of an error has it beside words, which may be left out. */
export const codeOf = (structured: Readonly<Record<string, unknown>> | undefined): string | null =>
  (structured as StructuredResult | undefined)?.error?.code ?? null;

type ShownError = NonNullable<StructuredResult['error']>;

/** An error may repeat what a call or a tenant says, and clients show it to their user. */
const shownError = ({ code, message, hint }: ShownError): ShownError => ({
  code: shownText(code),
  message: shownText(message),
  hint: hint === null ? null : shownText(hint),
});

function nextOf({ operation_id, state, approval_id, result }: OperationView): string | null {
  if (state === 'held')
    return `A person decides about this call: \`writ approvals show ${approval_id ?? ''}\`. Nothing that you answer approves it. Then ask for its end with \`operations_wait\` and \`operation_id\` ${operation_id}.`;
  if (!isFinal(state))
    return `The call still runs. Ask for its end with \`operations_wait\` and \`operation_id\` ${operation_id}; don't call the tool again.`;
  if (result !== null && result.result_ref !== null && result.result === null)
    return 'The result is too long for an answer; ask for a part of it.';
  return null;
}

/** The result as a model reads it. */
export function textOf({ operation_id, state, error, next, ...returned }: StructuredResult): string {
  const result = returned.redacted_result ?? returned.result;
  const lines = [
    ...(error === null ? [] : [`${error.code}: ${error.message}${error.hint === null ? '' : ` (${error.hint})`}`]),
    ...(result === null ? [] : [JSON.stringify(result)]),
    ...(next === null ? [] : [next]),
    ...(error === null && result !== null ? [] : [`operation ${operation_id}: ${state}`]),
  ];
  return lines.join('\n');
}

/** A held call, for the client's user. */
export function heldInWords({ operation_id, approval_id, tool_id, reasons }: OperationView): string {
  const [reason] = reasons;
  return [
    `The call of \`${shownText(tool_id)}\` waits for a person who may decide about it${reason === undefined ? '' : `: ${shownText(reason.message)}`}.`,
    `They see it with \`writ approvals show ${approval_id ?? ''}\` (operation ${operation_id}).`,
    'Nothing that an MCP client answers approves it.',
  ].join(' ');
}
