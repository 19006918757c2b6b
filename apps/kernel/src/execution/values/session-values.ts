// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  RESOURCE_SECRET_PREFIX,
  secretsNamed,
  secretsOfSettings,
  VALUE_GET,
  type BoundResource,
  type NamesSecrets,
  type PermitMode,
  type ToolDefinition,
  type ValueScope,
} from '@writ/contract';
import { valueRequestOf, sessionOf, type ValueRequest } from '../../judging/judgement/index.ts';
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

/** Values that people gave, for one use or for a session: stored sealed, opened for the call that may have them. */
export class SessionValues {
  readonly #tenants: TenantPool;
  readonly #vault: TenantVault;

  constructor(tenants: TenantPool, vault: TenantVault) {
    this.#tenants = tenants;
    this.#vault = vault;
  }

  /**
   * The parameters of kernel.put_value. A value for one use that is no secret belongs to the call that requested it; a
   * secret waits for the call that uses it.
   */
  async seal(
    request: ValueRequest,
    operationId: string,
    { approval_id, scope, value, expires_at }: GivenValue,
  ): Promise<Readonly<Record<string, unknown>>> {
    const cipher = await this.#vault.cipherFor(request.tenant_id);
    const { agent_id, name, secret } = request;
    return {
      approval_id,
      agent_id,
      session_id: sessionOf(request),
      name,
      secret,
      scope,
      key_id: cipher.keyId,
      expires_at,
      taken_by: scope === 'once' && !secret ? operationId : null,
      sealed: cipher.sealValue('session-value', [approval_id, name], value).toString('base64'),
    };
  }

  /**
   * The value of the name for the call; null where there is none. A value for one use is the call's from then on.
   * `isGranted`: whether the call's token grants the secret; if it doesn't, the tenant's secret is never returned.
   */
  async consume(request: ValueRequest, operationId: string, isGranted = true): Promise<string | null> {
    const { tenant_id, agent_id, name, secret } = request;
    const take = isGranted ? kernelSql.takeValue : kernelSql.takeGivenValue;
    const consumed = await take(this.#tenants.pool, {
      tenant: tenant_id,
      agent: agent_id,
      session: sessionOf(request),
      name,
      secret,
      operation: operationId,
    });
    if (consumed === null) return null;
    const cipher = await this.#vault.cipherFor(tenant_id);
    const sealed = Buffer.from(consumed.sealed, 'base64');
    return (
      consumed.approval_id === undefined
        ? cipher.openValue('secret', [name, String(consumed.version)], sealed)
        : cipher.openValue('session-value', [consumed.approval_id, name], sealed)
    ).toString('utf8');
  }

  /**
   * The values that an attempt may see. The tool that requests a value gets it if it is no secret; for a secret it gets
   * nothing, since it only returns a reference. Any other tool gets the secrets that its arguments name. A preview sees
   * none. `grants`: whether the call's token grants a secret.
   * @throws Fault `value.missing`, `secret.unknown` for a value that is gone since the call was decided
   */
  async forCall(
    operation: OperationRow,
    tool: NamesSecrets,
    args: Readonly<Record<string, unknown>>,
    { mode, grants }: { readonly mode: PermitMode; readonly grants: (name: string) => boolean },
  ): Promise<Readonly<Record<string, string>>> {
    if (operation.tool_id === VALUE_GET.tool_id) {
      const request = valueRequestOf(operation, args);
      return request.secret ? {} : { [request.name]: await this.#consume(request, operation, true, 'value.missing') };
    }
    if (mode === 'preview') return {};
    const values: Record<string, string> = {};
    for (const name of secretsNamed(tool, args).names)
      values[name] = await this.#consume(namedBy(operation, name), operation, grants(name), 'secret.unknown');
    return values;
  }

  /**
   * The tenant's secrets that the settings of the call's resources name, and those of the credentials of an HTTP tool,
   * by the name with `RESOURCE_SECRET_PREFIX`. The grant of the resource or of the tool suffices for them. A value that
   * a person gave to a session is none of them.
   * @throws Fault `secret.unknown` for one that is gone since the call was decided
   */
  async forResources(
    { tenant_id, operation_id }: Pick<OperationRow, 'tenant_id' | 'operation_id'>,
    resources: readonly BoundResource[],
    { http }: Pick<ToolDefinition, 'http'>,
  ): Promise<Readonly<Record<string, string>>> {
    const names = new Set([
      ...resources.flatMap(({ settings }) => secretsOfSettings(settings)),
      ...(http?.credentials.map(({ secret }) => secret) ?? []),
    ]);
    const values: Record<string, string> = {};
    for (const name of names) {
      const request = { tenant_id, agent_id: '', session_id: '', capability_token_id: '', name, secret: true };
      const value = await this.consume(request, operation_id);
      if (value === null)
        throw new Fault(
          'secret.unknown',
          `the secret \`${name}\` of the ${http === undefined ? 'resource' : 'tool'} does not exist`,
        );
      values[`${RESOURCE_SECRET_PREFIX}${name}`] = value;
    }
    return values;
  }

  async #consume(
    request: ValueRequest,
    { operation_id }: OperationRow,
    isGranted: boolean,
    fault: 'value.missing' | 'secret.unknown',
  ): Promise<string> {
    const value = await this.consume(request, operation_id, isGranted);
    if (value === null) throw new Fault(fault, `\`${request.name}\` is over since the call was decided`);
    return value;
  }
}

const namedBy = (
  { tenant_id, agent_id, session_id, capability_token_id }: OperationRow,
  name: string,
): ValueRequest => ({ tenant_id, agent_id, session_id, capability_token_id, name, secret: true });
