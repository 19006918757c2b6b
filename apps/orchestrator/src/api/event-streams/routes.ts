// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { closed } from '../../edge/requests/fields.ts';
import { ROLES, route } from '../../edge/requests/route.ts';

/** A day. A client that follows for longer connects again. */
const FOR_MAX_MS = 24 * 3_600_000;

export const EVENT_STREAMS = {
  follow: route({
    id: 'followEvents',
    method: 'GET',
    path: '/v1/events',
    tag: 'events',
    allowed: ROLES,
    summary: "Tells as it happens what becomes of operations; an agent's key hears of its own",
    query: Type.Object(
      {
        for_ms: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: FOR_MAX_MS,
            description: 'milliseconds after which the stream ends; it goes on unless said',
          }),
        ),
      },
      closed,
    ),
    answers: {
      200: {
        says: 'Server-Sent Events: `ready`, `operation`, and `cut` or `end` as the last. Live alone: `Last-Event-ID` brings nothing back',
        media: 'text/event-stream',
      },
    },
  }),
};
