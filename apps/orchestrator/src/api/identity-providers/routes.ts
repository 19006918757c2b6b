// SPDX-License-Identifier: Apache-2.0
import { PersonName } from '@writ/contract';
import { Type } from 'typebox';
import { closed } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import {
  ConfirmedSettings,
  Denial,
  Ended,
  PersonForgotten,
  PersonView,
  ProviderList,
  ProviderSettings,
  ProviderView,
} from './views.ts';

const shared = { tag: 'identity-providers', allowed: ['admin'] } as const;
const one = { ...shared, path: '/v1/identity-providers/{provider}', params: { provider: 'provider' } } as const;

export const IDENTITY_PROVIDERS = {
  list: route({
    ...shared,
    id: 'listIdentityProviders',
    method: 'GET',
    path: '/v1/identity-providers',
    allowed: ['admin', 'auditor'],
    summary: 'Lists the OAuth issuers whose access tokens are accepted',
    answers: { 200: { description: 'All of them, by name', schema: ProviderList } },
  }),
  read: route({
    ...one,
    id: 'readIdentityProvider',
    method: 'GET',
    allowed: ['admin', 'auditor'],
    tagged: 'view',
    summary: 'Shows one OAuth issuer whose access tokens are accepted',
    answers: { 200: { description: 'The registration', schema: ProviderView } },
  }),
  put: route({
    ...shared,
    id: 'putIdentityProvider',
    tagged: 'view',
    makes: true,
    method: 'POST',
    path: '/v1/identity-providers',
    summary: 'Registers an OAuth issuer, or changes what the tokens of the one with this name may do',
    body: ConfirmedSettings,
    answers: { 200: { description: 'The registration', schema: ProviderView } },
    faults: ['auth.issuer_unavailable', 'conflict', 'limit.exceeded', 'not_found'],
  }),
  putByPlatform: route({
    ...shared,
    id: 'putTenantIdentityProvider',
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/identity-providers',
    params: { tenant_id: 'tenant' },
    allowed: 'platform',
    summary: 'Registers an OAuth issuer for a tenant, or changes it, without a token of the issuer',
    body: ProviderSettings,
    answers: { 200: { description: 'The registration', schema: ProviderView } },
    faults: ['conflict', 'limit.exceeded', 'not_found'],
  }),
  remove: route({
    ...one,
    id: 'removeIdentityProvider',
    method: 'DELETE',
    tagged: 'view',
    summary: 'Removes an issuer: its tokens are refused within a second, and their calls and streams end',
    answers: { 200: { description: 'What it ended', schema: Ended } },
    faults: ['not_found'],
  }),
  deny: route({
    ...shared,
    id: 'denyTokens',
    method: 'POST',
    path: '/v1/identity-providers/{provider}/denials',
    params: { provider: 'provider' },
    summary: 'Refuses a subject, or one token, though the issuer still vouches for it',
    body: Denial,
    answers: { 200: { description: 'What it ended', schema: Ended } },
    faults: ['not_found'],
  }),
};

export const PERSONS = {
  find: route({
    ...shared,
    id: 'findPerson',
    method: 'GET',
    path: '/v1/persons',
    allowed: ['admin', 'auditor'],
    summary: 'Finds the pseudonym of a person: by name, or by issuer and subject',
    query: Type.Object(
      {
        principal: Type.Optional(PersonName),
        issuer: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
        subject: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
      },
      closed,
    ),
    answers: { 200: { description: 'The pseudonym', schema: PersonView } },
    faults: ['not_found'],
  }),
  forget: route({
    ...shared,
    id: 'forgetPerson',
    method: 'DELETE',
    path: '/v1/persons/{person_id}',
    params: { person_id: 'person' },
    summary: 'Unlinks a pseudonym: nobody can tell any more whose calls and records have it',
    answers: { 200: { description: 'The pseudonym', schema: PersonForgotten } },
    faults: ['not_found', 'conflict'],
  }),
};
