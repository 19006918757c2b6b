// SPDX-License-Identifier: Apache-2.0
import type { AttenuateTokenRequest, Token } from '@writ/client/web';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useSession } from './session.ts';

const TOKENS = 'tokens';
const PAGE = 200;
/** Tokens that the tree is made of. Beyond them the newest are shown. */
const TOKENS_MAX = 5_000;

/** The tokens of the tenant, newest first, and whether they are all. */
export interface AllTokens {
  readonly tokens: readonly Token[];
  readonly isAll: boolean;
}

/** All tokens: a tree needs the parents of each, wherever they are in the list. */
export function useAllTokens() {
  const { api } = useSession();
  return useQuery({
    queryKey: [TOKENS, 'all'],
    queryFn: async ({ signal }): Promise<AllTokens> => {
      const tokens: Token[] = [];
      for (let cursor: string | null = null; ;) {
        const place: { readonly cursor?: string } = cursor === null ? {} : { cursor };
        const page: { readonly items: readonly Token[]; readonly next_cursor: string | null } =
          await api.capabilityTokens.list({ limit: PAGE, ...place }, { signal });
        tokens.push(...page.items);
        cursor = page.next_cursor;
        if (cursor === null || tokens.length >= TOKENS_MAX) return { tokens, isAll: cursor === null };
      }
    },
  });
}

/** One token, with the first page of its children. */
export function useToken(tokenId: string) {
  const { api } = useSession();
  return useQuery({
    queryKey: [TOKENS, 'one', tokenId],
    queryFn: ({ signal }) => api.capabilityTokens.get(tokenId, { expand: 'children' }, { signal }),
  });
}

/** What changes tokens. Each fails with the server's refusal, and reads what is shown again. */
export function useTokenChanges(tokenId: string) {
  const { api } = useSession();
  const client = useQueryClient();
  const afterwards = async (answer: Promise<Token>): Promise<Token> => {
    try {
      return await answer;
    } finally {
      await client.invalidateQueries({ queryKey: [TOKENS] });
    }
  };
  return {
    attenuate: async (narrower: AttenuateTokenRequest) =>
      await afterwards(api.capabilityTokens.attenuate(tokenId, narrower)),
    revoke: async () => await afterwards(api.capabilityTokens.revoke(tokenId)),
  };
}
