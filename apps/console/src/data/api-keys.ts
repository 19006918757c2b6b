// SPDX-License-Identifier: Apache-2.0
// INVARIANT (shown once): the text of a key is handed to whoever asked for it, and to no cache.
import type { ApiKey, CreateApiKeyRequest, NewApiKey, RevokedApiKey, RotateApiKeyRequest } from '@writ/client/web';
import { useChange, usePaged, type Paged } from './paged.ts';

const KEYS = 'api-keys';

/** All API keys of the tenant, with the revoked ones. */
export const useApiKeys = (): Paged<ApiKey> =>
  usePaged([KEYS], (api, query, options) => api.apiKeys.list(query, options));

export interface ApiKeyChanges {
  readonly create: (key: CreateApiKeyRequest) => Promise<NewApiKey>;
  readonly rotate: (apiKeyId: string, rotation: RotateApiKeyRequest) => Promise<NewApiKey>;
  readonly revoke: (apiKeyId: string) => Promise<RevokedApiKey>;
}

export function useApiKeyChanges(): ApiKeyChanges {
  const change = useChange();
  return {
    create: async (key) => await change([KEYS], (api) => api.apiKeys.create(key)),
    rotate: async (id, rotation) => await change([KEYS], (api) => api.apiKeys.rotate(id, rotation)),
    revoke: async (id) => await change([KEYS], (api) => api.apiKeys.revoke(id)),
  };
}
