// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  SHELL_SESSION,
  type ShellAttachReply,
  type ShellAttachRequest,
  type ShellEndRequest,
  type ShellRenewRequest,
} from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** The longest time that a dead executor counts as alive; it renews several times in it. In milliseconds. */
const LEASE_MS = 6_000;

/**
 * Stores where the shells of sessions are, so that calls find them and callers learn that one has ended. It decides
 * nothing about what runs.
 */
export class ShellRegistry {
  readonly #tenants: TenantPool;

  constructor(tenants: TenantPool) {
    this.#tenants = tenants;
  }

  /**
   * Where the shell of the attempt's session is.
   * @throws Fault `attempt.fenced`
   */
  async attach({
    tenant_id,
    operation_id,
    attempt,
    executor_id,
    nonce,
    opens,
    shell_id,
  }: ShellAttachRequest): Promise<ShellAttachReply> {
    const found = await kernelSql.attachShell(this.#tenants.pool, {
      tenant: tenant_id,
      operation: operation_id,
      attempt,
      executor: executor_id,
      nonce,
      opens,
      shell: shell_id,
      lease_ms: LEASE_MS,
    });
    if (found === null) throw new Fault('attempt.fenced');
    return { v: 1, ...found };
  }

  /** Whether the executor is to keep the shell. */
  async renew({ tenant_id, executor_id, shell_id }: ShellRenewRequest): Promise<boolean> {
    return await kernelSql.renewShell(this.#tenants.pool, {
      tenant: tenant_id,
      executor: executor_id,
      shell: shell_id,
      lease_ms: LEASE_MS,
      tool: SHELL_SESSION.tool_id,
    });
  }

  /** Notes why it has ended; the first reason counts. */
  async end({ tenant_id, executor_id, shell_id, ending }: ShellEndRequest): Promise<void> {
    await kernelSql.endShell(this.#tenants.pool, { tenant: tenant_id, executor: executor_id, shell: shell_id, ending });
  }
}
