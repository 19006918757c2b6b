// SPDX-License-Identifier: Apache-2.0
import { idSchema, TenantView } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { closed, listOf } from '../../edge/requests/fields.ts';

export const NewTenant = Type.Object(
  {
    tenant_id: idSchema('tenant'),
    name: Type.String(),
    api_key_id: idSchema('apiKey'),
    api_key: Type.String({ description: 'the key of the first administrator: shown once and not stored' }),
  },
  closed,
);
export const TenantList = listOf(TenantView);

export type NewTenant = Static<typeof NewTenant>;
