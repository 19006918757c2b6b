// SPDX-License-Identifier: Apache-2.0
import type { Provider } from '@nestjs/common';
import { provideBy, provideClass, provideValue } from '@writ/nest-kit';
import { BrowserSessions } from '../../../store/identities/browser-sessions.ts';
import { Identities } from '../../../store/identities/identities.ts';
import { DeviceAuthorizations } from '../../../store/sign-ins/device-authorizations.ts';
import { SignIns, type SignInLifetimes } from '../../../store/sign-ins/sign-ins.ts';
import type { EgressGate } from '../../outbound/egress-gate.ts';
import { gatedFetch } from '../../outbound/gated-fetch.ts';
import { getDocument } from '../../outbound/get-document.ts';
import type { AnswerLimits } from '../../outbound/send-bounded.ts';
import { SiteCookies } from '../../pages/cookies.ts';
import { Callers } from '../identity/callers.ts';
import { MemberLinks } from '../identity/member-links.ts';
import type { CredentialRecords } from '../oauth/credentials.ts';
import type { IssuerKeys } from '../oauth/issuer-keys.ts';
import type { IdentityHashes } from '../oauth/person-links.ts';
import { Attempts } from './attempts.ts';
import { ChangeSignIns } from './change-sign-ins.ts';
import { DeviceApprovals } from './device-approvals.ts';
import { Exchanges } from './exchanges.ts';
import { IssuerEndpoints } from './issuer-endpoints.ts';
import { KeySessions } from './key-sessions.ts';
import { PresentedSignIn } from './presented-sign-in.ts';
import { SessionCallers } from './session-callers.ts';
import { SessionCookie } from './session-cookie.ts';
import { Sessions } from './sessions.ts';
import { SignIn } from './sign-in.ts';
import { SignInRecords } from './sign-in-records.ts';
import { SignInSessions } from './sign-in-sessions.ts';
import { SessionTexts } from './sign-in-texts.ts';

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
  readonly records: CredentialRecords;
  readonly lifetimes: SignInLifetimes;
  /** whether API keys sign in */
  readonly keySessions: boolean;
}

/** Provides sign-in of people in browsers. */
export function signInProviders(config: SignInConfig): Provider[] {
  const { gate, limits, issuerKeys, hashes, issuerAllowed, webhookKey, monotonic } = config;
  const fetchDocument = (url: string): Promise<string> => getDocument(gate, url, limits);
  const url = config.url ?? 'https://localhost';
  return [
    ...sessionProviders(config, url),
    provideBy(Sessions, [BrowserSessions], (rows) => new Sessions(rows, webhookKey)),
    provideBy(
      SignIn,
      [Identities, MemberLinks],
      (identities, members) =>
        new SignIn({
          identities,
          members,
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

/** Provides sessions that call the API. */
function sessionProviders(config: SignInConfig, url: string): Provider[] {
  const { webhookKey, hashes, monotonic, lifetimes } = config;
  const [texts, cookies, records] = [
    new SessionTexts(webhookKey),
    new SiteCookies(url),
    new SignInRecords(config.records),
  ];
  const isOn = config.keySessions && config.url !== null;
  const keys = new KeySessions({ isOn, key: webhookKey, maxMs: lifetimes.maxMs, now: Date.now });
  return [
    provideValue(cookies),
    provideValue(keys),
    provideValue(records),
    provideValue(new DeviceApprovals(webhookKey)),
    provideValue(new SessionCookie(cookies, texts, keys, url, lifetimes.maxMs)),
    provideBy(SignInSessions, [SignIns], (rows) => new SignInSessions({ rows, texts, records, lifetimes, monotonic })),
    provideBy(
      SessionCallers,
      [Identities, Callers, MemberLinks],
      (identities, callers, members) => new SessionCallers({ identities, callers, members, hashes }),
    ),
    provideClass(PresentedSignIn, SignInSessions, SessionCallers, SessionCookie, KeySessions),
    provideBy(
      ChangeSignIns,
      [SignIns, DeviceAuthorizations, SignInSessions, SessionCallers],
      (rows, devices, sessions, callers) =>
        new ChangeSignIns({ rows, devices, texts, sessions, callers, records, lifetimes }),
    ),
  ];
}
