// SPDX-License-Identifier: Apache-2.0
import type { EraseAnswerWithDryRun, EraseRequest, Erasure } from '@writ/client/web';
import { useChange, usePaged, type Paged } from './paged.ts';
import { useSession } from './session.ts';

const ERASURES = 'erasures';

/** Erasures, newest first, with those of retention. */
export const useErasures = (): Paged<Erasure> =>
  usePaged([ERASURES], (api, query, options) => api.erasures.list(query, options));

export interface ErasureChanges {
  /** What would be erased. Nothing is. */
  readonly preview: (request: EraseRequest) => Promise<EraseAnswerWithDryRun>;
  readonly erase: (request: EraseRequest) => Promise<unknown>;
}

export function useErasureChanges(): ErasureChanges {
  const { api } = useSession();
  const change = useChange();
  return {
    preview: async (request) => {
      const answer = await api.erasures.erase({ ...request, dry_run: true });
      if ('dry_run' in answer) return answer;
      throw new Error('the server erased where it was asked what it would erase');
    },
    erase: async (request) =>
      await change([ERASURES, 'operation', 'operations'], (writ) => writ.erasures.erase(request)),
  };
}
