// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { useSession } from './session.ts';

/** Agents whose names are read. Beyond them an agent is shown by its id. */
const AGENTS_MAX = 200;

/** The names of agents, by their ids. */
export function useAgentNames(): ReadonlyMap<string, string> {
  const { api } = useSession();
  const { data } = useQuery({
    queryKey: ['agents', 'names'],
    queryFn: async ({ signal }) => {
      const { items } = await api.agents.list({ limit: AGENTS_MAX }, { signal });
      return new Map(items.map(({ agent_id, name }) => [agent_id, name]));
    },
  });
  return data ?? NONE;
}
const NONE: ReadonlyMap<string, string> = new Map();
