// SPDX-License-Identifier: Apache-2.0
import { Fault, parseMessage } from '@writ/contract';
import { Transcript } from './transcript.ts';

type Timed = Transcript['words'] | Transcript['segments'];

/** How far times may pass the end of the audio: engines round. */
const ROUNDING_MS = 1;

/**
 * Checks what an engine answered, which is attacker-controlled like the audio: shape, order and bounds. Words and
 * segments are in order of time, do not overlap, and lie within the audio.
 *
 * @throws Fault `transcription.failed`
 */
export function parseTranscript(value: unknown): Transcript {
  const transcript = parsed(value);
  for (const kind of ['words', 'segments'] as const) {
    const wrong = firstWrong(transcript[kind], transcript.duration_ms);
    if (wrong !== null) throw failed(`\`${kind}/${wrong}\` has times out of order or beyond the end of the audio`);
  }
  return transcript;
}

const failed = (detail: string, cause?: unknown): Fault =>
  new Fault('transcription.failed', `the engine answered what is no transcript: ${detail}`, { cause });

function parsed(value: unknown): Transcript {
  try {
    return parseMessage(Transcript, value);
  } catch (error) {
    throw failed(error instanceof Error ? error.message : 'it is not valid', error);
  }
}

function firstWrong(timed: Timed, durationMs: number): number | null {
  let before = 0;
  for (const [i, { start_ms, end_ms }] of timed.entries()) {
    if (start_ms < before || end_ms < start_ms || end_ms > durationMs + ROUNDING_MS) return i;
    before = end_ms;
  }
  return null;
}
