// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantId } from '@writ/contract';
import {
  AudioIngest,
  type AppendResult,
  type AudioWindow,
  type DeviceId,
  type IngestOptions,
  type IngestState,
  type TimeRange,
} from './audio-ingest.ts';
import { endMsOf, type AudioFrame } from './frames.ts';
import { recentGaps, verifyFrames, verifyRange, verifyTimesRise, wholeFrames, windowOf } from './window.ts';

interface Ring {
  frames: AudioFrame[];
  bytes: number;
  nextSeq: number;
  recordedUntilMs: number;
  removedUntilMs: number;
}

/** A fake that keeps frames in memory, so its `append` is not durable, and nothing needs a seal. */
export class MemoryAudioIngest extends AudioIngest {
  readonly #rings = new Map<string, Ring>();

  override open(tenantId: TenantId, deviceId: DeviceId): Promise<void> {
    return attempt(() => {
      const key = keyOf(tenantId, deviceId);
      if (!this.#rings.has(key)) this.#rings.set(key, newRing());
    });
  }

  override append(
    tenantId: TenantId,
    deviceId: DeviceId,
    frames: readonly AudioFrame[],
    { retention, nowMs }: IngestOptions,
  ): Promise<AppendResult> {
    return attempt(() => {
      verifyFrames(frames, nowMs);
      const ring = this.#rings.get(keyOf(tenantId, deviceId));
      if (ring === undefined) throw new Fault('not_found');
      const fresh = frames.filter(({ seq }) => seq >= ring.nextSeq);
      const [first] = fresh;
      if (first !== undefined) verifyTimesRise(first, ring.recordedUntilMs);
      for (const frame of fresh) {
        ring.frames.push({ ...frame, pcm: frame.pcm.slice() });
        ring.bytes += frame.pcm.length;
        ring.nextSeq = frame.seq + 1;
        ring.recordedUntilMs = Math.ceil(endMsOf(frame));
      }
      removeWhere(ring, (frame) => endMsOf(frame) < nowMs - retention.ageMsMax);
      while (ring.bytes > retention.bytesMax) {
        const [oldest] = ring.frames;
        removeWhere(ring, (frame) => frame === oldest);
      }
      return { stored: fresh.length, repeated: frames.length - fresh.length, ...progressOf(ring) };
    });
  }

  override read(
    tenantId: TenantId,
    deviceId: DeviceId,
    range: TimeRange,
    { retention, nowMs }: IngestOptions,
  ): Promise<AudioWindow> {
    return attempt(() => {
      const { fromMs, toMs } = verifyRange(range);
      const ring = this.#ringOf(tenantId, deviceId);
      const sinceMs = nowMs - retention.ageMsMax;
      const old = ring.frames.filter((frame) => endMsOf(frame) < sinceMs);
      const kept = ring.frames.filter(
        (frame) => endMsOf(frame) >= sinceMs && endMsOf(frame) > fromMs && frame.startMs < toMs,
      );
      return windowOf(range, kept, Math.max(ring.removedUntilMs, ...old.map(endMsOf)));
    });
  }

  override newestMs(
    tenantId: TenantId,
    deviceId: DeviceId,
    { retention, nowMs }: Pick<IngestOptions, 'retention' | 'nowMs'>,
  ): Promise<number | null> {
    return attempt(() => {
      const ends = this.#ringOf(tenantId, deviceId)
        .frames.map(endMsOf)
        .filter((end) => end >= nowMs - retention.ageMsMax);
      return ends.length === 0 ? null : Math.ceil(Math.max(...ends));
    });
  }

  override async last(
    tenantId: TenantId,
    deviceId: DeviceId,
    ms: number,
    options: IngestOptions,
  ): Promise<AudioWindow | null> {
    const toMs = await this.newestMs(tenantId, deviceId, options);
    return toMs === null ? null : this.read(tenantId, deviceId, { fromMs: Math.max(0, toMs - ms), toMs }, options);
  }

  override since(
    tenantId: TenantId,
    deviceId: DeviceId,
    { seq, ms }: { readonly seq: number; readonly ms: number },
    { retention, nowMs }: IngestOptions,
  ): Promise<AudioWindow | null> {
    return attempt(() => {
      const { frames, removedUntilMs } = this.#ringOf(tenantId, deviceId);
      const timed = frames
        .map((frame) => ({ ...frame, endMs: endMsOf(frame) }))
        .filter((frame) => frame.seq >= seq && frame.endMs >= nowMs - retention.ageMsMax);
      const whole = wholeFrames(timed, ms);
      return whole === null ? null : windowOf(whole.range, whole.frames, removedUntilMs);
    });
  }

  override state(
    tenantId: TenantId,
    deviceId: DeviceId,
    { retention, nowMs }: Pick<IngestOptions, 'retention' | 'nowMs'>,
  ): Promise<IngestState | null> {
    return attempt(() => {
      const ring = this.#rings.get(keyOf(tenantId, deviceId));
      if (ring === undefined) return null;
      const kept = ring.frames.filter((frame) => endMsOf(frame) >= nowMs - retention.ageMsMax);
      const ends = kept.map((frame) => Math.ceil(endMsOf(frame)));
      return {
        nextSeq: ring.nextSeq,
        frames: kept.length,
        bytes: kept.reduce((sum, { pcm }) => sum + pcm.length, 0),
        fromMs: kept.length === 0 ? null : Math.min(...kept.map(({ startMs }) => startMs)),
        toMs: kept.length === 0 ? null : Math.max(...ends),
        gaps: recentGaps(kept.map((frame) => ({ startMs: frame.startMs, endMs: endMsOf(frame) }))),
      };
    });
  }

  override expire(tenantId: TenantId, deviceId: DeviceId, beforeMs: number): Promise<number> {
    return attempt(() => removeWhere(this.#ringOf(tenantId, deviceId), (frame) => endMsOf(frame) < beforeMs));
  }

  override forget(tenantId: TenantId, deviceId: DeviceId): Promise<void> {
    return attempt(() => void this.#rings.delete(keyOf(tenantId, deviceId)));
  }

  #ringOf(tenantId: TenantId, deviceId: DeviceId): Ring {
    return this.#rings.get(keyOf(tenantId, deviceId)) ?? newRing();
  }
}

const keyOf = (tenantId: TenantId, deviceId: DeviceId): string => `${tenantId}/${deviceId}`;
const progressOf = ({ nextSeq, recordedUntilMs }: Ring): Pick<AppendResult, 'nextSeq' | 'recordedUntilMs'> => ({
  nextSeq,
  recordedUntilMs,
});
const newRing = (): Ring => ({ frames: [], bytes: 0, nextSeq: 0, recordedUntilMs: 0, removedUntilMs: 0 });

/** A fault is a rejection, as that of a database. */
const attempt = async <T>(work: () => T): Promise<T> => work();

function removeWhere(ring: Ring, isRemoved: (frame: AudioFrame) => boolean): number {
  const removed = ring.frames.filter(isRemoved);
  ring.frames = ring.frames.filter((frame) => !removed.includes(frame));
  for (const frame of removed) {
    ring.bytes -= frame.pcm.length;
    ring.removedUntilMs = Math.max(ring.removedUntilMs, Math.ceil(endMsOf(frame)));
  }
  return removed.length;
}
