// SPDX-License-Identifier: Apache-2.0
// INVARIANT (never shown): no route returns the value of a secret, and none that is typed is kept here.
import type { Secret, SetSecretRequest } from '@writ/client/web';
import { useChange, usePaged, type Paged } from './paged.ts';

const SECRETS = 'secrets';

/** The tenant's secrets by name, without their values. */
export const useSecrets = (): Paged<Secret> =>
  usePaged([SECRETS], (api, query, options) => api.secrets.list(query, options));

export interface SecretChanges {
  readonly set: (secret: SetSecretRequest) => Promise<unknown>;
  readonly remove: (name: string) => Promise<unknown>;
}

export function useSecretChanges(): SecretChanges {
  const change = useChange();
  return {
    set: async (secret) => await change([SECRETS], (api) => api.secrets.set(secret)),
    remove: async (name) => await change([SECRETS], (api) => api.secrets.delete(name)),
  };
}
