// SPDX-License-Identifier: Apache-2.0
import type { ProcessContext } from '@writ/nest-kit';
import type { ExecutorConfig } from '../../../config.env.ts';
import type { KernelClient } from '../../../foundation/kernel-client.ts';
import { McpPrograms, type McpProgramsOptions } from './mcp-programs.ts';

/** For the kernel's answer, in milliseconds. */
const REPLY_TIMEOUT_MS = 3_000;

/** Whether programs of MCP servers run here: there are containers, some of them for what lives between calls. */
const hasRoom = (config: Pick<ExecutorConfig, 'WRIT_SESSIONS' | 'WRIT_SLOTS_SANDBOXED'>): boolean =>
  config.WRIT_SLOTS_SANDBOXED > 0 && config.WRIT_SESSIONS > 0;

/** The images that programs run in here, of those of the deployment; none where no programs run. */
export const programImagesOf = (config: ExecutorConfig, images: ReadonlySet<string>): ReadonlySet<string> =>
  hasRoom(config) ? images : new Set();

interface ProgramDependencies extends Pick<McpProgramsOptions, 'sandbox' | 'threads' | 'now'> {
  readonly kernel: Pick<KernelClient, 'liveMcpPrograms'>;
  readonly executorId: string;
  readonly logger: ProcessContext['logger'];
}

export const openPrograms = (
  config: ExecutorConfig,
  { kernel, executorId, logger, ...dependencies }: ProgramDependencies,
): McpPrograms =>
  new McpPrograms({
    ...dependencies,
    processesMax: config.WRIT_SESSIONS,
    memoryBytesMax: config.WRIT_PROGRAM_BYTES,
    findLive: (tenantId, programs) => kernel.liveMcpPrograms(executorId, tenantId, programs, REPLY_TIMEOUT_MS),
    failed: (error) => logger.error({ err: error }, 'processes of MCP programs that wait could not be checked'),
  });
