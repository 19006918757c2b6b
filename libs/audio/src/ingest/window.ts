// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { SAMPLE_BYTES, samplesIn } from '../pcm.ts';
import {
  CLOCK_AHEAD_MS_MAX,
  FRAMES_PER_APPEND_MAX,
  OVERLAP_MS_MAX,
  STATE_FRAMES_MAX,
  STATE_GAPS_MAX,
  WINDOW_MS_MAX,
  type AudioWindow,
  type Gap,
  type TimeRange,
} from './audio-ingest.ts';
import { endMsOf, verifyFrame, type AudioFrame } from './frames.ts';

/** Checks a window. @throws Fault `args.invalid` */
export function verifyRange({ fromMs, toMs }: TimeRange): TimeRange {
  if (!Number.isSafeInteger(fromMs) || !Number.isSafeInteger(toMs) || fromMs < 0)
    throw new Fault('args.invalid', 'a window is between two times in whole milliseconds since 1970');
  if (toMs <= fromMs) throw new Fault('args.invalid', 'the window ends before it begins');
  if (toMs - fromMs > WINDOW_MS_MAX)
    throw new Fault(
      'args.invalid',
      `the window has ${toMs - fromMs} ms; ask for at most ${WINDOW_MS_MAX} ms at a time`,
    );
  return { fromMs, toMs };
}

/** Checks the frames of one `append`. @throws Fault `audio.unreadable` */
export function verifyFrames(frames: readonly AudioFrame[], nowMs: number): readonly AudioFrame[] {
  if (frames.length > FRAMES_PER_APPEND_MAX)
    throw new Fault('audio.unreadable', `${frames.length} frames at once; send at most ${FRAMES_PER_APPEND_MAX}`);
  frames.forEach((frame, i) => {
    verifyFrame(frame);
    const before = frames[i - 1];
    if (before !== undefined && frame.seq <= before.seq)
      throw new Fault('audio.unreadable', `the frame ${frame.seq} comes after the frame ${before.seq}`);
    if (frame.startMs > nowMs + CLOCK_AHEAD_MS_MAX)
      throw new Fault(
        'audio.unreadable',
        `the frame ${frame.seq} is ${frame.startMs - nowMs} ms in the future; set the clock of the device`,
      );
    if (before !== undefined) verifyTimesRise(frame, Math.ceil(endMsOf(before)));
  });
  return frames;
}

/**
 * Checks that a frame begins where what the device recorded before it ends, or later.
 *
 * @throws Fault `audio.unreadable`
 */
export function verifyTimesRise({ seq, startMs }: Pick<AudioFrame, 'seq' | 'startMs'>, recordedUntilMs: number): void {
  if (startMs < recordedUntilMs - OVERLAP_MS_MAX)
    throw new Fault(
      'audio.unreadable',
      `the frame ${seq} begins ${recordedUntilMs - startMs} ms before the end of the frame before it; begin it at ` +
        `${recordedUntilMs} or later, or leave it out`,
    );
}

/** Shorter gaps are jitter of a device's clock, and are no news. */
const JITTER_MS = 20;

/**
 * Puts frames into their places of a window. Time is linear in the window and in the frames.
 *
 * @param frames those that overlap the window, by rising number
 * @param removedUntilMs the end of the newest frame that retention has removed; 0 if there is none
 */
export function windowOf(range: TimeRange, frames: readonly AudioFrame[], removedUntilMs: number): AudioWindow {
  const { fromMs, toMs } = verifyRange(range);
  const pcm = new Uint8Array(samplesIn(toMs - fromMs) * SAMPLE_BYTES);
  for (const frame of frames) {
    const offset = samplesIn(frame.startMs - fromMs) * SAMPLE_BYTES;
    const part = frame.pcm.subarray(Math.max(0, -offset), Math.max(0, pcm.length - offset));
    if (part.length > 0) pcm.set(part, Math.max(0, offset));
  }
  const newest = frames.at(-1);
  return {
    fromMs,
    toMs,
    pcm,
    gaps: gapsOf({ fromMs, toMs }, frames, removedUntilMs),
    nextSeq: newest === undefined ? null : newest.seq + 1,
  };
}

/**
 * The whole frames from the first one on that fit into `ms`, and the time that they take. Null if there are none.
 *
 * @param frames by rising number
 */
export function wholeFrames<T extends TimedFrame>(
  frames: readonly T[],
  ms: number,
): { readonly range: TimeRange; readonly frames: readonly T[] } | null {
  const [first] = frames;
  if (first === undefined) return null;
  const fromMs = first.startMs;
  const fitting: T[] = [];
  let toMs = fromMs;
  for (const frame of frames) {
    if (frame.endMs > fromMs + ms) break;
    fitting.push(frame);
    toMs = Math.max(toMs, Math.ceil(frame.endMs));
  }
  return { range: { fromMs, toMs }, frames: fitting };
}

/** When a frame was recorded, in milliseconds since 1970. */
interface TimedFrame {
  readonly startMs: number;
  readonly endMs: number;
}

/** The gaps between the newest frames, the newest first: see `IngestState`. */
export function recentGaps(frames: readonly TimedFrame[]): Gap[] {
  const byTime = frames.slice(-STATE_FRAMES_MAX).sort((a, b) => a.startMs - b.startMs);
  const gaps: Gap[] = [];
  let covered = byTime[0]?.startMs ?? 0;
  for (const { startMs, endMs } of byTime) {
    if (startMs - covered >= JITTER_MS) gaps.push({ fromMs: covered, toMs: startMs, reason: 'missing' });
    covered = Math.max(covered, Math.ceil(endMs));
  }
  return gaps.reverse().slice(0, STATE_GAPS_MAX);
}

function gapsOf({ fromMs, toMs }: TimeRange, frames: readonly AudioFrame[], removedUntilMs: number): Gap[] {
  const gaps: Gap[] = [];
  const add = (from: number, to: number): void => {
    if (to - from < JITTER_MS) return;
    const removed = Math.max(from, Math.min(to, removedUntilMs));
    if (removed - from >= JITTER_MS) gaps.push({ fromMs: from, toMs: removed, reason: 'removed' });
    if (to - removed >= JITTER_MS) gaps.push({ fromMs: removed, toMs: to, reason: 'missing' });
  };
  let covered = fromMs;
  for (const frame of [...frames].sort((a, b) => a.startMs - b.startMs)) {
    const end = endMsOf(frame);
    if (end <= covered || frame.startMs >= toMs) continue;
    add(covered, frame.startMs);
    covered = end;
  }
  if (covered < toMs) add(covered, toMs);
  return gaps;
}
