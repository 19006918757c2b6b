// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { CliTool } from './cli-tool.ts';
import { SearchTool } from './search.ts';

/**
 * What a tenant has beside Writ's own tools, as it is stored: programs, and the search of the web at the provider that
 * it named.
 */
export const TenantTool = Type.Union([CliTool, SearchTool]);
export type TenantTool = Static<typeof TenantTool>;
