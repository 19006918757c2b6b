// SPDX-License-Identifier: Apache-2.0
import type { ListMcpServerToolsQuery, McpServerTool, ToolCategory } from '@writ/client/web';
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSession } from './session.ts';

const TOOLS = 'tools';
const SERVERS = 'mcp-servers';
const PAGE = 100;
/** How often a server that is shown is read, in milliseconds: no event tells that it was listed again. */
const LISTING_MS = 4_000;

export type McpToolState = NonNullable<ListMcpServerToolsQuery['state']>;

/** Every tool of the tenant, Writ's own and registered ones. */
export function useTools() {
  const { api } = useSession();
  return useQuery({
    queryKey: [TOOLS, 'all'],
    queryFn: async ({ signal }) => (await api.tools.list({ signal })).items,
  });
}

export function useTool(toolId: string) {
  const { api } = useSession();
  return useQuery({ queryKey: [TOOLS, 'one', toolId], queryFn: ({ signal }) => api.tools.get(toolId, { signal }) });
}

export function useMcpServers() {
  const { api } = useSession();
  return useInfiniteQuery({
    queryKey: [SERVERS, 'list'],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) =>
      await api.mcpServers.list({ limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) }, { signal }),
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** A server, read again and again. */
export function useMcpServer(name: string) {
  const { api } = useSession();
  return useQuery({
    queryKey: [SERVERS, 'one', name],
    queryFn: ({ signal }) => api.mcpServers.get(name, { signal }),
    refetchInterval: LISTING_MS,
  });
}

/** What a server lists, with what was accepted of it. `checkedAt` is when it was listed last. */
export function useMcpServerTools(name: string, state: McpToolState | null, checkedAt: number | null) {
  const { api } = useSession();
  return useInfiniteQuery({
    queryKey: [SERVERS, 'tools', name, state, checkedAt],
    initialPageParam: null as string | null,
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam, signal }) => {
      const query: ListMcpServerToolsQuery = {
        limit: PAGE,
        ...(state === null ? {} : { state }),
        ...(pageParam === null ? {} : { cursor: pageParam }),
      };
      return await api.mcpServers.listTools(name, query, { signal });
    },
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** Has a server's tools listed as soon as an executor is free. */
export function useRefreshServer(name: string) {
  const { api } = useSession();
  const client = useQueryClient();
  return useMutation({
    retry: false,
    mutationFn: async () => await api.mcpServers.refresh(name),
    onSettled: async () => await client.invalidateQueries({ queryKey: [SERVERS] }),
  });
}

/**
 * Reviews a tool of a server. INVARIANT (as seen): it names the digest of the definition that was on the screen. Where
 * the server has listed another one meanwhile, the review is refused.
 */
export function useReview({ server, remote_name: name, seen }: McpServerTool) {
  const { api } = useSession();
  const client = useQueryClient();
  const digest = seen?.digest ?? '';
  const afterwards = async (answer: Promise<unknown>): Promise<void> => {
    try {
      await answer;
    } finally {
      await Promise.all([SERVERS, TOOLS].map((key) => client.invalidateQueries({ queryKey: [key] })));
    }
  };
  return {
    accept: async (category: ToolCategory | null) =>
      await afterwards(
        api.mcpServers.acceptTools(server, { tools: [{ name, digest, ...(category === null ? {} : { category }) }] }),
      ),
    refuse: async () => await afterwards(api.mcpServers.refuseTools(server, { tools: [{ name, digest }] })),
  };
}
