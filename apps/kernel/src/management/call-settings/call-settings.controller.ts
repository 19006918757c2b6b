// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type CallSettingsView } from '@writ/contract';
import { TenantCallSettings } from './tenant-call-settings.ts';

@Controller()
export class CallSettingsController {
  readonly #settings: TenantCallSettings;

  constructor(settings: TenantCallSettings) {
    this.#settings = settings;
  }

  @MessagePattern('kernel.call_settings.read')
  async read(@Payload() payload: unknown): Promise<CallSettingsView> {
    return await this.#settings.read(parseMessage(KERNEL_REQUESTS['call_settings.read'], payload));
  }

  @MessagePattern('kernel.call_settings.set')
  async set(@Payload() payload: unknown): Promise<CallSettingsView> {
    return await this.#settings.set(parseMessage(KERNEL_REQUESTS['call_settings.set'], payload));
  }
}
