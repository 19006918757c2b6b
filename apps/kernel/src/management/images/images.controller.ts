// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  ImageClaimRequest,
  ImageFinishRequest,
  ImageReleaseRequest,
  ImageRenewRequest,
  KERNEL_REQUESTS,
  parseMessage,
  type ImageClaimReply,
  type ImageLog,
  type ImageRenewReply,
  type ImageView,
} from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { ImageBuilds } from './image-builds.ts';
import { TenantImages } from './tenant-images.ts';

@Controller()
export class ImagesController {
  readonly #images: TenantImages;

  constructor(images: TenantImages) {
    this.#images = images;
  }

  @MessagePattern('kernel.image.create')
  async create(@Payload() payload: unknown): Promise<ImageView> {
    return await this.#images.create(parseMessage(KERNEL_REQUESTS['image.create'], payload));
  }

  @MessagePattern('kernel.image.list')
  async list(@Payload() payload: unknown): Promise<ListPage<ImageView>> {
    return await this.#images.list(parseMessage(KERNEL_REQUESTS['image.list'], payload));
  }

  @MessagePattern('kernel.image.read')
  async read(@Payload() payload: unknown): Promise<ImageView> {
    return await this.#images.read(parseMessage(KERNEL_REQUESTS['image.read'], payload));
  }

  @MessagePattern('kernel.image.log')
  async log(@Payload() payload: unknown): Promise<ImageLog> {
    return await this.#images.log(parseMessage(KERNEL_REQUESTS['image.log'], payload));
  }

  @MessagePattern('kernel.image.remove')
  async remove(@Payload() payload: unknown): Promise<{ removed: string }> {
    return await this.#images.remove(parseMessage(KERNEL_REQUESTS['image.remove'], payload));
  }
}

/** What executors ask. */
@Controller()
export class ImageBuildsController {
  readonly #builds: ImageBuilds;

  constructor(builds: ImageBuilds) {
    this.#builds = builds;
  }

  @MessagePattern('kernel.image.claim')
  async claim(@Payload() payload: unknown): Promise<ImageClaimReply> {
    return { v: 1, claim: await this.#builds.claim(parseMessage(ImageClaimRequest, payload)) };
  }

  @MessagePattern('kernel.image.renew')
  async renew(@Payload() payload: unknown): Promise<ImageRenewReply> {
    return { v: 1, alive: await this.#builds.renew(parseMessage(ImageRenewRequest, payload)) };
  }

  @MessagePattern('kernel.image.release')
  async release(@Payload() payload: unknown): Promise<ImageRenewReply> {
    return { v: 1, alive: await this.#builds.release(parseMessage(ImageReleaseRequest, payload)) };
  }

  @MessagePattern('kernel.image.finish')
  async finish(@Payload() payload: unknown): Promise<ImageRenewReply> {
    return { v: 1, alive: await this.#builds.finish(parseMessage(ImageFinishRequest, payload)) };
  }
}
