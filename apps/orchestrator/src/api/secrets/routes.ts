// SPDX-License-Identifier: Apache-2.0
import { LIMITS, SecretView, ValueName } from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { SecretList } from './views.ts';

const shared = { tag: 'secrets', path: '/v1/secrets' } as const;
const one = { tag: 'secrets', path: '/v1/secrets/{name}', params: { name: 'secret' } } as const;

/** No route returns a value. */
export const SECRETS = {
  list: route({
    ...shared,
    id: 'listSecrets',
    method: 'GET',
    allowed: ['admin', 'operator', 'auditor'],
    summary: "Lists the tenant's secrets by name, without their values",
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of names', schema: SecretList } },
  }),
  set: route({
    ...shared,
    id: 'setSecret',
    tagged: 'view',
    makes: true,
    method: 'PUT',
    allowed: ['admin'],
    summary: 'Sets the value of a secret: calls use it by its name, and no route returns it',
    body: Type.Object(
      {
        name: ValueName,
        value: Type.String({ minLength: 1, maxLength: LIMITS.valueBytes.max, description: 'the value in clear text' }),
        note: Type.Optional(Type.String({ maxLength: 1000, description: 'for people' })),
      },
      closed,
    ),
    answers: { 200: { description: 'The secret, without its value', schema: SecretView } },
    faults: ['limit.exceeded'],
  }),
  read: route({
    ...one,
    id: 'readSecret',
    method: 'GET',
    allowed: ['admin', 'operator', 'auditor'],
    tagged: 'view',
    summary: 'Shows one secret without its value: its version, and who set it',
    answers: { 200: { description: 'The secret, without its value', schema: SecretView } },
  }),
  remove: route({
    ...one,
    id: 'removeSecret',
    method: 'DELETE',
    allowed: ['admin'],
    tagged: 'view',
    summary: 'Removes a secret: no call receives it from then on',
    answers: { 200: { description: 'The removed secret', schema: SecretView } },
  }),
};
