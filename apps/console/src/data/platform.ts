// SPDX-License-Identifier: Apache-2.0
// INVARIANT (in memory alone): the platform key is kept by the page that it was typed into, and gone with it.
import { ApiClient, type NewTenant, type Tenant } from '@writ/client/web';
import { useQuery } from '@tanstack/react-query';
import { useChange, usePaged, type Paged } from './paged.ts';
import { useSession, type Session } from './session.ts';

const SYSTEM = 'system';
const TENANTS = 'tenants';
const EVERY_MS = 10_000;

/**
 * A session with the platform key. Its requests leave the browser's cookie out: a request is of one caller.
 * @throws ProblemError where the server doesn't know the key; ConnectionError
 */
export async function openPlatform(apiKey: string): Promise<Session> {
  const withoutCookie = (url: string, init: never): Promise<unknown> =>
    window.fetch(url, { ...(init as RequestInit), credentials: 'omit' });
  const options = { url: window.location.origin, apiKey, fetch: withoutCookie };
  const api = new ApiClient(options);
  return { api, options, me: await api.whoami.whoami() };
}

/** What the deployment reports about itself. */
export function useSystem() {
  const { api } = useSession();
  return useQuery({
    queryKey: [SYSTEM],
    refetchInterval: EVERY_MS,
    queryFn: ({ signal }) => api.system.getSystem({ signal }),
  });
}

export const useTenants = (): Paged<Tenant> =>
  usePaged([TENANTS], (api, query, options) => api.tenants.list(query, options));

export interface TenantChanges {
  /** The answer has the first administrator's key, which is shown once. */
  readonly create: (name: string) => Promise<NewTenant>;
  readonly close: (tenantId: string, reason: string) => Promise<Tenant>;
}

export function useTenantChanges(): TenantChanges {
  const change = useChange();
  return {
    create: async (name) => await change([TENANTS], (api) => api.tenants.create({ name })),
    close: async (id, reason) => await change([TENANTS], (api) => api.tenants.close(id, { reason })),
  };
}
