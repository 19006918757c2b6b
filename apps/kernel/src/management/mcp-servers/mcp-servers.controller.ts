// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  KERNEL_REQUESTS,
  McpClaimRequest,
  McpReportRequest,
  parseMessage,
  type McpClaimReply,
  type McpDecisionReply,
  type McpDefinitions,
  type McpReportReply,
  type McpServerToolView,
  type McpServerView,
  type McpToolFound,
} from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { DecideMcpTools } from './decide-tools.ts';
import { McpListings } from './mcp-listings.ts';
import { McpServers } from './mcp-servers.ts';

@Controller()
export class McpServersController {
  readonly #servers: McpServers;
  readonly #decide: DecideMcpTools;

  constructor(servers: McpServers, decide: DecideMcpTools) {
    this.#servers = servers;
    this.#decide = decide;
  }

  @MessagePattern('kernel.mcp_server.list')
  async list(@Payload() payload: unknown): Promise<ListPage<McpServerView>> {
    return await this.#servers.list(parseMessage(KERNEL_REQUESTS['mcp_server.list'], payload));
  }

  @MessagePattern('kernel.mcp_server.read')
  async read(@Payload() payload: unknown): Promise<McpServerView> {
    return await this.#servers.read(parseMessage(KERNEL_REQUESTS['mcp_server.read'], payload));
  }

  @MessagePattern('kernel.mcp_server.refresh')
  async refresh(@Payload() payload: unknown): Promise<McpServerView> {
    return await this.#servers.refresh(parseMessage(KERNEL_REQUESTS['mcp_server.refresh'], payload));
  }

  @MessagePattern('kernel.mcp_server.tools')
  async tools(@Payload() payload: unknown): Promise<ListPage<McpServerToolView>> {
    return await this.#servers.tools(parseMessage(KERNEL_REQUESTS['mcp_server.tools'], payload));
  }

  @MessagePattern('kernel.mcp_server.find_tool')
  async findTool(@Payload() payload: unknown): Promise<McpToolFound> {
    return await this.#servers.findTool(parseMessage(KERNEL_REQUESTS['mcp_server.find_tool'], payload));
  }

  @MessagePattern('kernel.mcp_server.definitions')
  async definitions(@Payload() payload: unknown): Promise<McpDefinitions> {
    return await this.#servers.definitions(parseMessage(KERNEL_REQUESTS['mcp_server.definitions'], payload));
  }

  @MessagePattern('kernel.mcp_server.accept')
  async accept(@Payload() payload: unknown): Promise<McpDecisionReply> {
    return await this.#decide.accept(parseMessage(KERNEL_REQUESTS['mcp_server.accept'], payload));
  }

  @MessagePattern('kernel.mcp_server.refuse')
  async refuse(@Payload() payload: unknown): Promise<McpDecisionReply> {
    return await this.#decide.refuse(parseMessage(KERNEL_REQUESTS['mcp_server.refuse'], payload));
  }
}

/** What executors ask. */
@Controller()
export class McpListingsController {
  readonly #listings: McpListings;

  constructor(listings: McpListings) {
    this.#listings = listings;
  }

  @MessagePattern('kernel.mcp.claim')
  async claim(@Payload() payload: unknown): Promise<McpClaimReply> {
    return { v: 1, claim: await this.#listings.claim(parseMessage(McpClaimRequest, payload)) };
  }

  @MessagePattern('kernel.mcp.report')
  async report(@Payload() payload: unknown): Promise<McpReportReply> {
    return { v: 1, counted: await this.#listings.report(parseMessage(McpReportRequest, payload)) };
  }
}
