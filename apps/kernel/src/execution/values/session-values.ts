// SPDX-License-Identifier: Apache-2.0
import { Fault, secretsNamed, VALUE_GET, type NamesSecrets, type PermitMode, type ValueScope } from '@writ/contract';
import { askOf, sessionOf, type ValueAsk } from '../../judging/judgement/index.ts';
import type { TenantVault } from '../../evidence/payload/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** A value that a person gives to the call that waits for it. */
export interface GivenValue {
  readonly approval_id: string;
  readonly scope: Exclude<ValueScope, 'stored'>;
  readonly value: Buffer;
  /** milliseconds by the database's clock */
  readonly expires_at: number;
}

/**
 * Values that people gave, for one use or for a session: sealed where they lie, opened for the call that may have them.
 */
export class SessionValues {
  readonly #tenants: TenantPool;
  readonly #vault: TenantVault;

  constructor(tenants: TenantPool, vault: TenantVault) {
    this.#tenants = tenants;
    this.#vault = vault;
  }

  /**
   * What kernel.put_value reads. What is no secret and for one use belongs to the call that asked for it; a secret
   * waits for the one that uses it.
   */
  async seal(
    ask: ValueAsk,
    operationId: string,
    { approval_id, scope, value, expires_at }: GivenValue,
  ): Promise<Readonly<Record<string, unknown>>> {
    const box = await this.#vault.of(ask.tenant_id);
    const { agent_id, name, secret } = ask;
    return {
      approval_id,
      agent_id,
      session_id: sessionOf(ask),
      name,
      secret,
      scope,
      key_id: box.keyId,
      expires_at,
      taken_by: scope === 'once' && !secret ? operationId : null,
      sealed: box.sealValue('session-value', [approval_id, name], value).toString('base64'),
    };
  }

  /**
   * The value of the name for the call, and the call's from here on where it is for one use; null where there is none.
   */
  async take(ask: ValueAsk, operationId: string): Promise<string | null> {
    const { tenant_id, agent_id, name, secret } = ask;
    const taken = await kernelSql.takeValue(this.#tenants.pool, {
      tenant: tenant_id,
      agent: agent_id,
      session: sessionOf(ask),
      name,
      secret,
      operation: operationId,
    });
    if (taken === null) return null;
    const box = await this.#vault.of(tenant_id);
    const sealed = Buffer.from(taken.sealed, 'base64');
    return (
      taken.approval_id === undefined
        ? box.openValue('secret', [name, String(taken.version)], sealed)
        : box.openValue('session-value', [taken.approval_id, name], sealed)
    ).toString('utf8');
  }

  /**
   * The values that an attempt may see. Of the tool that asks for one: the value, where it is no secret; of a secret
   * nothing, since a reference is all that it answers. Of any other tool: the secrets that its arguments name. A
   * preview sees none.
   * @throws Fault `value.missing`, `secret.unknown` for what has gone since the call was decided
   */
  async forCall(
    operation: OperationRow,
    tool: NamesSecrets,
    args: Readonly<Record<string, unknown>>,
    mode: PermitMode,
  ): Promise<Readonly<Record<string, string>>> {
    if (operation.tool_id === VALUE_GET.tool_id) {
      const ask = askOf(operation, args);
      return ask.secret ? {} : { [ask.name]: await this.#take(ask, operation, 'value.missing') };
    }
    if (mode === 'preview') return {};
    const values: Record<string, string> = {};
    for (const name of secretsNamed(tool, args).names)
      values[name] = await this.#take(namedBy(operation, name), operation, 'secret.unknown');
    return values;
  }

  async #take(
    ask: ValueAsk,
    { operation_id }: OperationRow,
    gone: 'value.missing' | 'secret.unknown',
  ): Promise<string> {
    const value = await this.take(ask, operation_id);
    if (value === null) throw new Fault(gone, `\`${ask.name}\` is over since the call was decided`);
    return value;
  }
}

const namedBy = ({ tenant_id, agent_id, session_id, capability_token_id }: OperationRow, name: string): ValueAsk => ({
  tenant_id,
  agent_id,
  session_id,
  capability_token_id,
  name,
  secret: true,
});
