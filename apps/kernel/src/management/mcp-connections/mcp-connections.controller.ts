// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  KERNEL_REQUESTS,
  MCP_CONSENT_REQUESTS,
  McpTokenClaimRequest,
  McpTokenReportRequest,
  parseMessage,
  type McpConnectionAsked,
  type McpConnectionView,
  type McpConsentBegun,
  type McpConsentKey,
  type McpConsentState,
  type McpConsentView,
  type McpTokenClaimReply,
  type McpTokenReportReply,
} from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { McpConnections } from './mcp-connections.ts';
import { McpConsents } from './mcp-consents.ts';
import { TokenWork } from './token-work.ts';

/** What callers of the API ask. */
@Controller()
export class McpConnectionsController {
  readonly #connections: McpConnections;

  constructor(connections: McpConnections) {
    this.#connections = connections;
  }

  @MessagePattern('kernel.mcp_connection.ask')
  async ask(@Payload() payload: unknown): Promise<McpConnectionAsked> {
    return await this.#connections.ask(parseMessage(KERNEL_REQUESTS['mcp_connection.ask'], payload));
  }

  @MessagePattern('kernel.mcp_connection.read')
  async read(@Payload() payload: unknown): Promise<McpConnectionView> {
    return await this.#connections.read(parseMessage(KERNEL_REQUESTS['mcp_connection.read'], payload));
  }

  @MessagePattern('kernel.mcp_connection.list')
  async list(@Payload() payload: unknown): Promise<ListPage<McpConnectionView>> {
    return await this.#connections.list(parseMessage(KERNEL_REQUESTS['mcp_connection.list'], payload));
  }

  @MessagePattern('kernel.mcp_connection.end')
  async end(@Payload() payload: unknown): Promise<McpConnectionView> {
    return await this.#connections.end(parseMessage(KERNEL_REQUESTS['mcp_connection.end'], payload));
  }
}

/** What a person's browser asks, through the orchestrator. */
@Controller()
export class McpConsentsController {
  readonly #consents: McpConsents;

  constructor(consents: McpConsents) {
    this.#consents = consents;
  }

  @MessagePattern('kernel.mcp_consent.look')
  async look(@Payload() payload: unknown): Promise<McpConsentView> {
    return await this.#consents.look(parseMessage(MCP_CONSENT_REQUESTS.look, payload));
  }

  @MessagePattern('kernel.mcp_consent.confirm')
  async confirm(@Payload() payload: unknown): Promise<McpConsentBegun> {
    return await this.#consents.confirm(parseMessage(MCP_CONSENT_REQUESTS.confirm, payload));
  }

  @MessagePattern('kernel.mcp_consent.callback')
  async callback(@Payload() payload: unknown): Promise<McpConsentState> {
    return await this.#consents.callback(parseMessage(MCP_CONSENT_REQUESTS.callback, payload));
  }

  @MessagePattern('kernel.mcp_consent.key')
  async key(@Payload() payload: unknown): Promise<McpConsentKey> {
    parseMessage(MCP_CONSENT_REQUESTS.key, payload);
    return await this.#consents.key();
  }

  @MessagePattern('kernel.mcp_consent.status')
  async status(@Payload() payload: unknown): Promise<McpConsentState> {
    return await this.#consents.status(parseMessage(MCP_CONSENT_REQUESTS.status, payload));
  }
}

/** What executors ask. */
@Controller()
export class TokenWorkController {
  readonly #work: TokenWork;

  constructor(work: TokenWork) {
    this.#work = work;
  }

  @MessagePattern('kernel.mcp_token.claim')
  async claim(@Payload() payload: unknown): Promise<McpTokenClaimReply> {
    return { v: 1, claim: await this.#work.claim(parseMessage(McpTokenClaimRequest, payload)) };
  }

  @MessagePattern('kernel.mcp_token.report')
  async report(@Payload() payload: unknown): Promise<McpTokenReportReply> {
    return { v: 1, counted: await this.#work.report(parseMessage(McpTokenReportRequest, payload)) };
  }
}
