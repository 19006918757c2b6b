// SPDX-License-Identifier: Apache-2.0
import type { Freeze, PlaceFreezeRequest } from '@writ/client/web';
import { useQuery } from '@tanstack/react-query';
import { useChange, usePaged, type Paged } from './paged.ts';
import { useSession } from './session.ts';

const FREEZES = 'freezes';
/** No event tells of a freeze, so they are read this often. */
const EVERY_MS = 15_000;

/** Freezes, newest first, with those of the whole deployment. */
export const useFreezes = (isStandingOnly: boolean): Paged<Freeze> =>
  usePaged(
    [FREEZES, isStandingOnly],
    (api, query, options) => api.freezes.list({ ...query, ...(isStandingOnly ? { standing: true } : {}) }, options),
    { everyMs: EVERY_MS },
  );

/** What is in effect now and stops every call of the tenant. Empty also where the reader may not see freezes. */
export function useFullStops(): readonly Freeze[] {
  const { api, me } = useSession();
  const { data } = useQuery({
    queryKey: [FREEZES, 'stops'],
    enabled: me.role === 'admin' || me.role === 'operator' || me.role === 'auditor',
    refetchInterval: EVERY_MS,
    queryFn: async ({ signal }) => (await api.freezes.list({ standing: true }, { signal })).items,
  });
  return (data ?? []).filter(({ scope }) => scope === 'tenant' || scope === 'all');
}

/** Places a freeze. It is in effect when this resolves. */
export function usePlaceFreeze(): (freeze: PlaceFreezeRequest) => Promise<Freeze> {
  const change = useChange();
  return async (freeze) => await change([FREEZES], (api) => api.freezes.place(freeze));
}

export function useLiftFreeze(): (freezeId: string) => Promise<Freeze> {
  const change = useChange();
  return async (freezeId) => await change([FREEZES], (api) => api.freezes.lift(freezeId));
}
