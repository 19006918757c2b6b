// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type FreezeView } from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { Freezes } from './freezes.ts';
import { LiftFreeze } from './lift-freeze.ts';
import { PlaceFreeze } from './place-freeze.ts';

@Controller()
export class FreezesController {
  readonly #freezes: Freezes;
  readonly #place: PlaceFreeze;
  readonly #lift: LiftFreeze;

  constructor(freezes: Freezes, place: PlaceFreeze, lift: LiftFreeze) {
    this.#freezes = freezes;
    this.#place = place;
    this.#lift = lift;
  }

  @MessagePattern('kernel.freeze.place')
  async place(@Payload() payload: unknown): Promise<FreezeView> {
    return await this.#place.run(parseMessage(KERNEL_REQUESTS['freeze.place'], payload));
  }

  @MessagePattern('kernel.freeze.lift')
  async lift(@Payload() payload: unknown): Promise<FreezeView> {
    return await this.#lift.run(parseMessage(KERNEL_REQUESTS['freeze.lift'], payload));
  }

  @MessagePattern('kernel.freeze.read')
  async read(@Payload() payload: unknown): Promise<FreezeView> {
    return await this.#freezes.read(parseMessage(KERNEL_REQUESTS['freeze.read'], payload));
  }

  @MessagePattern('kernel.freeze.list')
  async list(@Payload() payload: unknown): Promise<ListPage<FreezeView>> {
    return await this.#freezes.list(parseMessage(KERNEL_REQUESTS['freeze.list'], payload));
  }
}
