// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { useSession } from './session.ts';

/** Things that a field offers. Beyond them a thing is reached by its own page. */
const CHOICES_MAX = 200;

/** The tokens of an agent, for a field that offers them. */
export function useTokensOf(agentId: string | null) {
  const { api } = useSession();
  return useQuery({
    queryKey: ['tokens', 'of', agentId],
    enabled: agentId !== null,
    queryFn: async ({ signal }) => {
      const { items } = await api.capabilityTokens.list({ agent_id: agentId ?? '', limit: CHOICES_MAX }, { signal });
      const now = Date.now();
      return items.filter(({ revoked, grant }) => !revoked && grant.expires_at > now);
    },
  });
}

/** Workspaces by name. */
export function useWorkspaceChoices() {
  const { api } = useSession();
  return useQuery({
    queryKey: ['workspaces', 'choices'],
    queryFn: async ({ signal }) => (await api.workspaces.list({ limit: CHOICES_MAX }, { signal })).items,
  });
}

/** Ids of all tools. */
export function useToolIds() {
  const { api } = useSession();
  return useQuery({
    queryKey: ['tools', 'ids'],
    queryFn: async ({ signal }) => (await api.tools.list({ signal })).items.map(({ tool_id }) => tool_id),
  });
}
