// SPDX-License-Identifier: Apache-2.0
// What a credential that was exchanged may ask of the kernel beside proposing calls.
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { PATTERN_METADATA } from '@nestjs/microservices/constants.js';
import { Fault, isId } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** Which member of a request names what the credential must reach; null: the request names nothing. */
type Names = 'operation_id' | 'capability_token_id' | null;

/**
 * The requests that such a credential may make as a caller. INVARIANT (deny by default): a request that isn't here is
 * refused, also one that comes with a later version. `kernel.admit` has no caller: triggers bind its calls.
 */
const PERMITTED: ReadonlyMap<string, Names> = new Map<string, Names>([
  ['kernel.operation.read', 'operation_id'],
  ['kernel.operation.result', 'operation_id'],
  ['kernel.operation.output', 'operation_id'],
  ['kernel.operation.requests', 'operation_id'],
  ['kernel.operation.cancel', 'operation_id'],
  ['kernel.token.read', 'capability_token_id'],
  ['kernel.tool.list', null],
  ['kernel.call.defaults', null],
]);

/**
 * Confines credentials that were exchanged to their capability token. INVARIANT (own calls only): whatever the API
 * lets through, such a credential sees and ends only calls that were made under the token that it is bound to.
 */
export class BoundCredentialGuard implements CanActivate {
  readonly #tenants: TenantPool;

  constructor(tenants: TenantPool) {
    this.#tenants = tenants;
  }

  /** @throws Fault `auth.role` for a request that is not for it, `not_found` for what it doesn't reach */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const payload = objectOf(context.switchToRpc().getData());
    const { tenant_id, api_key_id, role } = objectOf(payload['caller']);
    // A credential that was exchanged is an agent's. A message that isn't well-formed is refused by its handler.
    if (role !== 'agent' || !isId('tenant', tenant_id) || !isId('apiKey', api_key_id)) return true;
    const names = PERMITTED.get(patternOf(context));
    const named = names === undefined || names === null ? null : textOf(payload[names]);
    const reaches = await kernelSql.boundReach(this.#tenants.pool, {
      tenant: tenant_id,
      key: api_key_id,
      operation: names === 'operation_id' ? named : null,
      token: names === 'capability_token_id' ? named : null,
    });
    if (reaches === null) return true;
    if (names === undefined) throw new Fault('auth.role', 'an exchanged credential may not do this');
    if (!reaches) throw new Fault('not_found');
    return true;
  }
}

function patternOf(context: ExecutionContext): string {
  const [pattern] = (Reflect.getMetadata(PATTERN_METADATA, context.getHandler()) ?? []) as unknown[];
  return typeof pattern === 'string' ? pattern : '';
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** A text that names nothing where there is none, so that the answer is that it isn't reached. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
