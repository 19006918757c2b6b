// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { idSchema } from '../ids.ts';
import { Caller } from './operations.ts';

const closed = { additionalProperties: false } as const;

/** A capability token that an API key issued and that is still valid. */
export const IssuedToken = Type.Object(
  {
    capability_token_id: idSchema('token'),
    agent_id: idSchema('agent'),
    expires_at: Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' }),
  },
  closed,
);
export type IssuedToken = Static<typeof IssuedToken>;

/** The kernel's changes for a revoked API key. */
export const KeyRevoked = Type.Object(
  {
    /** valid tokens that the key issued, which stay until they are revoked, newest first */
    tokens: Type.Array(IssuedToken),
    /** whether there are more than are listed */
    more_tokens: Type.Boolean(),
  },
  closed,
);
export type KeyRevoked = Static<typeof KeyRevoked>;

/** orchestrator → kernel, as rows of KERNEL_REQUESTS. */
export const API_KEY_REQUESTS = {
  /**
   * → KeyRevoked. Ends the calls that the key proposed and revokes the delegations that it made. After the reply, no
   * call of the key is admitted and none commits. A repeated request changes nothing and records nothing.
   */
  'api_key.revoke': Type.Object(
    { v: Type.Literal(1), caller: Caller, api_key_id: Type.String({ minLength: 1, maxLength: 64 }) },
    closed,
  ),
} as const;
