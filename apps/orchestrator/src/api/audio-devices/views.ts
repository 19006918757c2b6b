// SPDX-License-Identifier: Apache-2.0
import { idSchema } from '@writ/contract';
import { Type, type Static, type TSchema } from 'typebox';
import { closed } from '../../edge/requests/fields.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Instant = (description: string) =>
  Type.Integer({ minimum: 0, description: `${description}, in milliseconds since the epoch` });

export const FramesReceived = Type.Object(
  {
    resource_id: idSchema('resource'),
    stored: Count('frames of this upload that are stored'),
    repeated: Count('frames that were sent before, and were ignored'),
    next_seq: Count('the number of the frame that the device sends next'),
    recorded_until: orNull(Instant('the end of its newest frame, where the next one begins or later')),
  },
  closed,
);
export type FramesReceived = Static<typeof FramesReceived>;

export const AudioDeviceView = Type.Object(
  {
    resource_id: idSchema('resource'),
    name: Type.String(),
    retention_seconds: Type.Integer({ minimum: 1 }),
    buffer_bytes: Type.Integer({ minimum: 1 }),
    next_seq: Count('the number of the frame that the device sends next'),
    frames: Count('frames that are kept'),
    bytes: Count('bytes of the samples that are kept'),
    from: orNull(Instant('the start of the oldest frame')),
    to: orNull(Instant('the end of the newest frame')),
    gaps: Type.Array(Type.Object({ from: Instant('the start'), to: Instant('the end') }, closed), {
      description: 'times between the newest frames that the device did not send, the newest first',
    }),
  },
  closed,
);
export type AudioDeviceView = Static<typeof AudioDeviceView>;
