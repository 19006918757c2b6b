// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { idSchema } from '../ids.ts';
import { ContentKey } from './contents.ts';
import { Caller } from './operations.ts';

const closed = { additionalProperties: false } as const;
const Key = Type.String({ minLength: 1, maxLength: 64 });

/**
 * kernel → orchestrator: an upload that was recorded, with what it needs of the device. The key seals the samples of
 * this device and of no other; it is used for this upload and then forgotten.
 */
export const AudioUpload = Type.Object(
  {
    v: Type.Literal(1),
    resource_id: idSchema('resource'),
    name: Type.String(),
    retention_seconds: Type.Integer({ minimum: 1 }),
    buffer_bytes: Type.Integer({ minimum: 1 }),
    key: ContentKey,
  },
  closed,
);
export type AudioUpload = Static<typeof AudioUpload>;

/** orchestrator → kernel, of audio devices. */
export const AUDIO_DEVICE_REQUESTS = {
  /** → AudioUpload; records that the caller uploads for the device. The orchestrator stores no frame without it */
  'audio_device.upload': Type.Object({ v: Type.Literal(1), caller: Caller, resource_id: Key }, closed),
} as const;
