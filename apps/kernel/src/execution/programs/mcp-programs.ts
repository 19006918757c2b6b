// SPDX-License-Identifier: Apache-2.0
import type { McpProgramsReply, McpProgramsRequest } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/**
 * Says which processes of MCP servers that are programs may wait for another call. It decides nothing about calls: each
 * of them is decided and redeemed by itself.
 */
export class McpPrograms {
  readonly #tenants: TenantPool;

  constructor(tenants: TenantPool) {
    this.#tenants = tenants;
  }

  /** A process of which nothing is known is not among the live ones. */
  async live({ tenant_id, executor_id, programs }: McpProgramsRequest): Promise<McpProgramsReply['live']> {
    return await kernelSql.liveMcpPrograms(this.#tenants.pool, {
      tenant: tenant_id,
      executor: executor_id,
      first: programs.map(({ first }) => first),
      last: programs.map(({ last }) => last),
    });
  }
}
