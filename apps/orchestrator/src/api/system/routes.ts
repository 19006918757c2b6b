// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { ProtectedResourceMetadata, RESOURCE_METADATA_PATH } from '../../edge/access/oauth/protected-resource.ts';
import { MCP_PATH } from '../../store/identities/identities.ts';
import { PublishedKeyFile } from '../../edge/published-keys.ts';
import { route } from '../../edge/requests/route.ts';
import { Health, ReadyView, SystemView } from './views.ts';

const open = { method: 'GET', tag: 'system', allowed: 'public' } as const;

export const SYSTEM = {
  report: route({
    id: 'readSystem',
    method: 'GET',
    tag: 'system',
    allowed: 'platform',
    path: '/v1/system',
    summary: 'Reports versions, clocks, durability, connections, waiting records, executors and migrations',
    answers: { 200: { description: 'What the kernel, the database and this process say', schema: SystemView } },
  }),
  health: route({
    ...open,
    id: 'readHealth',
    path: '/healthz',
    summary: 'Reports that the process is alive',
    answers: { 200: { description: 'The process is alive', schema: Health } },
  }),
  ready: route({
    ...open,
    id: 'readReadiness',
    path: '/readyz',
    summary: 'Reports whether the process is ready',
    answers: {
      200: { description: 'The process is ready', schema: ReadyView },
      503: { description: 'The process is not ready', schema: ReadyView },
    },
  }),
  document: route({
    ...open,
    id: 'readDocument',
    path: '/openapi.json',
    summary: 'Returns this document',
    answers: { 200: { description: 'OpenAPI 3.1', schema: Type.Record(Type.String(), Type.Unknown()) } },
  }),
  keys: route({
    ...open,
    id: 'readPublicKeys',
    path: '/.well-known/writ-keys.json',
    summary: 'Returns the public keys that verify receipts',
    answers: { 200: { description: 'The keys', schema: PublishedKeyFile } },
  }),
  resource: route({
    ...open,
    id: 'readProtectedResource',
    path: RESOURCE_METADATA_PATH,
    summary: 'Returns what an OAuth client needs to get an access token for the API (RFC 9728)',
    answers: { 200: { description: 'The metadata', schema: ProtectedResourceMetadata } },
    faults: ['not_found'],
  }),
  mcpResource: route({
    ...open,
    id: 'readProtectedMcpResource',
    path: `${RESOURCE_METADATA_PATH}${MCP_PATH}`,
    summary: 'Returns what an OAuth client needs to get an access token for `/mcp` alone (RFC 9728)',
    answers: { 200: { description: 'The metadata', schema: ProtectedResourceMetadata } },
    faults: ['not_found'],
  }),
};
