// SPDX-License-Identifier: Apache-2.0
import type { Readable } from 'node:stream';
import {
  FRAMES_PER_APPEND_MAX,
  FrameReader,
  type AudioFrame,
  type AudioIngest,
  type DeviceId,
  type IngestOptions,
} from '@writ/audio';
import { Fault, LIMITS, type AudioUpload, type Caller, type TenantId } from '@writ/contract';
import { FairTurns } from '@writ/fairness';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { bounded } from '../../edge/requests/bounded.ts';
import type { FramesReceived } from './views.ts';

/** Bytes of samples that are stored at once: sixteen seconds. */
const BATCH_BYTES_MAX = 512 * 1024;
/** Uploads of all tenants in this process. */
const UPLOADS_AT_ONCE = 1_024;

/** The body of an upload, and the key that it came with. */
export interface SentFrames {
  readonly body: Readable;
  /** Resolves while the key is valid. Throws its fault when it isn't. */
  readonly verifyKey: () => Promise<unknown>;
}

/**
 * Stores what devices upload. INVARIANT (nothing unrecorded): the kernel records the upload before it hands out the
 * key, and nothing is stored without it. INVARIANT (back-pressure): no more of a body is read while frames are stored,
 * and one batch is all that is held. INVARIANT (nothing of a lost key): nothing is stored for a key that is no longer
 * valid.
 */
export class ReceiveFrames {
  readonly #kernel: KernelClient;
  readonly #ingest: AudioIngest;
  readonly #turns = new FairTurns(
    {
      atOnce: UPLOADS_AT_ONCE,
      perTenantMax: LIMITS.audioUploads.max,
      waitingMax: 0,
      refusal: () =>
        new Fault('overloaded', `a tenant has at most ${String(LIMITS.audioUploads.max)} uploads of audio at once`),
    },
    () => performance.now(),
  );

  constructor(kernel: KernelClient, ingest: AudioIngest) {
    this.#kernel = kernel;
    this.#ingest = ingest;
  }

  /**
   * Frames that were stored stay, whatever comes after them. @throws Fault `not_found`, also for a device that is
   * removed meanwhile; `audio.unreadable`, `request.too_large`, `overloaded`; that of a key that is no longer valid
   */
  async run(caller: Caller, resourceId: string, sent: SentFrames): Promise<FramesReceived> {
    return await this.#turns.run(caller.tenant_id, async () => {
      const upload = await this.#kernel.ask('audio_device.upload', caller, { resource_id: resourceId });
      return await this.#store(caller.tenant_id, upload, sent);
    });
  }

  async #store(tenantId: TenantId, upload: AudioUpload, { body, verifyKey }: SentFrames): Promise<FramesReceived> {
    const { resource_id } = upload;
    const received = { resource_id, stored: 0, repeated: 0, next_seq: 0, recorded_until: null as number | null };
    let batch: AudioFrame[] = [];
    let bytes = 0;
    const flush = async (): Promise<void> => {
      const frames = batch;
      [batch, bytes] = [[], 0];
      await verifyKey();
      const result = await this.#ingest.append(tenantId, upload.resource_id as DeviceId, frames, optionsOf(upload));
      received.stored += result.stored;
      received.repeated += result.repeated;
      received.next_seq = result.nextSeq;
      received.recorded_until = result.recordedUntilMs === 0 ? null : result.recordedUntilMs;
    };
    const reader = new FrameReader();
    for await (const part of bounded(body, LIMITS.audioUploadBytes.max)) {
      for (const frame of reader.push(part)) {
        if (batch.length === FRAMES_PER_APPEND_MAX || bytes >= BATCH_BYTES_MAX) await flush();
        batch.push(frame);
        bytes += frame.pcm.length;
      }
      // What is here is stored before the next part is waited for: somebody may be listening.
      if (batch.length > 0 && body.readableLength === 0) await flush();
    }
    reader.end();
    // Also without a frame: the answer names the next number.
    await flush();
    return received;
  }
}

const optionsOf = ({ retention_seconds, buffer_bytes, key }: AudioUpload): IngestOptions => ({
  retention: { bytesMax: buffer_bytes, ageMsMax: retention_seconds * 1000 },
  nowMs: Date.now(),
  key: Buffer.from(key, 'base64'),
});
