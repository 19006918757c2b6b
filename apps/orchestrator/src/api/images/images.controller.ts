// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { ImageLog, ImageView } from '@writ/contract';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { IMAGES } from './routes.ts';

@Controller()
export class ImagesController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(IMAGES.list)
  list(
    @RequestInput() { caller, query }: RequestInputOf<typeof IMAGES.list>,
  ): Promise<{ items: ImageView[]; next_cursor: string | null }> {
    return this.kernel.ask('image.list', caller, { page: pageOf(query) });
  }

  @Route(IMAGES.create)
  create(
    @RequestInput() { caller, body: { name, source, tools = [] } }: RequestInputOf<typeof IMAGES.create>,
  ): Promise<ImageView> {
    return this.kernel.ask('image.create', caller, { name, source, tools });
  }

  @Route(IMAGES.read)
  read(@RequestInput() { caller, params: { image: name } }: RequestInputOf<typeof IMAGES.read>): Promise<ImageView> {
    return this.kernel.ask('image.read', caller, { name });
  }

  @Route(IMAGES.log)
  log(@RequestInput() { caller, params: { image: name } }: RequestInputOf<typeof IMAGES.log>): Promise<ImageLog> {
    return this.kernel.ask('image.log', caller, { name });
  }

  @Route(IMAGES.remove)
  remove(
    @RequestInput() { caller, params: { image: name } }: RequestInputOf<typeof IMAGES.remove>,
  ): Promise<{ removed: string }> {
    return this.kernel.ask('image.remove', caller, { name });
  }
}
