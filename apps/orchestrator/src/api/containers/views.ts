// SPDX-License-Identifier: Apache-2.0
import { ContainerView } from '@writ/contract';
import { listOf } from '../../edge/requests/fields.ts';

export const ContainerList = listOf(ContainerView);
