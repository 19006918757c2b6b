// SPDX-License-Identifier: Apache-2.0
import type { Agent } from '@writ/client/web';
import { useChange, usePaged, type Paged } from './paged.ts';

const AGENTS = 'agents';

/** All agents of the tenant, page by page. */
export const useAgents = (): Paged<Agent> =>
  usePaged([AGENTS, 'list'], (api, query, options) => api.agents.list(query, options));

export function useCreateAgent(): (name: string) => Promise<Agent> {
  const change = useChange();
  return async (name) => await change([AGENTS], (api) => api.agents.create({ name }));
}
