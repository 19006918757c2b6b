// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { CliTool } from './cli-tool.ts';
import { HttpTool } from './declared-tool.ts';

/** A tenant's own tools as they are stored: programs, and operations of HTTP APIs. */
export const TenantTool = Type.Union([CliTool, HttpTool]);
export type TenantTool = Static<typeof TenantTool>;
