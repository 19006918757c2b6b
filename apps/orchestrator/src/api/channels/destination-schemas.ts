// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { closed } from '../../edge/requests/fields.ts';

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
