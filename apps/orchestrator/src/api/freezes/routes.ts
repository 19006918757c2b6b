// SPDX-License-Identifier: Apache-2.0
import { FreezeReason, FreezeScope, FreezeView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { FreezeList } from './views.ts';

const readRoute = { tag: 'freezes', allowed: ['admin', 'operator', 'auditor', 'platform'] } as const;

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
            description: 'the agent or the tool; for a tenant, your own id or none',
          }),
        ),
        reason: FreezeReason,
        expires_at: Type.Optional(
          Type.Integer({
            minimum: 0,
            description: 'milliseconds since the epoch; default: in effect until it is lifted',
          }),
        ),
      },
      closed,
    ),
    answers: {
      201: {
        description: 'The freeze; if the same scope is frozen already, that freeze, with the later of both ends',
        schema: FreezeView,
      },
    },
    faults: ['not_found', 'tool.unknown'],
  }),
  list: route({
    ...readRoute,
    id: 'listFreezes',
    method: 'GET',
    path: '/v1/freezes',
    summary: "Lists freezes, including the deployment's; the platform key sees only those",
    query: Type.Object(
      {
        ...paging,
        standing: Type.Optional(Type.Boolean({ description: '`true`: only freezes that are in effect now' })),
      },
      closed,
    ),
    answers: { 200: { description: 'A page of freezes', schema: FreezeList } },
  }),
  read: route({
    ...readRoute,
    id: 'readFreeze',
    method: 'GET',
    path: '/v1/freezes/{freeze_id}',
    params: { freeze_id: 'freeze' },
    summary: 'Shows a freeze',
    answers: { 200: { description: 'The freeze', schema: FreezeView } },
    faults: ['not_found'],
  }),
  lift: route({
    id: 'liftFreeze',
    tag: 'freezes',
    method: 'POST',
    path: '/v1/freezes/{freeze_id}/lift',
    params: { freeze_id: 'freeze' },
    allowed: ['admin', 'platform'],
    summary: 'Lifts a freeze; the platform key lifts freezes of everything',
    body: Type.Object({}, closed),
    answers: { 200: { description: 'The freeze, lifted', schema: FreezeView } },
    faults: ['not_found'],
  }),
};
