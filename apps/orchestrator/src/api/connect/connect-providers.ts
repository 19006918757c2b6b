// SPDX-License-Identifier: Apache-2.0
import type { Provider } from '@nestjs/common';
import { provideBy, type ProcessContext } from '@writ/nest-kit';
import { ConsentClient } from '../../calls/kernel/consent-client.ts';
import { FailedKeys } from '../../edge/access/failed-keys.ts';
import { ProtectedResource } from '../../edge/access/oauth/protected-resource.ts';
import { RateLimit } from '../../edge/access/rate-limit.ts';
import { Sessions } from '../../edge/access/sign-in/sessions.ts';
import { SignIn } from '../../edge/access/sign-in/sign-in.ts';
import { SiteCookies } from '../../edge/pages/cookies.ts';
import { Identities } from '../../store/identities/identities.ts';
import { ConnectPages } from './connect-pages.ts';

/** The configuration of the pages. */
export interface ConnectConfig {
  readonly WRIT_AUTH_FAILURES_PER_MINUTE: number;
}

/** Provides the pages of consents. */
export function connectProviders(config: ConnectConfig, logger: ProcessContext['logger']): Provider[] {
  const failed = new FailedKeys(
    config.WRIT_AUTH_FAILURES_PER_MINUTE,
    () => performance.now(),
    'links and sign-ins that are not good',
  );
  return [
    provideBy(
      ConnectPages,
      [ConsentClient, SignIn, Sessions, SiteCookies, Identities, RateLimit, ProtectedResource],
      (kernel, signIn, sessions, cookies, identities, rate, { url }) =>
        new ConnectPages({
          url,
          kernel,
          signIn,
          sessions,
          cookies,
          identities,
          rate,
          failed,
          report: (refused) => logger.info(refused, 'a sign-in in a browser was refused'),
        }),
    ),
  ];
}
