// SPDX-License-Identifier: Apache-2.0
import type { Sandbox } from '@writ/sandbox';
import type { ExecutorPool } from '../../../calls/executor-pool.ts';
import type { ExecutorConfig } from '../../../config.env.ts';
import { McpPrograms } from './mcp-programs.ts';

/** Whether programs of MCP servers run here: there are containers, some of them for what lives between calls. */
const hasRoom = (config: Pick<ExecutorConfig, 'WRIT_SESSIONS' | 'WRIT_SLOTS_SANDBOXED'>): boolean =>
  config.WRIT_SLOTS_SANDBOXED > 0 && config.WRIT_SESSIONS > 0;

/** The images that programs run in here, of those of the deployment; none where no programs run. */
export const programImagesOf = (config: ExecutorConfig, images: ReadonlySet<string>): ReadonlySet<string> =>
  hasRoom(config) ? images : new Set();

/** @param now a monotonic clock, in milliseconds */
export const openPrograms = (
  config: ExecutorConfig,
  sandbox: Sandbox,
  threads: ExecutorPool,
  now: () => number,
): McpPrograms =>
  new McpPrograms({
    sandbox,
    threads,
    processesMax: config.WRIT_SESSIONS,
    memoryBytesMax: config.WRIT_PROGRAM_BYTES,
    now,
  });
