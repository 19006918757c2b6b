// SPDX-License-Identifier: Apache-2.0
import { tenantDefinition } from '@writ/cli-tool';
import { argumentFaults, type TenantTool } from '@writ/contract';

/** A tool of a tenant and the arguments of a call. */
export interface ArgumentWork {
  readonly tool: TenantTool;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The checks of arguments whose cost a tenant decides by the patterns of its tools, for worker threads. */
export const ARGUMENT_TASKS = {
  'arguments.fit': ({ tool, args }: ArgumentWork): boolean => argumentFaults(tenantDefinition(tool), args).length === 0,
} as const;
