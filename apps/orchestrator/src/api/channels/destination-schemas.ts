// SPDX-License-Identifier: Apache-2.0
import { MailAddress } from '@writ/contract';
import { Type } from 'typebox';
import { closed, orNull } from '../../edge/requests/fields.ts';

const url = Type.String({ minLength: 1, maxLength: 2_000, description: 'the URL that each change is posted to' });
export const WebhookDestination = Type.Object({ url }, closed);

export const WebhookDestinationView = Type.Object(
  {
    url: Type.String(),
    secret: Type.Optional(
      Type.String({
        description: 'the secret that signs messages, `whsec_…`: shown once, where the channel is created',
      }),
    ),
  },
  closed,
);

const workflow = Type.String({
  minLength: 1,
  maxLength: 2_000,
  writeOnly: true,
  description: 'the URL of the workflow with its signature: it is never shown',
});
export const TeamsDestination = Type.Object({ url: workflow }, closed);
export const TeamsDestinationView = Type.Object(
  { origin: Type.String({ description: "where the workflow's URL begins; the rest is secret" }) },
  closed,
);

/** Most addresses of one channel. More people have a mailing list. */
const ADDRESSES_MAX = 20;
const credential = { minLength: 1, maxLength: 500, pattern: '^[ -~]+$' };
const email = {
  host: Type.String({
    pattern: '^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$',
    maxLength: 253,
    description: 'the name of the SMTP server, or its IPv4 address',
  }),
  port: Type.Integer({ minimum: 1, maximum: 65_535, description: 'mostly 465 for `implicit`, and 587 for `starttls`' }),
  tls: Type.Enum(['implicit', 'starttls', 'none'], { description: '`none` only for hosts that the operator allowed' }),
  username: Type.String({ ...credential, description: 'in ASCII; absent: the server takes mails without signing in' }),
  password: Type.String({ ...credential, writeOnly: true, description: 'in ASCII: it is never shown' }),
  from: MailAddress,
  to: Type.Array(MailAddress, { minItems: 1, maxItems: ADDRESSES_MAX, uniqueItems: true }),
};
const { host, port, tls, username, password, from, to } = email;
export const EmailDestination = Type.Object(
  { ...{ host, port, tls, from, to }, username: Type.Optional(username), password: Type.Optional(password) },
  { ...closed, description: '`username` and `password` go together' },
);
export const EmailDestinationChange = Type.Object(
  {
    ...{ host: Type.Optional(host), port: Type.Optional(port), tls: Type.Optional(tls) },
    ...{ username: Type.Optional(username), password: Type.Optional(password) },
    ...{ from: Type.Optional(from), to: Type.Optional(to) },
  },
  { ...closed, description: 'another `host`, `port`, `tls` or `username` takes the `password`, too' },
);
export const EmailDestinationView = Type.Object(
  { ...{ host, port, tls, from, to }, username: orNull(Type.String({ description: 'null: without signing in' })) },
  closed,
);
