// SPDX-License-Identifier: Apache-2.0
import { parsePrivateEndpoints } from '@writ/egress';
import { outboundOf, type ProcessContext } from '@writ/nest-kit';
import type { ExecutorConfig } from '../../config.env.ts';
import type { EgressPorts } from '../../egress/egress-ports.ts';
import { systemEgress } from '../../egress/system-ports.ts';
import type { KernelClient } from '../../foundation/kernel-client.ts';
import { TokenIntake } from './token-intake.ts';
import { TokenWorker } from './token-worker.ts';

/** @param egress the network access of requests to authorization servers; this machine's by default */
export function openTokenIntake(
  config: ExecutorConfig,
  { kernel, executorId }: { readonly kernel: KernelClient; readonly executorId: string },
  { logger }: Pick<ProcessContext, 'logger'>,
  egress?: EgressPorts,
): TokenIntake {
  const privateEndpoints = parsePrivateEndpoints(config.WRIT_RESOURCE_HOSTS);
  const inside = privateEndpoints.map(({ host }) => host);
  const ports = egress ?? systemEgress(outboundOf(config, inside));
  return new TokenIntake({
    kernel,
    executorId,
    worker: new TokenWorker({ ports, privateEndpoints }, () => performance.now()),
    failed: (error, work) =>
      logger.error(
        // Without its cause: an error of the library has the answer there, and so maybe a token.
        { stack: error instanceof Error ? error.stack : typeof error, connection_id: work?.connection_id },
        'the work of a connection at an authorization server failed',
      ),
  });
}
