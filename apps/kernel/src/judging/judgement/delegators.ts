// SPDX-License-Identifier: Apache-2.0
import type { CapabilityToken } from '@writ/contract';

/**
 * The agents above the calling one in its token's chain, in the chain's order, each once. A token that an agent
 * narrowed for itself delegates nothing.
 */
export const delegatorsOf = (agentId: string, chain: readonly Pick<CapabilityToken, 'agent_id'>[]): string[] =>
  [...new Set(chain.map(({ agent_id }) => agent_id))].filter((id) => id !== agentId);
