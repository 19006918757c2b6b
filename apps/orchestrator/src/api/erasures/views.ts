// SPDX-License-Identifier: Apache-2.0
import { ErasureView } from '@writ/contract';
import { listOf } from '../../edge/requests/fields.ts';

export const ErasureList = listOf(ErasureView);
