// SPDX-License-Identifier: Apache-2.0
import { CliTool } from './cli-tool.ts';

/** A tenant's own tools as they are stored: programs. */
export const TenantTool = CliTool;
export type TenantTool = CliTool;
