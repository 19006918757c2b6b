// SPDX-License-Identifier: Apache-2.0
import type { Provider } from '@nestjs/common';
import { provideBy } from '@writ/nest-kit';
import { TokenGrants } from './grants.ts';

/** Provides the grants of the token endpoint: one row each. */
export function oauthTokenProviders(): Provider[] {
  return [provideBy(TokenGrants, [], () => new TokenGrants({}))];
}
