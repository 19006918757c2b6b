// SPDX-License-Identifier: Apache-2.0
import { CallSettingsChange, CallSettingsView } from '@writ/contract';
import { route } from '../../edge/requests/route.ts';

export const CALL_SETTINGS = {
  read: route({
    id: 'readCallSettings',
    method: 'GET',
    path: '/v1/call-settings',
    tag: 'call-settings',
    allowed: ['admin', 'operator', 'auditor'],
    summary: 'Shows which paths calls may reach whatever their tokens grant, and the limit on the output of commands',
    tagged: 'view',
    answers: { 200: { description: 'The settings', schema: CallSettingsView } },
  }),
  set: route({
    id: 'setCallSettings',
    method: 'PATCH',
    path: '/v1/call-settings',
    tag: 'call-settings',
    allowed: ['admin'],
    summary: 'Sets them; omitted ones stay. Every decision after the answer is made under the new settings',
    body: CallSettingsChange,
    tagged: 'view',
    answers: { 200: { description: 'The new settings', schema: CallSettingsView } },
    faults: ['path.escape', 'path.invalid'],
  }),
};
