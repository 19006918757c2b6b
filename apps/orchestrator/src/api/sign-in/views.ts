// SPDX-License-Identifier: Apache-2.0
import { idSchema } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { closed, Instant, listOf, orNull } from '../../edge/requests/fields.ts';
import { ROLES } from '../../edge/requests/route.ts';

const SignInKind = Type.Enum(['browser', 'device'], {
  description: '`device`: a program that a person approved in a browser',
});

const session = {
  sign_in_id: idSchema('signIn'),
  kind: SignInKind,
  client: orNull(Type.String({ description: 'how the program of a device calls itself' })),
  person_id: { ...idSchema('person'), description: 'the pseudonym of the person' },
  provider: Type.String({ description: 'the name of the identity provider' }),
  created_at: Instant,
  signed_in_at: { ...Instant, description: 'when the person was at the identity provider' },
  seen_at: { ...Instant, description: 'the last request, to the minute' },
  expires_at: { ...Instant, description: 'when it ends in any case' },
  ended_at: orNull(Instant),
  ended_by: orNull(
    Type.String({ description: 'the API key or credential that ended it; `reuse`: a replaced secret was used again' }),
  ),
};

export const SignInView = Type.Object(session, closed);
export type SignInView = Static<typeof SignInView>;
export const SignInList = listOf(SignInView);
/** Those that occur in several places of the document, by their names there. */
export const SIGN_IN_SCHEMAS = { SignIn: SignInView, SignInKind, SignInList };

/** The session that a request presents. */
export const CurrentSignIn = Type.Object(
  {
    sign_in: orNull(
      Type.Object(
        {
          ...session,
          roles: Type.Array(Type.Enum(ROLES), { description: 'the roles that it gives now' }),
          csrf_token: orNull(
            Type.String({ description: 'for the header `Writ-CSRF` of requests that change something; of a browser' }),
          ),
        },
        { ...closed, description: 'null: the request presents a key, an access token, or the session of a key' },
      ),
    ),
    key_session: orNull(
      Type.Object(
        {
          csrf_token: Type.String({ description: 'for the header `Writ-CSRF` of requests that change something' }),
          expires_at: { ...Instant, description: 'when it ends in any case' },
        },
        { ...closed, description: 'a browser that signed in with an API key; null: the request presents another one' },
      ),
    ),
  },
  closed,
);
export type CurrentSignIn = Static<typeof CurrentSignIn>;

export const SignedOut = Type.Object(
  { ended: orNull({ ...SignInView, description: 'null: the request presented none that is stored' }) },
  closed,
);
export type SignedOut = Static<typeof SignedOut>;

/** The parameters of a request of a device: RFC 8628 §3.1. */
export const DeviceForm = Type.Object(
  {
    client_id: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
      description: 'how the program calls itself; the person sees it',
    }),
    tenant: { ...idSchema('tenant'), description: 'the tenant whose people may approve it' },
  },
  closed,
);

/** RFC 8628 §3.2. */
export const DeviceAuthorization = Type.Object(
  {
    device_code: Type.String({ description: 'for the token endpoint; a secret of the program' }),
    user_code: Type.String({ description: 'what the person compares, such as `BCDF-GHJK`' }),
    verification_uri: Type.String({ description: 'where the person signs in and approves' }),
    verification_uri_complete: Type.String({ description: 'the same with the code' }),
    expires_in: Type.Integer({ description: 'seconds' }),
    interval: Type.Integer({ description: 'how many seconds to wait between two requests for the token' }),
  },
  closed,
);
export type DeviceAuthorization = Static<typeof DeviceAuthorization>;
