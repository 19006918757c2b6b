// SPDX-License-Identifier: Apache-2.0
import type { FaultCode } from '@writ/contract';
import type { McpError, McpFailure } from '@writ/mcp-client';

/** A call or a listing at an MCP server that failed, by its fault. */
export class McpCallError extends Error {
  readonly code: FaultCode;
  readonly hint: string | null;

  constructor(code: FaultCode, message: string, hint: string | null = null, options?: ErrorOptions) {
    super(message, options);
    this.name = 'McpCallError';
    this.code = code;
    this.hint = hint;
  }
}

/** Before the call was sent, the server did nothing, whatever it says. */
const BEFORE: Readonly<Record<McpFailure, FaultCode>> = {
  unreachable: 'mcp.unreachable',
  denied: 'mcp.unreachable',
  refused: 'mcp.unreachable',
  failed: 'mcp.unreachable',
  malformed: 'mcp.protocol',
  too_large: 'mcp.protocol',
  unsendable: 'args.invalid',
  timeout: 'command.timeout',
  changed: 'mcp.definition_changed',
  gone: 'mcp.definition_gone',
  unsupported: 'mcp.unsupported',
  result_invalid: 'mcp.result_invalid',
};
/** INVARIANT (refused means nothing done): the kernel takes a refusal for that, so it stands for nothing else. */
const AFTER: Readonly<Record<McpFailure, FaultCode>> = {
  ...BEFORE,
  unsendable: 'mcp.protocol',
  unreachable: 'egress.failed',
  denied: 'mcp.refused',
  refused: 'mcp.refused',
  failed: 'mcp.failed',
};

const HINTS: Readonly<Partial<Record<McpFailure, string>>> = {
  denied: 'an administrator checks the credential of the server, and the secret that it names',
  changed: 'an administrator looks at what changed by `writ mcp-server diff NAME`, and accepts it or not',
  gone: 'an administrator has the tools of the server listed again by `writ mcp-server refresh NAME`',
};

/** The fault of a failed session. @param hasCalled whether the call of the tool may have left */
export const toCallError = ({ reason, message, cause }: McpError, hasCalled: boolean): McpCallError =>
  new McpCallError((hasCalled ? AFTER : BEFORE)[reason], message, HINTS[reason] ?? null, { cause });
