// SPDX-License-Identifier: Apache-2.0
import { AUDIO_TRANSCRIBE } from '@writ/contract';
import { Type, type TProperties } from 'typebox';
import { rangeOf, type Alias } from './alias.ts';
import { Id, optional, row } from './block-action.ts';

/** A form of transcription: all three name the target, the model and the language in the same members. */
const transcription = (
  name: string,
  summary: string,
  target: 'device' | 'path',
  more: TProperties,
  renames: Alias['renames'],
): Alias => ({
  ...row(
    name,
    AUDIO_TRANSCRIBE.tool_id,
    summary,
    {
      targetId: target === 'path' ? Type.String({ minLength: 1, maxLength: 4_096 }) : Id,
      transcriptionModelId: optional(Id),
      language: optional(Type.String({ maxLength: 64 })),
      ...more,
    },
    { targetId: target, transcriptionModelId: 'model', language: 'language', ...renames },
  ),
  needed: { targetId: target === 'path' ? 'the path of an audio file in the workspace' : 'a registered audio device' },
});
const Seconds = Type.Integer({ minimum: 1 });
/** How long a stream is listened to, unless the call says more. */
const STREAM_SECONDS = 15;
const STREAM: Alias = {
  ...transcription(
    'transcribe_from_audio_stream',
    'listens to a device from now on, or goes on where the last answer ended',
    'device',
    { seconds: optional(Seconds), sinceSeq: optional(Type.Integer({ minimum: 0 })) },
    {},
  ),
  clamps: { seconds: rangeOf(AUDIO_TRANSCRIBE, 'listen_seconds') },
  shape: {
    toCanonical: ({ targetId, transcriptionModelId, language, seconds, sinceSeq }) => ({
      device: targetId,
      ...(transcriptionModelId === undefined ? {} : { model: transcriptionModelId }),
      ...(language === undefined ? {} : { language }),
      ...(seconds === undefined && sinceSeq !== undefined ? {} : { listen_seconds: seconds ?? STREAM_SECONDS }),
      ...(sinceSeq === undefined ? {} : { since_seq: sinceSeq }),
    }),
    fromCanonical: ({ device, model, language, listen_seconds, since_seq, ...others }) =>
      Object.keys(others).length > 0 || device === undefined || (listen_seconds ?? since_seq) === undefined
        ? null
        : {
            targetId: device,
            ...(model === undefined ? {} : { transcriptionModelId: model }),
            ...(language === undefined ? {} : { language }),
            ...(listen_seconds === undefined ? {} : { seconds: listen_seconds }),
            ...(since_seq === undefined ? {} : { sinceSeq: since_seq }),
          },
  },
};
/** The actions that transcribe, from a device, a stream or a file. */
export const TRANSCRIPTIONS: readonly Alias[] = [
  {
    ...transcription(
      'transcribe_from_audio_device',
      'writes down what a device recorded last',
      'device',
      { seconds: optional(Seconds) },
      { seconds: 'last_seconds' },
    ),
    clamps: { seconds: rangeOf(AUDIO_TRANSCRIBE, 'last_seconds') },
  },
  STREAM,
  transcription('transcribe_from_audio_file', 'writes down what is said in a file', 'path', {}, {}),
];
