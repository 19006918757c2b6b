// SPDX-License-Identifier: Apache-2.0
import { PolicyActivation } from '@writ/contract';
import { listOf } from '../../edge/requests/fields.ts';

export const PolicyActivationList = listOf(PolicyActivation);
