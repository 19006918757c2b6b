// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http';
import type { McpRemoteTool } from '@writ/contract';
import type { ExternalHosts } from './external-hosts.ts';

/** A message as the server received it. */
export interface McpMessage {
  readonly method: string;
  readonly id: unknown;
  readonly params: Readonly<Record<string, unknown>>;
}

export type McpAnswer = (message: McpMessage, response: ServerResponse) => unknown;

export const REMOTE_TOOL: McpRemoteTool = {
  name: 'create_issue',
  description: 'Creates an issue.',
  inputSchema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  outputSchema: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
};

/** An MCP server of revision 2026-07-28 at the external hosts, whose answers a test replaces by the method. */
export class McpUpstream {
  readonly messages: McpMessage[] = [];
  tools: readonly unknown[] = [REMOTE_TOOL];
  capabilities: Readonly<Record<string, unknown>> = { tools: {} };
  ttlMs = 0;
  answers: Readonly<Record<string, McpAnswer>> = {};

  constructor(outside: ExternalHosts) {
    outside.answer = (_request, response, body) => {
      const { method = '', id, params = {} } = JSON.parse(body) as Partial<McpMessage>;
      const message = { method, id, params };
      this.messages.push(message);
      (this.answers[method] ?? ((asked, own) => this.#usual(asked, own)))(message, response);
    };
  }

  get methods(): readonly string[] {
    return this.messages.map(({ method }) => method);
  }

  /** Answers with a complete result. */
  result({ id }: McpMessage, response: ServerResponse, result: Readonly<Record<string, unknown>>): void {
    const message = { jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
  }

  #usual(message: McpMessage, response: ServerResponse): void {
    const cached = { ttlMs: this.ttlMs, cacheScope: 'private' };
    if (message.method === 'server/discover')
      this.result(message, response, { supportedVersions: ['2026-07-28'], capabilities: this.capabilities, ...cached });
    else if (message.method === 'tools/list') this.result(message, response, { tools: this.tools, ...cached });
    else
      this.result(message, response, { content: [{ type: 'text', text: 'done' }], structuredContent: { number: 7 } });
  }
}
