// SPDX-License-Identifier: Apache-2.0
import { ContainerLogs, ContainerView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { ContainerList } from './views.ts';

const one = { tag: 'containers', params: { container_id: 'container' } } as const;

export const CONTAINERS = {
  list: route({
    tag: 'containers',
    id: 'listContainers',
    method: 'GET',
    path: '/v1/containers',
    allowed: ['admin', 'operator', 'auditor', 'platform'],
    summary: "Lists the containers that run a call or a session now; the platform key sees every tenant's",
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of containers', schema: ContainerList } },
  }),
  logs: route({
    ...one,
    id: 'readContainerLogs',
    method: 'GET',
    path: '/v1/containers/{container_id}/logs',
    allowed: ['admin', 'operator', 'auditor'],
    summary: 'Shows the last output of a container so far',
    answers: { 200: { description: 'The output', schema: ContainerLogs } },
    faults: ['not_found', 'sandbox.unavailable'],
  }),
  kill: route({
    ...one,
    id: 'killContainer',
    method: 'POST',
    path: '/v1/containers/{container_id}/kill',
    allowed: ['admin', 'operator', 'platform'],
    summary: 'Kills a container: its call ends as `sandbox.killed`, a session loses its shell',
    body: Type.Object({}, closed),
    answers: { 200: { description: 'The container as it was', schema: ContainerView } },
    faults: ['not_found', 'conflict'],
  }),
};
