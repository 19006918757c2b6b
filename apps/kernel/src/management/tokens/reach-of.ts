// SPDX-License-Identifier: Apache-2.0
import type { Caller } from '@writ/contract';
import { onlyAgentOf, type Rows } from '../../foundation/tenancy/index.ts';
import type { StoredToken } from './token-view.ts';

/**
 * Where a caller stands to a token. An agent `holds` its own tokens, and stands `above` what was made of them, whoever
 * holds that: what it gave, it sees and takes back. Everything else isn't there for it. People stand above every token
 * of their tenant.
 */
export async function reachOf(rows: Rows, caller: Caller, token: StoredToken): Promise<'above' | 'holds' | 'none'> {
  const { agent_id } = onlyAgentOf(caller);
  if (agent_id === undefined) return 'above';
  const ancestors = token.chain.filter((id) => id !== token.capability_token_id);
  if ((await rows.token.count({ where: { capability_token_id: { in: ancestors }, agent_id } })) > 0) return 'above';
  return token.agent_id === agent_id ? 'holds' : 'none';
}
