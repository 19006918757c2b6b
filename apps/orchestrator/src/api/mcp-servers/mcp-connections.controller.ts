// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault, type Caller, type McpConnectionView } from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { AskConnection } from '../../calls/ask-connection.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { MCP_CONNECTIONS } from './routes.ts';
import type { McpConnectionLink } from './views.ts';

@Controller()
export class McpConnectionsController {
  constructor(
    private readonly kernel: KernelClient,
    private readonly asking: AskConnection,
  ) {}

  @Route(MCP_CONNECTIONS.ask)
  ask(
    @RequestInput() { caller, params: { mcp_server: name } }: RequestInputOf<typeof MCP_CONNECTIONS.ask>,
  ): Promise<McpConnectionLink> {
    return this.asking.ask(caller, name, false);
  }

  /** A route of its own, so that a token with scopes of several roles gets the role that it takes. */
  @Route(MCP_CONNECTIONS.askToList)
  askToList(
    @RequestInput() { caller, params: { mcp_server: name } }: RequestInputOf<typeof MCP_CONNECTIONS.askToList>,
  ): Promise<McpConnectionLink> {
    return this.asking.ask(caller, name, true);
  }

  @Route(MCP_CONNECTIONS.list)
  list(
    @RequestInput() { caller, query, params: { mcp_server: server } }: RequestInputOf<typeof MCP_CONNECTIONS.list>,
  ): Promise<ListPage<McpConnectionView>> {
    return this.kernel.ask('mcp_connection.list', caller, { page: pageOf(query), server });
  }

  @Route(MCP_CONNECTIONS.read)
  read(@RequestInput() { caller, params }: RequestInputOf<typeof MCP_CONNECTIONS.read>): Promise<McpConnectionView> {
    return this.#read(caller, params.mcp_server, params.connection_id);
  }

  @Route(MCP_CONNECTIONS.end)
  async end(
    @RequestInput() { caller, params }: RequestInputOf<typeof MCP_CONNECTIONS.end>,
  ): Promise<McpConnectionView> {
    const { connection_id } = await this.#read(caller, params.mcp_server, params.connection_id);
    return await this.kernel.ask('mcp_connection.end', caller, { connection_id });
  }

  /** Fault `not_found`, also for a connection to another server. */
  async #read(caller: Caller, server: string, connection_id: string): Promise<McpConnectionView> {
    const view = await this.kernel.ask('mcp_connection.read', caller, { connection_id });
    if (view.server !== server) throw new Fault('not_found');
    return view;
  }
}
