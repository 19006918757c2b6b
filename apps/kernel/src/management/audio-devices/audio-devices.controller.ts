// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type AudioUpload } from '@writ/contract';
import { BeginUpload } from './begin-upload.ts';

@Controller()
export class AudioDevicesController {
  readonly #begin: BeginUpload;

  constructor(begin: BeginUpload) {
    this.#begin = begin;
  }

  @MessagePattern('kernel.audio_device.upload')
  async upload(@Payload() payload: unknown): Promise<AudioUpload> {
    return await this.#begin.run(parseMessage(KERNEL_REQUESTS['audio_device.upload'], payload));
  }
}
