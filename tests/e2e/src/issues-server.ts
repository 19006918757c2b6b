// SPDX-License-Identifier: Apache-2.0
// The MCP server of docs/how-to/mcp-servers.md: it creates issues and shows them, also as resources.
import { createMcpHandler, fromJsonSchema, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';

const CREATE = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] } as const;
const GET = { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] } as const;

export interface IssuesServer {
  readonly fetch: (request: Request) => Promise<Response>;
  /** describes `create_issue` otherwise from now on */
  describe: (description: string) => void;
  /** what happens when an issue was created */
  onCreated: () => void;
}

/** A server of the official SDK, for both revisions. */
export function issuesServer(): IssuesServer {
  let description = 'Creates an issue.';
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'issues', version: '1' });
    const created = { description, inputSchema: fromJsonSchema<{ title: string }>(CREATE) };
    server.registerTool('create_issue', created, ({ title }) => {
      self.onCreated();
      return { content: [{ type: 'text', text: `created ${title}` }] };
    });
    const shown = { description: 'Shows an issue.', inputSchema: fromJsonSchema<{ number: number }>(GET) };
    server.registerTool('get_issue', shown, ({ number }) => ({
      content: [{ type: 'text', text: `issue ${String(number)} is open` }],
    }));
    const template = new ResourceTemplate('issue://{number}', { list: undefined });
    server.registerResource('issue', template, {}, ({ href: uri }, { number }) => ({
      contents: [{ uri, mimeType: 'text/markdown', text: `# Issue ${String(number)}` }],
    }));
    return server;
  });
  const self: IssuesServer = {
    fetch: (request) => handler.fetch(request),
    describe: (text) => {
      description = text;
    },
    onCreated: () => undefined,
  };
  return self;
}
