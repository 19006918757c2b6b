// SPDX-License-Identifier: Apache-2.0
//
// Results in the shape that the server of a mount gives them. INVARIANT (whose words): a result without `isError` is
// the server's. What Writ says itself has `isError`, so no program takes it for what the tool returned.
import type { CallToolResult } from '@modelcontextprotocol/server';
import { isFinal, type Fault, type OperationView } from '@writ/contract';
import { faultResult, OPERATION_META, resultOf, structuredOf, textOf, type StructuredResult } from '../call-result.ts';
import type { Results } from '../results.ts';

/** The member of `_meta` that says what Writ knows of the operation. */
export const ABOUT_META = 'writ.dev/operation';

/** The result of a tool of an MCP server, as its operation has it (`RemoteAnswer` of libs/mcp-client). */
interface RemoteResult {
  readonly content: CallToolResult['content'];
  readonly structured: unknown;
  readonly is_error: boolean;
  readonly truncated: boolean;
}

export interface MountResultsOptions {
  /** the name of the server */
  readonly server: string;
  /** whether the client speaks the stateless revision, in which structured content is any JSON */
  readonly isModern: boolean;
  /** whether a tool declares the form of its structured result, so that clients reject a result without it */
  readonly promisesStructure: (toolId: string) => Promise<boolean>;
}

const ASKS =
  'The server asks its client for more, and this answer can not pass that on. Calling the tool again may repeat what it has done. If that does no harm, call it with a client that declares what the server asks for.';
const LEFT_OUT = 'The call succeeded. Its structured result is too long for an answer, and was left out.';
const REDACTED = 'The call succeeded. The policy keeps parts of its result from you.';

/** Answers as the server of a mount does. */
export class MountResults implements Results {
  readonly #options: MountResultsOptions;

  constructor(options: MountResultsOptions) {
    this.#options = options;
  }

  async of(view: OperationView): Promise<CallToolResult> {
    // `operations_wait` may be asked about an operation of any tool.
    if (!view.tool_id.startsWith(`mcp.${this.#options.server}.`)) return resultOf(view);
    const structured = structuredOf(view);
    const answer = isFinal(view.state) && structured.error === null ? view.result?.result : null;
    if (isObject(answer) && answer['asks'] !== undefined) return asking(structured);
    if (view.redactions !== undefined && isObject(answer)) return await this.#redacted(view, structured, answer);
    if (!isRemoteResult(answer)) return inWords(structured);
    const { content, structured: value, is_error, truncated } = answer;
    const isLost = !is_error && truncated && value === null && (await this.#options.promisesStructure(view.tool_id));
    return {
      content: isLost ? [{ type: 'text', text: LEFT_OUT }, ...content] : content,
      ...this.#structured(value),
      ...(is_error || isLost ? { isError: true } : {}),
      _meta: metaOf(structured),
    };
  }

  fault(fault: Fault, operationId: string): CallToolResult {
    return inWords(faultResult(fault, operationId).structuredContent as unknown as StructuredResult);
  }

  /** The parts of a redacted result are redacted whole, since they repeat what is structured. */
  async #redacted(
    { tool_id }: OperationView,
    structured: StructuredResult,
    answer: Readonly<Record<string, unknown>>,
  ): Promise<CallToolResult> {
    const isError = answer['is_error'] !== false || (await this.#options.promisesStructure(tool_id));
    return {
      content: [{ type: 'text', text: `${REDACTED}\n${JSON.stringify(answer['structured'] ?? null)}` }],
      ...(isError ? { isError } : this.#structured(answer['structured'])),
      _meta: metaOf(structured),
    };
  }

  /** In the revision 2025-11-25 structured content is an object, and the SDK puts any other value into one so. */
  #structured(value: unknown): { readonly structuredContent?: Record<string, unknown> } {
    if (value === null || value === undefined) return {};
    const structuredContent = this.#options.isModern || isObject(value) ? value : { result: value };
    return { structuredContent: structuredContent as Record<string, unknown> };
  }
}

/** What Writ says of an operation that has no result of the server. */
function inWords(structured: StructuredResult): CallToolResult {
  return { content: [{ type: 'text', text: textOf(structured) }], isError: true, _meta: metaOf(structured) };
}

/** A question that reaches no client: of `operations_wait`, or of a client that can answer less by now. */
const asking = (structured: StructuredResult): CallToolResult => ({
  content: [{ type: 'text', text: ASKS }],
  isError: true,
  _meta: metaOf(structured),
});

/** The members of `_meta` that say which operation an answer is of. */
export function metaOf({ result: _result, redacted_result: _redacted, ...about }: StructuredResult) {
  return { [OPERATION_META]: about.operation_id, [ABOUT_META]: about };
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A dry run and a call whose result was erased have another one, or none. */
export const isRemoteResult = (value: unknown): value is RemoteResult =>
  isObject(value) && Array.isArray(value['content']) && typeof value['is_error'] === 'boolean';
