// SPDX-License-Identifier: Apache-2.0
import { IssuedToken, isServiceAccount, PersonName, idSchema } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { KEY_ROLES } from '../../edge/requests/route.ts';
import type { ApiKeyRow } from '../../store/keys/api-keys.ts';
import { KeyScopes, WorkerTools } from '../../edge/access/key-schemas.ts';
import { closed, Instant, listOf, orNull } from '../../edge/requests/fields.ts';

const RoleName = Type.Enum(KEY_ROLES);

/** The last moment that dates of every program have. */
const INSTANT_MAX = 253_402_300_799_999;
/** The end of a key in a request. */
export const KeyEnd = Type.Integer({
  minimum: 1,
  maximum: INSTANT_MAX,
  description: 'milliseconds since the epoch: the key is refused from then on',
});

export const ApiKeyView = Type.Object(
  {
    api_key_id: idSchema('apiKey'),
    name: Type.String(),
    role: RoleName,
    agent_id: orNull(idSchema('agent')),
    principal: orNull({ ...PersonName }),
    member_id: orNull({ ...idSchema('member'), description: 'the member whose key it is' }),
    tools: orNull({ ...WorkerTools }),
    created_at: Instant,
    created_by: Type.String({ description: 'the API key that created it, or `platform`' }),
    revoked_at: orNull(Instant),
    scopes: orNull({ ...KeyScopes, description: 'null: all that its role may' }),
    expires_at: orNull({ ...Instant, description: 'it is refused from then on; null: it has no end' }),
    last_used_at: orNull({ ...Instant, description: 'when it was last used, to the minute and some minutes late' }),
    rotated_at: orNull({ ...Instant, description: 'when its secret was last exchanged' }),
    former_until: orNull({ ...Instant, description: 'how long a secret of before may still be good' }),
  },
  closed,
);
export type ApiKeyView = Static<typeof ApiKeyView>;

export const NewApiKey = Type.Object(
  { ...ApiKeyView.properties, api_key: Type.String({ description: 'the key itself: shown once and not stored' }) },
  closed,
);
export type NewApiKey = Static<typeof NewApiKey>;

/** Longest time for which a secret of before stays good after a rotation: a week of deployments. */
export const OVERLAP_MS_MAX = 7 * 24 * 3_600_000;

const overlap_ms = Type.Integer({
  minimum: 0,
  maximum: OVERLAP_MS_MAX,
  description: 'milliseconds for which the present secret stays good; 0: it ends at once',
});

export const RotateOwnKeyBody = Type.Object({ overlap_ms }, closed);

export const RotateKeyBody = Type.Object(
  {
    overlap_ms,
    expires_at: Type.Optional(
      orNull({
        ...KeyEnd,
        description:
          'the new end of the key, or null for none; absent: it stays. No key moves its own end to a later time',
      }),
    ),
  },
  closed,
);

/** A revoked key, with what it created and what remains. */
export const RevokedApiKey = Type.Object(
  {
    ...ApiKeyView.properties,
    remains: Type.Object(
      {
        capability_tokens: Type.Array(IssuedToken, { description: 'valid tokens that it issued, newest first' }),
        jobs: Type.Array(
          Type.Object({ job_id: idSchema('job'), name: Type.String(), state: Type.Enum(['active', 'paused']) }, closed),
          {
            description:
              'jobs that it created, newest first; those that ran on its behalf start no run until an administrator changes them',
          },
        ),
        more: Type.Boolean({ description: 'whether there are more than are listed' }),
      },
      { ...closed, description: 'what the key created and what remains until it is removed' },
    ),
  },
  closed,
);
export type RevokedApiKey = Static<typeof RevokedApiKey>;
export const ApiKeyList = listOf(ApiKeyView);

/** How the API shows a stored key. */
export function apiKeyView({ bound_token: _bound, scopes, ...row }: ApiKeyRow): ApiKeyView {
  // A service account is no person, and has no name that a key could have.
  const principal = row.principal !== null && isServiceAccount(row.principal) ? null : row.principal;
  return { ...row, principal, scopes: scopes.length === 0 ? null : [...scopes] };
}
