// SPDX-License-Identifier: Apache-2.0
import { Type, type TSchema } from 'typebox';
import { exampleOf } from './example-of.ts';
import { pascal, type SchemaWriter } from './schemas.ts';

/** A message that webhooks receive. */
export interface MessageRow {
  readonly when: string;
  /** the name of the schema of its data */
  readonly name: string;
  readonly data: TSchema;
}

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});
/** Those of Standard Webhooks. */
const HEADERS = [
  header('webhook-id', 'the same at every attempt, and for every webhook: a receiver drops what it has seen'),
  header('webhook-timestamp', 'seconds since the epoch at which it was sent'),
  header('webhook-signature', '`v1,<base64>`: HMAC-SHA256 of `<id>.<timestamp>.<body>`; one for each secret in force'),
];
const ANSWERS = {
  '2XX': { description: 'it was received; any other answer makes it come again' },
  '410': { description: 'the receiver is gone: the webhook is disabled' },
};

const messageOf = (kind: string, data: TSchema): TSchema =>
  Type.Object(
    {
      type: Type.Literal(kind),
      timestamp: Type.String({ format: 'date-time', description: 'when it happened' }),
      data,
    },
    { additionalProperties: false },
  );

/** The messages of webhooks as the section `webhooks` of the document. */
export function webhooksOf(
  messages: Readonly<Record<string, MessageRow>>,
  schemas: SchemaWriter,
  hasExamples = false,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(messages).map(([kind, { when, data }]) => [
      kind,
      {
        post: {
          tags: ['webhooks'],
          summary: when,
          security: [],
          parameters: HEADERS,
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: schemas.referred(messageOf(kind, data), `${pascal(kind)}Message`),
                ...(hasExamples ? { example: exampleOf(messageOf(kind, data)) } : {}),
              },
            },
          },
          responses: ANSWERS,
        },
      },
    ]),
  );
}
