// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { closed, Name } from '../fields.ts';
import { route } from '../route.ts';
import { NewTenant } from '../views.ts';

export const TENANTS = {
  create: route({
    id: 'createTenant', method: 'POST', path: '/v1/tenants', tag: 'tenants', allowed: 'platform',
    summary: 'Makes a tenant and its first administrator\'s key',
    body: Type.Object({ name: Name }, closed),
    answers: { 201: { says: 'The tenant', schema: NewTenant } },
  }),
};
