// SPDX-License-Identifier: Apache-2.0
import { ExternalVersionView } from '@writ/contract';
import { listOf } from '../../edge/requests/fields.ts';

export const ExternalVersionList = listOf(ExternalVersionView);
