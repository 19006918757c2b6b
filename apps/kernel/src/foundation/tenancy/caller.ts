// SPDX-License-Identifier: Apache-2.0
import { Fault, isId, type Caller, type IdKind } from '@writ/contract';

/** @throws Fault `auth.role` unless the caller has one of the roles */
export function requireRole(caller: Caller, ...roles: readonly Caller['role'][]): void {
  if (!roles.includes(caller.role))
    throw new Fault('auth.role', `this takes the role ${roles.map((role) => `\`${role}\``).join(' or ')}`);
}

/**
 * The agent that the caller sees nothing beside: an agent's key reaches what is its agent's, and all else isn't there
 * for it.
 */
export function onlyAgentOf(caller: Caller): { readonly agent_id?: string } {
  if (caller.role !== 'agent') return {};
  if (caller.agent_id === null) throw new Fault('auth.role', 'a key of the role `agent` belongs to an agent');
  return { agent_id: caller.agent_id };
}

/**
 * INVARIANT (nothing to tell): what was never an id is answered as what isn't there, and what isn't there as what isn't
 * the caller's.
 * @throws Fault `not_found`
 */
export function requireId(kind: IdKind, text: string): void {
  if (!isId(kind, text)) throw new Fault('not_found');
}

/** The row, or its absence. @throws Fault `not_found` */
export function found<T>(row: T | null | undefined): T {
  if (row === null || row === undefined) throw new Fault('not_found');
  return row;
}
