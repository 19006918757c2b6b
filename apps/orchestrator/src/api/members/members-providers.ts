// SPDX-License-Identifier: Apache-2.0
import type { Provider } from '@nestjs/common';
import { provideBy, provideClass, Repeated, type ProcessContext } from '@writ/nest-kit';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { RevokeKey } from '../../calls/kernel/revoke-key.ts';
import { OtherNames } from '../../calls/other-names.ts';
import { Authenticator } from '../../edge/access/authenticator.ts';
import { IdentityHashes } from '../../edge/access/oauth/person-links.ts';
import { ApiKeys } from '../../store/keys/api-keys.ts';
import { Identities } from '../../store/identities/identities.ts';
import { Members } from '../../store/members/members.ts';
import { Offboardings } from '../../store/members/offboardings.ts';
import { Suspensions } from '../../store/members/suspensions.ts';
import { RegisteredLifetime } from '../../store/registered-lifetime.ts';
import { ChangeMembers } from './change-members.ts';
import { Offboard } from './offboard.ts';
import { SettleVotes } from './settle-votes.ts';

/** How often what goes on is completed, in milliseconds: offboardings and suspensions take a minute at most. */
const SWEEP_MS = 10_000;

/** Provides what changes members, and what knows their names. */
export const membersProviders = (logger: ProcessContext['logger']): Provider[] => [
  provideClass(OtherNames, ApiKeys, Offboardings),
  provideBy(
    Offboard,
    [KernelClient, Offboardings, RevokeKey, Authenticator, RegisteredLifetime],
    (kernel, offboardings, revokeKey, authenticator, lifetime) => {
      const report = (err: unknown): void => logger.warn({ err }, 'a step of an offboarding failed, and is repeated');
      const offboard = new Offboard(kernel, { offboardings, revokeKey, authenticator, report });
      lifetime.add(new Repeated(() => offboard.sweep(), SWEEP_MS, report));
      return offboard;
    },
  ),
  provideBy(SettleVotes, [KernelClient, Suspensions, RegisteredLifetime], (kernel, suspensions, lifetime) => {
    const report = (err: unknown): void =>
      logger.warn({ err }, 'the kernel could not be told whose votes count, and is told again');
    const votes = new SettleVotes(kernel, { suspensions, report });
    lifetime.add(new Repeated(() => votes.sweep(), SWEEP_MS, report));
    return votes;
  }),
  provideBy(
    ChangeMembers,
    [KernelClient, Members, Identities, IdentityHashes, Authenticator, SettleVotes],
    (kernel, members, identities, ...[hashes, authenticator, votes]) =>
      new ChangeMembers(kernel, { members, identities, hashes, authenticator, votes }),
  ),
];
