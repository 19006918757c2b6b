// SPDX-License-Identifier: Apache-2.0
import type { Caller } from '@writ/contract';
import { agentFilterOf, type Rows } from '../../foundation/tenancy/index.ts';
import type { StoredToken } from './token-view.ts';

/**
 * The relation of a caller to a token. An agent `holds` its own tokens, and is `above` all tokens that are derived from
 * them, whoever holds those: it sees and revokes what it gave. It has no access to other tokens. Other roles are above
 * every token of their tenant.
 */
export async function relationOf(rows: Rows, caller: Caller, token: StoredToken): Promise<'above' | 'holds' | 'none'> {
  const { agent_id } = agentFilterOf(caller);
  if (agent_id === undefined) return 'above';
  const ancestors = token.chain.filter((id) => id !== token.capability_token_id);
  if ((await rows.token.count({ where: { capability_token_id: { in: ancestors }, agent_id } })) > 0) return 'above';
  return token.agent_id === agent_id ? 'holds' : 'none';
}
