// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import { route } from '../../edge/requests/route.ts';
import { AudioDeviceView, FramesReceived } from './views.ts';

const shared = { tag: 'audio-devices', params: { resource_id: 'resource' } } as const;

/** Recordings of registered audio devices. */
export const AUDIO_DEVICES = {
  // An agent's token limits what it may hear, call by call; this route would tell it when people spoke.
  read: route({
    ...shared,
    id: 'readAudioDevice',
    method: 'GET',
    path: '/v1/audio-devices/{resource_id}',
    allowed: ['admin', 'operator', 'auditor'],
    summary: 'Shows what is kept of an audio device: times, bytes and gaps, and no samples',
    answers: { 200: { description: 'The state of its ring buffer', schema: AudioDeviceView } },
    faults: ['not_found'],
  }),
  upload: route({
    ...shared,
    id: 'uploadAudioFrames',
    method: 'POST',
    path: '/v1/audio-devices/{resource_id}/frames',
    allowed: ['admin', 'operator', 'agent'],
    summary: "Uploads frames of an audio device, as they are recorded; an agent's key only if it is the uploader",
    bytes: true,
    bytesOf: { media: 'application/octet-stream', bytesMax: LIMITS.audioUploadBytes.max },
    answers: { 200: { description: 'What was stored, and the number to send next', schema: FramesReceived } },
    faults: ['not_found', 'audio.unreadable', 'overloaded'],
  }),
};
