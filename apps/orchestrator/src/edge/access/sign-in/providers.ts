// SPDX-License-Identifier: Apache-2.0
import type { Provider } from '@nestjs/common';
import { provideBy, provideValue } from '@writ/nest-kit';
import { BrowserSessions } from '../../../store/identities/browser-sessions.ts';
import { Identities } from '../../../store/identities/identities.ts';
import type { EgressGate } from '../../outbound/egress-gate.ts';
import { gatedFetch } from '../../outbound/gated-fetch.ts';
import { getDocument } from '../../outbound/get-document.ts';
import type { AnswerLimits } from '../../outbound/send-bounded.ts';
import { SiteCookies } from '../../pages/cookies.ts';
import type { IssuerKeys } from '../oauth/issuer-keys.ts';
import type { IdentityHashes } from '../oauth/person-links.ts';
import { Attempts } from './attempts.ts';
import { Exchanges } from './exchanges.ts';
import { IssuerEndpoints } from './issuer-endpoints.ts';
import { Sessions } from './sessions.ts';
import { SignIn } from './sign-in.ts';

/** What the sign-in shares with access tokens. */
export interface SignInConfig {
  readonly gate: EgressGate;
  /** the limits of an issuer's documents and answers */
  readonly limits: AnswerLimits;
  readonly issuerKeys: IssuerKeys;
  readonly hashes: IdentityHashes;
  readonly issuerAllowed: ReadonlySet<string>;
  readonly webhookKey: Buffer;
  /** null: nobody signs in */
  readonly url: string | null;
  readonly monotonic: () => number;
}

/** Provides sign-in of people in browsers. */
export function signInProviders(config: SignInConfig): Provider[] {
  const { gate, limits, issuerKeys, hashes, issuerAllowed, webhookKey, monotonic } = config;
  const fetchDocument = (url: string): Promise<string> => getDocument(gate, url, limits);
  const url = config.url ?? 'https://localhost';
  return [
    provideValue(new SiteCookies(url)),
    provideBy(Sessions, [BrowserSessions], (rows) => new Sessions(rows, webhookKey)),
    provideBy(
      SignIn,
      [Identities],
      (identities) =>
        new SignIn({
          identities,
          endpoints: new IssuerEndpoints(fetchDocument, issuerAllowed, monotonic),
          issuerKeys,
          hashes,
          attempts: new Attempts(webhookKey, Date.now),
          exchanges: new Exchanges(monotonic),
          fetch: gatedFetch(gate, limits),
          url,
          now: Date.now,
        }),
    ),
  ];
}
