// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { PublishedKeyFile } from '../../edge/published-keys.ts';
import { route } from '../../edge/requests/route.ts';
import { Health, ReadyView } from './views.ts';

const open = { method: 'GET', tag: 'system', allowed: 'public' } as const;

export const SYSTEM = {
  health: route({
    ...open,
    id: 'readHealth',
    path: '/healthz',
    summary: 'Says that the process lives',
    answers: { 200: { says: 'It does', schema: Health } },
  }),
  ready: route({
    ...open,
    id: 'readReadiness',
    path: '/readyz',
    summary: 'Says whether the process can do its work',
    answers: { 200: { says: 'It can', schema: ReadyView }, 503: { says: "It can't", schema: ReadyView } },
  }),
  document: route({
    ...open,
    id: 'readDocument',
    path: '/openapi.json',
    summary: 'Gives this document',
    answers: { 200: { says: 'OpenAPI 3.1', schema: Type.Record(Type.String(), Type.Unknown()) } },
  }),
  keys: route({
    ...open,
    id: 'readPublicKeys',
    path: '/.well-known/writ-keys.json',
    summary: 'Gives the public keys that verify receipts',
    answers: { 200: { says: 'The keys', schema: PublishedKeyFile } },
  }),
};
