// SPDX-License-Identifier: Apache-2.0
import { FreezeView } from '@writ/contract';
import { listOf } from '../../edge/requests/fields.ts';

export const FreezeList = listOf(FreezeView);
