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
    summary: "Streams events of operations as they happen; an agent's key receives those of its agent",
    query: Type.Object(
      {
        for_ms: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: FOR_MAX_MS,
            description: 'milliseconds after which the stream ends; default: no end',
          }),
        ),
      },
      closed,
    ),
    answers: {
      200: {
        description:
          'Server-Sent Events: `ready`, `operation`, and `cut` or `end` as the last. Past events are not available: `Last-Event-ID` has no effect',
        media: 'text/event-stream',
      },
    },
  }),
};
