// SPDX-License-Identifier: Apache-2.0
import { ResourceRef, ResourceVersion, ResourceView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { ROLES, route } from '../../edge/requests/route.ts';
import { ResourceList } from './views.ts';

const shared = { tag: 'resources', path: '/v1/resources' } as const;

export const RESOURCES = {
  list: route({
    ...shared,
    id: 'listResources',
    method: 'GET',
    allowed: ROLES,
    summary: 'Lists the versions of things outside that calls may rely on',
    query: Type.Object(
      { ...paging, ref: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'that one alone' })) },
      closed,
    ),
    answers: { 200: { says: 'A page of resources', schema: ResourceList } },
  }),
  set: route({
    ...shared,
    id: 'setResource',
    method: 'PUT',
    allowed: ['admin', 'operator'],
    summary: 'Sets the version of a resource, if it still has the expected one',
    body: Type.Object(
      {
        ref: ResourceRef,
        version: ResourceVersion,
        expected_version: Type.Union([ResourceVersion, Type.Null()], {
          description: "the version that stands; null where the resource isn't there yet",
        }),
      },
      closed,
    ),
    answers: { 200: { says: 'The resource with its new version', schema: ResourceView } },
    faults: ['conflict'],
  }),
};
