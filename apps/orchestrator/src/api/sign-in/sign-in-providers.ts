// SPDX-License-Identifier: Apache-2.0
import type { Provider } from '@nestjs/common';
import { provideBy, type ProcessContext } from '@writ/nest-kit';
import { Authenticator } from '../../edge/access/authenticator.ts';
import { FailedKeys } from '../../edge/access/failed-keys.ts';
import { ProtectedResource } from '../../edge/access/oauth/protected-resource.ts';
import { RateLimit } from '../../edge/access/rate-limit.ts';
import { ChangeSignIns } from '../../edge/access/sign-in/change-sign-ins.ts';
import { DeviceApprovals } from '../../edge/access/sign-in/device-approvals.ts';
import { KeySessions } from '../../edge/access/sign-in/key-sessions.ts';
import { SessionCallers } from '../../edge/access/sign-in/session-callers.ts';
import { SessionCookie } from '../../edge/access/sign-in/session-cookie.ts';
import { SignIn } from '../../edge/access/sign-in/sign-in.ts';
import { SignInRecords } from '../../edge/access/sign-in/sign-in-records.ts';
import { SignInSessions } from '../../edge/access/sign-in/sign-in-sessions.ts';
import { SiteCookies } from '../../edge/pages/cookies.ts';
import { DeviceAuthorizations } from '../../store/sign-ins/device-authorizations.ts';
import { AcceptInvitation } from '../../edge/access/sign-in/accept-invitation.ts';
import { DeviceFlow } from './device-flow.ts';
import { DevicePages } from './device-pages.ts';
import { KeyPages } from './key-pages.ts';
import { SignInPages } from './sign-in-pages.ts';

/** The configuration of sign-ins. */
export interface SignInApiConfig {
  readonly WRIT_AUTH_FAILURES_PER_MINUTE: number;
}

/** Sign-ins that begin, for each invalid key that one address may present: an office shares an address. */
const ATTEMPTS = 10;
/** Programs of one address that ask within a minute. */
const DEVICES_PER_MINUTE = 30;
/** Wrong codes of one session, and of one address, within a minute: nobody mistypes a code more often. */
const CODES_OF_SESSION = 5;
const CODES_OF_ADDRESS = 30;

const monotonic = (): number => performance.now();
const counter = (max: number, what: string): FailedKeys => new FailedKeys(max, monotonic, what);

/** Provides the pages of sign-ins, and what programs ask. */
export function signInApiProviders(config: SignInApiConfig, logger: ProcessContext['logger']): Provider[] {
  const failures = config.WRIT_AUTH_FAILURES_PER_MINUTE;
  return [
    provideBy(
      KeyPages,
      [KeySessions, Authenticator, SignInSessions, ChangeSignIns, SessionCookie, RateLimit, ProtectedResource],
      (keys, authenticator, sessions, changes, cookie, rate, { url }) =>
        new KeyPages({ url, keys, authenticator, sessions, changes, cookie, rate }),
    ),
    provideBy(
      SignInPages,
      [
        ...([SignIn, SignInSessions, SessionCallers, ChangeSignIns, SessionCookie, SiteCookies] as const),
        ...([RateLimit, ProtectedResource, AcceptInvitation, KeyPages] as const),
      ],
      (signIn, sessions, callers, changes, cookie, cookies, ...[rate, { url }, invitations, keys]) =>
        new SignInPages({
          ...{ url, signIn, sessions, callers, changes, cookie, cookies, rate, invitations, keys },
          attempts: counter(failures * ATTEMPTS, 'sign-ins'),
          report: (refused) => logger.info(refused, 'a sign-in in a browser was refused'),
        }),
    ),
    provideBy(
      DevicePages,
      [SignInPages, DeviceAuthorizations, DeviceApprovals, SignInRecords],
      (pages, devices, approvals, records) =>
        new DevicePages({
          ...{ pages, devices, approvals, records },
          ofSession: counter(CODES_OF_SESSION, 'codes of programs that are not good'),
          ofAddress: counter(CODES_OF_ADDRESS, 'codes of programs that are not good'),
        }),
    ),
    provideBy(
      DeviceFlow,
      [SignIn, DeviceAuthorizations, DeviceApprovals, SignInSessions, ChangeSignIns, ProtectedResource],
      (signIn, devices, approvals, sessions, changes, { url }) =>
        new DeviceFlow({
          ...{ url, signIn, devices, approvals, sessions, changes, monotonic },
          asked: counter(DEVICES_PER_MINUTE, 'programs to sign in'),
          failed: counter(failures, 'codes and sessions that are not good'),
          now: Date.now,
        }),
    ),
  ];
}
