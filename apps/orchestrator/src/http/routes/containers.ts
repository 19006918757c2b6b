// SPDX-License-Identifier: Apache-2.0
import { SandboxLogs, SandboxView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../fields.ts';
import { route } from '../route.ts';
import { SandboxList } from '../views.ts';

const one = { tag: 'sandboxes', params: { sandbox_id: 'sandbox' } } as const;

export const SANDBOXES = {
  list: route({
    tag: 'sandboxes', id: 'listSandboxes', method: 'GET', path: '/v1/sandboxes', allowed: ['admin', 'operator', 'auditor', 'platform'],
    summary: 'Lists the containers that have a call or a session now; the platform key sees every tenant\'s',
    query: Type.Object(paging, closed),
    answers: { 200: { says: 'A page of containers', schema: SandboxList } },
  }),
  logs: route({
    ...one, id: 'readSandboxLogs', method: 'GET', path: '/v1/sandboxes/{sandbox_id}/logs', allowed: ['admin', 'operator', 'auditor'],
    summary: 'Shows the end of what has come out of a container so far',
    answers: { 200: { says: 'What came out', schema: SandboxLogs } },
    faults: ['not_found', 'sandbox.unavailable'],
  }),
  kill: route({
    ...one, id: 'killSandbox', method: 'POST', path: '/v1/sandboxes/{sandbox_id}/kill', allowed: ['admin', 'operator', 'platform'],
    summary: 'Kills a container: its call ends as `sandbox.killed`, a session loses its shell',
    body: Type.Object({}, closed),
    answers: { 200: { says: 'The container as it was', schema: SandboxView } },
    faults: ['not_found', 'conflict'],
  }),
};
