// SPDX-License-Identifier: Apache-2.0
import { ExecutionProfile, ProfileName, ProfilePutReply, ProfileView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { ProfileList } from './views.ts';

const READER_ROLES = ['admin', 'operator', 'auditor'] as const;
const shared = { tag: 'execution-profiles', path: '/v1/execution-profiles' } as const;
const one = {
  tag: 'execution-profiles',
  path: '/v1/execution-profiles/{profile}',
  params: { profile: 'profile' },
} as const;
const { shells, limits, workspace_id, environment, net, user, image } = ExecutionProfile.properties;

/** Execution profiles: the limits of raw commands. */
export const EXECUTION_PROFILES = {
  list: route({
    ...shared,
    id: 'listExecutionProfiles',
    method: 'GET',
    allowed: READER_ROLES,
    summary: 'Lists the execution profiles of raw commands, by name',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of profiles', schema: ProfileList } },
  }),
  create: route({
    ...shared,
    id: 'createExecutionProfile',
    method: 'POST',
    allowed: ['admin'],
    summary: 'Registers an execution profile, under which `shell.dangerous` runs raw commands; it never changes',
    // Accepts any shape here, so that the answer lists everything that is wrong at once.
    body: Type.Object(
      {
        name: ProfileName,
        shells: Type.Unknown(),
        limits: Type.Unknown(),
        workspace_id: Type.Optional(Type.Unknown()),
        environment: Type.Optional(Type.Unknown()),
        net: Type.Optional(Type.Unknown()),
        user: Type.Optional(Type.Unknown()),
        image: Type.Optional(Type.Unknown()),
      },
      closed,
    ),
    documentedBody: Type.Object(
      {
        name: ProfileName,
        shells,
        limits,
        workspace_id: Type.Optional(workspace_id),
        environment: Type.Optional(environment),
        net: Type.Optional(net),
        user,
        image,
      },
      closed,
    ),
    answers: {
      200: {
        description:
          'The profile; or, where `valid` is false, everything that is wrong with it, and nothing has changed',
        schema: ProfilePutReply,
      },
    },
    faults: ['workspace.unknown', 'conflict', 'limit.exceeded'],
  }),
  read: route({
    ...one,
    id: 'readExecutionProfile',
    method: 'GET',
    allowed: READER_ROLES,
    tagged: 'view',
    summary: 'Shows one execution profile',
    answers: { 200: { description: 'The profile', schema: ProfileView } },
  }),
  remove: route({
    ...one,
    id: 'removeExecutionProfile',
    tagged: 'view',
    method: 'DELETE',
    allowed: ['admin'],
    summary: 'Removes an execution profile: no call runs under it from then on, not even one that waits already',
    answers: {
      200: { description: 'The name of the removed profile', schema: Type.Object({ removed: Type.String() }, closed) },
    },
  }),
};
