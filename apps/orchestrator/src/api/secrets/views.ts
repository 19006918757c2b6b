// SPDX-License-Identifier: Apache-2.0
import { SecretView } from '@writ/contract';
import { listOf } from '../../edge/requests/fields.ts';

export const SecretList = listOf(SecretView);
