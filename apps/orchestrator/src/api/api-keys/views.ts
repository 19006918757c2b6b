// SPDX-License-Identifier: Apache-2.0
import { IssuedToken, PersonName, idSchema } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { KEY_ROLES } from '../../edge/requests/route.ts';
import { closed, Instant, listOf, orNull } from '../../edge/requests/fields.ts';

const RoleName = Type.Enum(KEY_ROLES);

/** Tools by name, `family.*` or `*`. */
export const WorkerTools = Type.Array(
  Type.String({ pattern: '^(\\*|[a-z][a-z0-9_]*(\\.[A-Za-z0-9_-]+)*(\\.\\*)?)$', maxLength: 128 }),
  { minItems: 1, maxItems: 64, description: 'for a key of the role `worker`: the tools whose calls it may take' },
);

export const ApiKeyView = Type.Object(
  {
    api_key_id: idSchema('apiKey'),
    name: Type.String(),
    role: RoleName,
    agent_id: orNull(idSchema('agent')),
    principal: orNull({ ...PersonName }),
    tools: orNull({ ...WorkerTools }),
    created_at: Instant,
    created_by: Type.String({ description: 'the API key that created it, or `platform`' }),
    revoked_at: orNull(Instant),
  },
  closed,
);
export type ApiKeyView = Static<typeof ApiKeyView>;

export const NewApiKey = Type.Object(
  { ...ApiKeyView.properties, api_key: Type.String({ description: 'the key itself: shown once and not stored' }) },
  closed,
);
export type NewApiKey = Static<typeof NewApiKey>;

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
