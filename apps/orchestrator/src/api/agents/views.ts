// SPDX-License-Identifier: Apache-2.0
import { AgentView } from '@writ/contract';
import { listOf } from '../../edge/requests/fields.ts';

export const AgentList = listOf(AgentView);
