// SPDX-License-Identifier: Apache-2.0
import { McpServerToolView, McpServerView } from '@writ/contract';
import { listOf } from '../../edge/requests/fields.ts';

export const McpServerList = listOf(McpServerView);
export const McpServerToolList = listOf(McpServerToolView);
