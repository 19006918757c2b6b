// SPDX-License-Identifier: Apache-2.0
import { ResourceView } from '@writ/contract';
import { listOf } from '../../edge/requests/fields.ts';

export const ResourceList = listOf(ResourceView);
