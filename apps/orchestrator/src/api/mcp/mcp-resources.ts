// SPDX-License-Identifier: Apache-2.0
import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type CompleteRequest,
  type CompleteResult,
  type InputRequiredResult,
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  type ReadResourceResult,
} from '@modelcontextprotocol/server';
import { Fault, type OperationId } from '@writ/contract';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { ShowOperation } from '../../calls/show-operation.ts';
import type { ReadReceipt } from '../../delivery/read-receipt.ts';
import { codeOf } from './call-result.ts';
import type { CallContext } from './call-context.ts';
import type { CallTool } from './call-tool.ts';
import type { McpAccess } from './access.ts';
import { shownText } from './shown-text.ts';
import { operationUri, parseUri, URI_TEMPLATES } from './uris.ts';

/** Operations of one page. */
const PAGE = 50;
/** Values that a completion may have. */
const COMPLETIONS_MAX = 100;

/**
 * What a request can read: files of the workspace, operations and receipts. A file is read by a call of `fs.read`:
 * an agent's key reads no file in another way, and each reading has a receipt.
 */
export class McpResources {
  readonly #kernel: KernelClient;
  readonly #calls: Pick<CallTool, 'run'>;
  readonly #show: Pick<ShowOperation, 'view'>;
  readonly #receipts: Pick<ReadReceipt, 'run'>;

  constructor(
    kernel: KernelClient,
    calls: Pick<CallTool, 'run'>,
    show: Pick<ShowOperation, 'view'>,
    receipts: Pick<ReadReceipt, 'run'>,
  ) {
    this.#kernel = kernel;
    this.#calls = calls;
    this.#show = show;
    this.#receipts = receipts;
  }

  /** The operations that the caller may see, newest first. Files are found by the tools that list them. */
  async list({ caller, agentId }: McpAccess, cursor: string | undefined): Promise<ListResourcesResult> {
    const { items, next_cursor } = await this.#operations(caller, agentId, cursor ?? null, PAGE);
    return {
      resources: items.map(({ operation_id, tool_id, state }) => ({
        uri: operationUri(operation_id),
        name: `${shownText(tool_id)} (${state})`,
        mimeType: 'application/json',
      })),
      ...(next_cursor === null ? {} : { nextCursor: next_cursor }),
    };
  }

  templates(): ListResourceTemplatesResult {
    return {
      resourceTemplates: [
        {
          uriTemplate: URI_TEMPLATES.file,
          name: 'file',
          description: 'A file of the workspace. Reading one is a call of `fs.read`.',
        },
        {
          uriTemplate: URI_TEMPLATES.operation,
          name: 'operation',
          description: 'A call: its state, its reasons and its result.',
          mimeType: 'application/json',
        },
        {
          uriTemplate: URI_TEMPLATES.receipt,
          name: 'receipt',
          description: 'The signed receipt of a call, which `writ verify` checks offline.',
          mimeType: 'application/json',
        },
      ],
    };
  }

  /** @throws ResourceNotFoundError, ProtocolError with the reason of a refusal, Fault */
  async read(context: CallContext, uri: string): Promise<ReadResourceResult | InputRequiredResult> {
    const named = parseUri(uri);
    if (named === null) throw new ResourceNotFoundError(uri);
    if (named.kind === 'file') return await this.#file(context, uri, named.path);
    const { caller } = context.access;
    try {
      const text =
        named.kind === 'receipt'
          ? await this.#receipts.run(caller, named.operationId as OperationId, null)
          : JSON.stringify(await this.#operation(context, named.operationId));
      return { contents: [{ uri, mimeType: 'application/json', text }] };
    } catch (error) {
      if (error instanceof Fault && error.code === 'not_found') throw new ResourceNotFoundError(uri);
      throw error;
    }
  }

  /** Completes ids of operations. Paths are not completed: listing them is a call. */
  async complete({ caller, agentId }: McpAccess, params: CompleteRequest['params']): Promise<CompleteResult> {
    const { ref, argument } = params;
    if (ref.type !== 'ref/resource' || argument.name !== 'operation_id') return { completion: { values: [] } };
    const { items } = await this.#operations(caller, agentId, null, COMPLETIONS_MAX);
    const values = items.map(({ operation_id }) => operation_id as string);
    return { completion: { values: values.filter((id) => id.startsWith(argument.value)) } };
  }

  #operations(caller: McpAccess['caller'], agent_id: string, cursor: string | null, limit: number) {
    const none = { state: null, tool_id: null, workspace_id: null, session_id: null, unresolved: false };
    return this.#kernel.ask('operation.list', caller, { page: { cursor, limit }, agent_id, ...none });
  }

  async #operation({ access: { caller } }: CallContext, operation_id: string): Promise<unknown> {
    return await this.#show.view(caller, await this.#kernel.ask('operation.read', caller, { operation_id }));
  }

  async #file(context: CallContext, uri: string, path: string): Promise<ReadResourceResult | InputRequiredResult> {
    const answer = await this.#calls.run({ ...context, canTakeTasks: false }, { name: 'fs.read', arguments: { path } });
    if (isInputRequiredResult(answer)) return answer;
    const structuredContent = answer.structuredContent as Record<string, unknown> | undefined;
    const { content, encoding } = (structuredContent?.['result'] ?? {}) as Record<string, unknown>;
    const code = codeOf(structuredContent);
    if (code === 'file.not_found') throw new ResourceNotFoundError(uri);
    if (typeof content !== 'string')
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'the file can not be read', {
        ...structuredContent,
        code,
      });
    return {
      contents: [
        encoding === 'base64'
          ? { uri, mimeType: 'application/octet-stream', blob: content }
          : { uri, mimeType: 'text/plain', text: content },
      ],
    };
  }
}
