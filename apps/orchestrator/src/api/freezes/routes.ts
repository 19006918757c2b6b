// SPDX-License-Identifier: Apache-2.0
import { FreezeReason, FreezeScope, FreezeView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { FreezeList } from './views.ts';

const eyes = { tag: 'freezes', allowed: ['admin', 'operator', 'auditor', 'platform'] } as const;

export const FREEZES = {
  place: route({
    id: 'placeFreeze',
    tag: 'freezes',
    method: 'POST',
    path: '/v1/freezes',
    allowed: ['admin', 'operator', 'platform'],
    summary: 'Stops a tenant, an agent or a tool; the platform key stops everything',
    body: Type.Object(
      {
        scope: FreezeScope,
        id: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 128,
            description: 'the agent or the tool; of a tenant, your own, or nothing',
          }),
        ),
        reason: FreezeReason,
        expires_at: Type.Optional(
          Type.Integer({
            minimum: 0,
            description: 'milliseconds since the epoch; unless said it stands until it is lifted',
          }),
        ),
      },
      closed,
    ),
    answers: {
      201: {
        says: 'The freeze; of one that stands on the same, that one, with the later end of both',
        schema: FreezeView,
      },
    },
    faults: ['not_found', 'tool.unknown'],
  }),
  list: route({
    ...eyes,
    id: 'listFreezes',
    method: 'GET',
    path: '/v1/freezes',
    summary: "Lists freezes, the deployment's among them; the platform key sees those alone",
    query: Type.Object(
      { ...paging, standing: Type.Optional(Type.Boolean({ description: '`true`: only what stops somebody now' })) },
      closed,
    ),
    answers: { 200: { says: 'A page of freezes', schema: FreezeList } },
  }),
  read: route({
    ...eyes,
    id: 'readFreeze',
    method: 'GET',
    path: '/v1/freezes/{freeze_id}',
    params: { freeze_id: 'freeze' },
    summary: 'Shows a freeze',
    answers: { 200: { says: 'The freeze', schema: FreezeView } },
    faults: ['not_found'],
  }),
  lift: route({
    id: 'liftFreeze',
    tag: 'freezes',
    method: 'POST',
    path: '/v1/freezes/{freeze_id}/lift',
    params: { freeze_id: 'freeze' },
    allowed: ['admin', 'platform'],
    summary: 'Lifts a freeze; the platform key those of everything',
    body: Type.Object({}, closed),
    answers: { 200: { says: 'The freeze, lifted', schema: FreezeView } },
    faults: ['not_found'],
  }),
};
