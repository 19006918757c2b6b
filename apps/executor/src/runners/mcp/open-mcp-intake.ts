// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@writ/blobs';
import { MCP_TRANSPORTS } from '@writ/contract';
import { parsePrivateEndpoints } from '@writ/egress';
import { outboundOf, type ProcessContext } from '@writ/nest-kit';
import type { TenantImages } from '@writ/sandbox/images';
import type { ExecutorPool } from '../../calls/executor-pool.ts';
import type { ExecutorConfig } from '../../config.env.ts';
import type { EgressPorts } from '../../egress/egress-ports.ts';
import { systemEgress } from '../../egress/system-ports.ts';
import type { KernelClient } from '../../foundation/kernel-client.ts';
import { listServer } from './list-server.ts';
import { McpIntake } from './mcp-intake.ts';
import { McpSessions } from './mcp-sessions.ts';
import { listedPrograms } from './stdio/listed-programs.ts';
import type { McpPrograms } from './stdio/mcp-programs.ts';
import { programImagesOf } from './stdio/open-programs.ts';

export interface McpDependencies {
  readonly kernel: KernelClient;
  readonly blobs: BlobStore;
  readonly executorId: string;
  readonly sessionThreads: ExecutorPool;
  readonly programs: McpPrograms;
  readonly images: TenantImages;
  /** the images of the deployment that this executor has; none: it has no containers */
  readonly imageDigests: ReadonlySet<string>;
}

/** @param egress the network access of listings; this machine's by default */
export function openMcpIntake(
  config: ExecutorConfig,
  { kernel, blobs, executorId, sessionThreads, programs, images, imageDigests }: McpDependencies,
  { logger }: Pick<ProcessContext, 'logger'>,
  egress?: EgressPorts,
): McpIntake {
  const privateEndpoints = parsePrivateEndpoints(config.WRIT_RESOURCE_HOSTS);
  const inside = privateEndpoints.map(({ host }) => host);
  const ports = egress ?? systemEgress(outboundOf(config, inside));
  const programImages = programImagesOf(config, imageDigests);
  const runsPrograms = programImages.size > 0;
  const parts = {
    sessions: new McpSessions(sessionThreads),
    ports,
    privateEndpoints,
    ...(runsPrograms ? { programs: listedPrograms(programs, images, programImages) } : {}),
  };
  return new McpIntake({
    kernel,
    blobs,
    executorId,
    transports: runsPrograms ? MCP_TRANSPORTS : ['http'],
    list: (server, signal) => listServer(parts, server, signal),
    failed: (error, server) =>
      logger.error(
        { err: error, resource_id: server?.resource.resource_id },
        'the tools of an MCP server could not be listed',
      ),
  });
}
