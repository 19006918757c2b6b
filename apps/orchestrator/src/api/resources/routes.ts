// SPDX-License-Identifier: Apache-2.0
import {
  REGISTERED_KINDS,
  RESOURCE_KINDS,
  ResourceGrant,
  ResourceGrantView,
  ResourceName,
  ResourceView,
} from '@writ/contract';
import { Type } from 'typebox';
import { closed, Key, paging } from '../../edge/requests/fields.ts';
import { ROLES, route } from '../../edge/requests/route.ts';
import { AnySettings, NewResource, ResourceGrantList, ResourceList } from './views.ts';

/** Any shape here: the kernel knows the kind, and names the first problem with its place. */
const Settings = Type.Record(Type.String(), Type.Unknown());
const ExpectedVersion = Type.Integer({
  minimum: 1,
  maximum: 2 ** 31 - 1,
  description: 'the version that the new settings replace: another one is a `conflict`',
});
const Kind = Type.Optional(Type.Enum(RESOURCE_KINDS, { description: 'only resources of this kind' }));

const shared = { tag: 'resources', path: '/v1/resources' } as const;
const one = { tag: 'resources', path: '/v1/resources/{resource_id}', params: { resource_id: 'resource' } } as const;

/** Registered resources: what agents are granted one by one. */
export const RESOURCES = {
  list: route({
    ...shared,
    id: 'listResources',
    method: 'GET',
    allowed: ROLES,
    summary: "Lists the registered resources; for an agent's key those that the agent may use, without settings",
    query: Type.Object(
      {
        ...paging,
        kind: Kind,
        name: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'only resources of this name' })),
        agent_id: Type.Optional({ ...Key, description: 'only those that this agent may use' }),
      },
      closed,
    ),
    answers: { 200: { description: 'A page of resources', schema: ResourceList } },
  }),
  create: route({
    ...shared,
    id: 'createResource',
    method: 'POST',
    allowed: ['admin'],
    summary: 'Registers a resource with its settings',
    body: Type.Object({ kind: Type.Enum(REGISTERED_KINDS), name: ResourceName, settings: Settings }, closed),
    documentedBody: NewResource,
    answers: { 201: { description: 'The resource', schema: ResourceView } },
    faults: ['resource.exists', 'workspace.unknown', 'limit.exceeded'],
  }),
  read: route({
    ...one,
    id: 'readResource',
    method: 'GET',
    allowed: ROLES,
    summary: "Shows one resource; to an agent's key only what the agent may use, without settings",
    tagged: 'view',
    answers: { 200: { description: 'The resource', schema: ResourceView } },
  }),
  update: route({
    ...one,
    id: 'updateResource',
    method: 'PATCH',
    allowed: ['admin'],
    summary: 'Replaces the settings of a resource, if it still has the expected version; its grants stay',
    body: Type.Object({ settings: Settings, expected_version: ExpectedVersion }, closed),
    documentedBody: Type.Object({ settings: AnySettings, expected_version: ExpectedVersion }, closed),
    tagged: 'view',
    answers: { 200: { description: 'The resource with its new settings', schema: ResourceView } },
    faults: ['conflict', 'workspace.unknown'],
  }),
  remove: route({
    ...one,
    id: 'removeResource',
    method: 'DELETE',
    allowed: ['admin'],
    summary: 'Removes a resource and its grants: no call uses it from then on',
    tagged: 'view',
    answers: { 200: { description: 'The removed resource', schema: ResourceView } },
    faults: ['conflict'],
  }),
};

const grants = { tag: 'resource-grants', path: '/v1/resource-grants' } as const;
const oneGrant = {
  tag: 'resource-grants',
  path: '/v1/resource-grants/{resource_grant_id}',
  params: { resource_grant_id: 'resourceGrant' },
} as const;

/** Who may use and make resources. */
export const RESOURCE_GRANTS = {
  list: route({
    ...grants,
    id: 'listResourceGrants',
    method: 'GET',
    allowed: ['admin', 'operator', 'auditor'],
    summary: 'Lists the grants of resources to agents',
    query: Type.Object(
      {
        ...paging,
        kind: Kind,
        resource_id: Type.Optional({ ...Key, description: 'only grants of this resource' }),
        agent_id: Type.Optional({
          ...Key,
          description: 'only grants that count for this agent: its own and those of every agent',
        }),
      },
      closed,
    ),
    answers: { 200: { description: 'A page of grants', schema: ResourceGrantList } },
  }),
  set: route({
    ...grants,
    id: 'setResourceGrant',
    tagged: 'view',
    makes: true,
    method: 'PUT',
    allowed: ['admin'],
    summary: 'Grants a resource, or a whole kind, to an agent or to every agent; or changes the clearance',
    body: ResourceGrant,
    answers: { 200: { description: 'The grant', schema: ResourceGrantView } },
    faults: ['resource.unknown', 'not_found', 'limit.exceeded'],
  }),
  read: route({
    ...oneGrant,
    id: 'readResourceGrant',
    method: 'GET',
    allowed: ['admin', 'operator', 'auditor'],
    tagged: 'view',
    summary: 'Shows one grant of a resource to agents',
    answers: { 200: { description: 'The grant', schema: ResourceGrantView } },
  }),
  remove: route({
    ...oneGrant,
    id: 'removeResourceGrant',
    tagged: 'view',
    method: 'DELETE',
    allowed: ['admin'],
    summary: 'Takes a grant back: no call is decided under it from then on',
    answers: { 200: { description: 'The removed grant', schema: ResourceGrantView } },
  }),
};
