// SPDX-License-Identifier: Apache-2.0
import { idSchema } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { closed } from '../requests/fields.ts';

/** RFC 6749 §5.1, RFC 8693 §2.2.1. */
export const TokenAnswer = Type.Object(
  {
    access_token: Type.String({ description: 'goes where an API key goes: `Authorization: Bearer <token>`' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ minimum: 0, description: 'seconds' }),
    refresh_token: Type.Optional(Type.String({ description: 'for the grant `refresh_token`; a secret, too' })),
    scope: Type.Optional(Type.String()),
    issued_token_type: Type.Optional(Type.String()),
    capability_token_id: Type.Optional({
      ...idSchema('token'),
      description: 'of an exchange: calls name this capability token',
    }),
  },
  closed,
);
export type TokenAnswer = Static<typeof TokenAnswer>;

/** The parameters of all grants; each grant says which it needs. */
export const TokenForm = Type.Object(
  {
    grant_type: Type.String({ description: 'which grant; the other parameters depend on it' }),
    client_id: Type.Optional(Type.String({ maxLength: 64 })),
    device_code: Type.Optional(Type.String({ maxLength: 256 })),
    subject_token: Type.Optional(Type.String({ maxLength: 8_192, description: 'of an exchange (RFC 8693)' })),
    subject_token_type: Type.Optional(Type.String({ maxLength: 128 })),
    requested_token_type: Type.Optional(Type.String({ maxLength: 128 })),
    audience: Type.Optional(Type.String({ maxLength: 2_048 })),
    resource: Type.Optional(Type.String({ maxLength: 2_048 })),
    scope: Type.Optional(Type.String({ description: 'of an exchange: the tools, with spaces between' })),
    authorization_details: Type.Optional(
      Type.String({ description: 'of an exchange: which capability token, and which part of it (RFC 9396)' }),
    ),
    refresh_token: Type.Optional(Type.String({ maxLength: 256 })),
  },
  closed,
);
