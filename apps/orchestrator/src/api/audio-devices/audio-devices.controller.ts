// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { AudioIngest, type DeviceId } from '@writ/audio';
import { Fault, type AudioDeviceSettings } from '@writ/contract';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { Authenticator } from '../../edge/access/authenticator.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { ReceiveFrames } from './receive-frames.ts';
import { AUDIO_DEVICES } from './routes.ts';
import type { AudioDeviceView, FramesReceived } from './views.ts';

@Controller()
export class AudioDevicesController {
  constructor(
    private readonly kernel: KernelClient,
    private readonly ingest: AudioIngest,
    private readonly receiveFrames: ReceiveFrames,
    private readonly authenticator: Authenticator,
  ) {}

  @Route(AUDIO_DEVICES.upload)
  upload(
    @RequestInput() { caller, params, stream }: RequestInputOf<typeof AUDIO_DEVICES.upload>,
    @InExchange() exchange: Exchange,
  ): Promise<FramesReceived> {
    const { presented } = exchange;
    return this.receiveFrames.run(caller, params.resource_id, {
      body: stream,
      verifyKey: () => this.authenticator.verifyCaller(caller, presented, exchange.address),
    });
  }

  @Route(AUDIO_DEVICES.read)
  async read(@RequestInput() { caller, params }: RequestInputOf<typeof AUDIO_DEVICES.read>): Promise<AudioDeviceView> {
    const { resource_id, kind, name, settings } = await this.kernel.ask('resource.read', caller, params);
    if (kind !== 'audio_device') throw new Fault('not_found');
    const { retention_seconds, buffer_bytes } = settings as AudioDeviceSettings;
    const state = await this.ingest.state(caller.tenant_id, resource_id as DeviceId, {
      retention: { bytesMax: buffer_bytes, ageMsMax: retention_seconds * 1000 },
      nowMs: Date.now(),
    });
    return {
      resource_id: resource_id as AudioDeviceView['resource_id'],
      name,
      retention_seconds,
      buffer_bytes,
      next_seq: state?.nextSeq ?? 0,
      frames: state?.frames ?? 0,
      bytes: state?.bytes ?? 0,
      from: state?.fromMs ?? null,
      to: state?.toMs ?? null,
      gaps: (state?.gaps ?? []).map(({ fromMs, toMs }) => ({ from: fromMs, to: toMs })),
    };
  }
}
