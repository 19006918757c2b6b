// SPDX-License-Identifier: Apache-2.0
import { OperationView } from '@writ/contract';
import { listOf } from '../../edge/requests/fields.ts';

export const OperationList = listOf(OperationView);
