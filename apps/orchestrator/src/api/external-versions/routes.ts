// SPDX-License-Identifier: Apache-2.0
import { ExternalRef, ExternalVersion, ExternalVersionView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { ROLES, route } from '../../edge/requests/route.ts';
import { ExternalVersionList } from './views.ts';

const shared = { tag: 'external-versions', path: '/v1/external-versions' } as const;

export const EXTERNAL_VERSIONS = {
  list: route({
    ...shared,
    id: 'listExternalVersions',
    method: 'GET',
    allowed: ROLES,
    summary: 'Lists the versions of external things that calls may depend on',
    query: Type.Object(
      { ...paging, ref: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'only this one' })) },
      closed,
    ),
    answers: { 200: { description: 'A page of external versions', schema: ExternalVersionList } },
  }),
  set: route({
    ...shared,
    id: 'setExternalVersion',
    method: 'PUT',
    allowed: ['admin', 'operator'],
    summary: 'Sets the version of an external thing, if it still has the expected one',
    body: Type.Object(
      {
        ref: ExternalRef,
        version: ExternalVersion,
        expected_version: Type.Union([ExternalVersion, Type.Null()], {
          description: 'the current version; null where there is none yet',
        }),
      },
      closed,
    ),
    answers: { 200: { description: 'The thing with its new version', schema: ExternalVersionView } },
    faults: ['conflict'],
  }),
};
