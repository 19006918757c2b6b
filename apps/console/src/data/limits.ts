// SPDX-License-Identifier: Apache-2.0
import type { Budget, CallSettings, Retention, SetCallSettingsRequest, SetRetentionRequest } from '@writ/client/web';
import { useQuery } from '@tanstack/react-query';
import { useChange, usePaged, type Paged } from './paged.ts';
import { useSession } from './session.ts';

const SETTINGS = 'call-settings';
const RETENTION = 'retention';
const BUDGETS = 'budgets';

/** What calls may reach whatever their tokens grant, and how much commands may write. */
export function useCallSettings() {
  const { api } = useSession();
  return useQuery({ queryKey: [SETTINGS], queryFn: ({ signal }) => api.callSettings.get({ signal }) });
}

/** How long contents are kept. */
export function useRetention() {
  const { api } = useSession();
  return useQuery({ queryKey: [RETENTION], queryFn: ({ signal }) => api.retention.get({ signal }) });
}

export const useBudgets = (): Paged<Budget> =>
  usePaged([BUDGETS], (api, query, options) => api.budgets.list(query, options));

export interface LimitChanges {
  readonly setCalls: (settings: SetCallSettingsRequest) => Promise<CallSettings>;
  readonly setRetention: (retention: SetRetentionRequest) => Promise<Retention>;
}

export function useLimitChanges(): LimitChanges {
  const change = useChange();
  return {
    setCalls: async (settings) => await change([SETTINGS], (api) => api.callSettings.set(settings)),
    setRetention: async (retention) => await change([RETENTION], (api) => api.retention.set(retention)),
  };
}
