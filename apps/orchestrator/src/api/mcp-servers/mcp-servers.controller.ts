// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { McpDecisionReply, McpServerToolView, McpServerView } from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { KernelReply } from '../../calls/kernel/kernel-replies.ts';
import { ProtectedResource } from '../../edge/access/oauth/protected-resource.ts';
import { consentDoneUri } from '../../edge/access/sign-in/redirect-uris.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { MCP_SERVERS } from './routes.ts';

/** A kernel of the version before knows servers over HTTP alone, and says so of none. */
const serverOf = (server: KernelReply<'mcp_server.read'>): McpServerView => ({
  transport: 'http',
  command: null,
  ...server,
});

@Controller()
export class McpServersController {
  constructor(
    private readonly kernel: KernelClient,
    private readonly resource: ProtectedResource,
  ) {}

  @Route(MCP_SERVERS.list)
  async list(
    @RequestInput() { caller, query }: RequestInputOf<typeof MCP_SERVERS.list>,
  ): Promise<ListPage<McpServerView>> {
    const page = await this.kernel.ask('mcp_server.list', caller, { page: pageOf(query) });
    return { ...page, items: page.items.map((view) => this.#shown(view)) };
  }

  @Route(MCP_SERVERS.read)
  async read(
    @RequestInput() { caller, params: { mcp_server: name } }: RequestInputOf<typeof MCP_SERVERS.read>,
  ): Promise<McpServerView> {
    return this.#shown(await this.kernel.ask('mcp_server.read', caller, { name }));
  }

  @Route(MCP_SERVERS.refresh)
  async refresh(
    @RequestInput() { caller, params: { mcp_server: name } }: RequestInputOf<typeof MCP_SERVERS.refresh>,
  ): Promise<McpServerView> {
    return this.#shown(await this.kernel.ask('mcp_server.refresh', caller, { name }));
  }

  @Route(MCP_SERVERS.tools)
  tools(
    @RequestInput() { caller, query, params: { mcp_server: name } }: RequestInputOf<typeof MCP_SERVERS.tools>,
  ): Promise<ListPage<McpServerToolView>> {
    return this.kernel.ask('mcp_server.tools', caller, { name, page: pageOf(query), state: query.state ?? null });
  }

  @Route(MCP_SERVERS.accept)
  accept(
    @RequestInput()
    { caller, body: { tools }, params: { mcp_server: name } }: RequestInputOf<typeof MCP_SERVERS.accept>,
  ): Promise<McpDecisionReply> {
    return this.kernel.ask('mcp_server.accept', caller, { name, tools });
  }

  @Route(MCP_SERVERS.refuse)
  refuse(
    @RequestInput()
    { caller, body: { tools }, params: { mcp_server: name } }: RequestInputOf<typeof MCP_SERVERS.refuse>,
  ): Promise<McpDecisionReply> {
    return this.kernel.ask('mcp_server.refuse', caller, { name, tools });
  }

  #shown(read: KernelReply<'mcp_server.read'>): McpServerView {
    const [view, { url }] = [serverOf(read), this.resource];
    if (url === null || view.oauth === undefined || view.oauth === null) return view;
    return { ...view, oauth: { ...view.oauth, redirect_uri: consentDoneUri(url, view.resource_id) } };
  }
}
