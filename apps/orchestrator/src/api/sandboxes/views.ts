// SPDX-License-Identifier: Apache-2.0
import { RegistrarKeyView, SandboxView } from '@writ/contract';
import { listOf } from '../../edge/requests/fields.ts';

export const SandboxList = listOf(SandboxView);
export const RegistrarKeyList = listOf(RegistrarKeyView);
