// SPDX-License-Identifier: Apache-2.0
import { Fault, isId, type Caller, type IdKind } from '@writ/contract';

/** @throws Fault `auth.role` unless the caller has one of the roles */
export function requireRole(caller: Caller, ...roles: readonly Caller['role'][]): void {
  if (!roles.includes(caller.role))
    throw new Fault('auth.role', `this requires the role ${roles.map((role) => `\`${role}\``).join(' or ')}`);
}

/** A filter by agent. A key of the role `agent` reaches only what is its agent's; for it, nothing else exists. */
export function agentFilterOf(caller: Caller): { readonly agent_id?: string } {
  if (caller.role !== 'agent') return {};
  if (caller.agent_id === null) throw new Fault('auth.role', 'a key of the role `agent` belongs to an agent');
  return { agent_id: caller.agent_id };
}

/**
 * INVARIANT (nothing to tell): an id that was never valid, an id that doesn't exist and an id that isn't the caller's
 * get the same answer.
 * @throws Fault `not_found`
 */
export function requireId(kind: IdKind, text: string): void {
  if (!isId(kind, text)) throw new Fault('not_found');
}

/** Returns the row. @throws Fault `not_found` where there is none */
export function requireFound<T>(row: T | null | undefined): T {
  if (row === null || row === undefined) throw new Fault('not_found');
  return row;
}
