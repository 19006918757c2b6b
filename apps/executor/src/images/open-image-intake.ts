// SPDX-License-Identifier: Apache-2.0
import type { TenantImages } from '@writ/sandbox/images';
import { outboundOf, type ProcessContext } from '@writ/nest-kit';
import type { ExecutorConfig } from '../config.env.ts';
import type { EgressPorts } from '../egress/egress-ports.ts';
import { systemEgress } from '../egress/system-ports.ts';
import type { KernelClient } from '../foundation/kernel-client.ts';
import { readBuilds, registryHosts } from './build-settings.ts';
import { imageEgress } from './image-egress.ts';
import { ImageIntake } from './image-intake.ts';

export interface ImageDependencies {
  readonly kernel: KernelClient;
  readonly images: TenantImages;
  readonly executorId: string;
}

/** @param egress the network access of builds; this machine's by default */
export function openImageIntake(
  config: ExecutorConfig,
  { kernel, images, executorId }: ImageDependencies,
  { logger }: Pick<ProcessContext, 'logger'>,
  egress?: EgressPorts,
): ImageIntake {
  const { registries, ca } = readBuilds('WRIT_IMAGE_BUILDS_FILE', config.WRIT_IMAGE_BUILDS_FILE);
  const ports = egress ?? systemEgress(outboundOf(config, registryHosts(registries)));
  return new ImageIntake({
    kernel,
    images,
    executorId,
    context: (signal) => ({ registries, ca, egress: (hosts) => imageEgress(ports, hosts, signal) }),
    failed: (error, image) =>
      logger.error({ err: error, image_id: image?.image_id }, 'an image could not be made ready'),
  });
}
