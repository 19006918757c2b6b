// SPDX-License-Identifier: Apache-2.0
import type { Transcript } from '@writ/transcription';
import { transcriptOf } from '@writ/transcription-http';

/** The reply of a service of transcription. */
export interface ReplyWork {
  readonly body: Uint8Array;
  /** of the audio, where it is known */
  readonly durationMs: number | null;
}

/** The reading of replies, whose length services decide, for worker threads. */
export const TRANSCRIPT_TASKS = {
  'transcript.read': ({ body, durationMs }: ReplyWork): Transcript => transcriptOf(body, durationMs),
} as const;
