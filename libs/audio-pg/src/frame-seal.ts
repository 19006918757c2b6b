// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (one frame, one place): the samples of a frame open only for the tenant, device, number and time that they
// were sealed for. So a copied or exchanged row is no audio of anybody.
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { AudioFrame, DeviceId } from '@writ/audio';
import { Fault, type TenantId } from '@writ/contract';
import { openBytes, sealBytes } from '@writ/sealing';

/** Nonce and tag. */
export const SEAL_BYTES = 28;

type Place = Pick<AudioFrame, 'seq' | 'startMs'>;

/** Seals and opens the samples of one device. */
export class FrameSeal {
  readonly #key: KeyObject;
  readonly #device: string;

  /** @param key 32 bytes */
  constructor(key: Buffer, tenantId: TenantId, deviceId: DeviceId) {
    this.#key = createSecretKey(key);
    this.#device = `writ/audio-frame/v1\n${tenantId}\n${deviceId}`;
  }

  seal({ pcm, ...place }: AudioFrame): Buffer {
    return sealBytes(this.#key, pcm, this.#contextOf(place));
  }

  /** @throws Fault `blob.corrupt` for anything but what `seal` returned for this place */
  open(place: Place, sealed: Buffer): Uint8Array {
    try {
      return openBytes(this.#key, sealed, this.#contextOf(place));
    } catch (cause) {
      throw new Fault('blob.corrupt', `the frame ${place.seq} is not what was sealed for its device`, { cause });
    }
  }

  #contextOf({ seq, startMs }: Place): string {
    return `${this.#device}\n${seq}\n${startMs}`;
  }
}
