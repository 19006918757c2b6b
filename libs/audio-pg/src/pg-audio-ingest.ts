// SPDX-License-Identifier: Apache-2.0
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  AudioIngest,
  endMsOf,
  FRAME_BYTES_MIN,
  OVERLAP_MS_MAX,
  recentGaps,
  SAMPLE_BYTES,
  samplesIn,
  STATE_FRAMES_MAX,
  verifyFrames,
  verifyRange,
  verifyTimesRise,
  wholeFrames,
  WINDOW_BYTES_MAX,
  windowOf,
  type AppendResult,
  type AudioFrame,
  type AudioWindow,
  type DeviceId,
  type IngestOptions,
  type IngestState,
  type Retention,
  type TimeRange,
} from '@writ/audio';
import { Fault, type TenantId } from '@writ/contract';
import type { Pool } from '@writ/database';
import { FrameSeal, SEAL_BYTES } from './frame-seal.ts';
import { audioSql, type TimesRow } from './functions.ts';

/**
 * Recordings in Postgres, in the schema `audio`, sealed with the keys of their devices. A role of a process may do a
 * part of it: the kernel opens, expires and forgets, the orchestrator appends and tells the state, the executor reads.
 */
export function pgAudioIngest(pool: Pool): AudioIngest {
  return new PgAudioIngest(pool);
}

class PgAudioIngest extends AudioIngest {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super();
    this.#pool = pool;
  }

  override async open(
    tenantId: TenantId,
    deviceId: DeviceId,
    { ageMsMax }: Pick<Retention, 'ageMsMax'>,
  ): Promise<void> {
    await audioSql.open(this.#pool, { tenant: tenantId, device: deviceId, keep: ageMsMax });
  }

  override async append(
    tenantId: TenantId,
    deviceId: DeviceId,
    frames: readonly AudioFrame[],
    options: IngestOptions,
  ): Promise<AppendResult> {
    verifyFrames(frames, options.nowMs);
    const seal = new FrameSeal(options.key, tenantId, deviceId);
    const sealed = frames.map((frame) => seal.seal(frame));
    const row = await audioSql.append(this.#pool, {
      tenant: tenantId,
      device: deviceId,
      seqs: frames.map(({ seq }) => seq),
      starts: frames.map(({ startMs }) => startMs),
      ends: frames.map((frame) => Math.ceil(endMsOf(frame))),
      sizes: sealed.map(({ length }) => length),
      body: Buffer.concat(sealed),
      overlap: OVERLAP_MS_MAX,
      most: options.retention.bytesMax,
      since: sinceOf(options),
    });
    if (row === null) throw new Fault('not_found', 'the device is not there, or was removed');
    const first = frames.find(({ seq }) => seq === row.too_early);
    if (first !== undefined) verifyTimesRise(first, row.until_ms);
    return {
      stored: row.stored,
      repeated: frames.length - row.stored,
      nextSeq: row.expected,
      recordedUntilMs: row.until_ms,
    };
  }

  override async read(
    tenantId: TenantId,
    deviceId: DeviceId,
    range: TimeRange,
    options: IngestOptions,
  ): Promise<AudioWindow> {
    const { fromMs, toMs } = verifyRange(range);
    const newest = await audioSql.newest(this.#pool, { tenant: tenantId, device: deviceId, since: sinceOf(options) });
    const frames = await this.#frames(tenantId, deviceId, { fromMs, toMs, seq: 0 }, options);
    return windowOf(range, frames, newest?.removed_ms ?? 0);
  }

  override async since(
    tenantId: TenantId,
    deviceId: DeviceId,
    { seq, ms }: { readonly seq: number; readonly ms: number },
    options: IngestOptions,
  ): Promise<AudioWindow | null> {
    const times = await audioSql.times(this.#pool, {
      tenant: tenantId,
      device: deviceId,
      from_seq: seq,
      since: sinceOf(options),
      most: framesWithin(ms),
    });
    const whole = wholeFrames(times.map(timed), ms);
    if (whole === null) return null;
    const last = whole.frames.at(-1)?.seq ?? seq;
    const frames = await this.#frames(tenantId, deviceId, { ...whole.range, seq }, options);
    return windowOf(
      whole.range,
      frames.filter((frame) => frame.seq <= last),
      0,
    );
  }

  override async state(
    tenantId: TenantId,
    deviceId: DeviceId,
    options: Pick<IngestOptions, 'retention' | 'nowMs'>,
  ): Promise<IngestState | null> {
    const device = { tenant: tenantId, device: deviceId, since: sinceOf(options) };
    const extent = await audioSql.deviceExtent(this.#pool, device);
    if (extent === null) return null;
    const times = await audioSql.times(this.#pool, { ...device, from_seq: null, most: STATE_FRAMES_MAX });
    return {
      nextSeq: extent.next_seq,
      frames: extent.frames,
      bytes: extent.bytes,
      fromMs: extent.oldest_ms,
      toMs: extent.newest_ms,
      gaps: recentGaps(times.map(timed)),
    };
  }

  override async newestMs(
    tenantId: TenantId,
    deviceId: DeviceId,
    options: Pick<IngestOptions, 'retention' | 'nowMs'>,
  ): Promise<number | null> {
    const newest = await audioSql.newest(this.#pool, { tenant: tenantId, device: deviceId, since: sinceOf(options) });
    return newest?.newest_ms ?? null;
  }

  override async last(
    tenantId: TenantId,
    deviceId: DeviceId,
    ms: number,
    options: IngestOptions,
  ): Promise<AudioWindow | null> {
    if (!Number.isSafeInteger(ms) || ms <= 0)
      throw new Fault('args.invalid', 'a window has a whole number of milliseconds, from 1');
    const toMs = await this.newestMs(tenantId, deviceId, options);
    if (toMs === null) return null;
    return this.read(tenantId, deviceId, { fromMs: Math.max(0, toMs - ms), toMs }, options);
  }

  override expire(tenantId: TenantId, deviceId: DeviceId, beforeMs: number): Promise<number> {
    return audioSql.expire(this.#pool, { tenant: tenantId, device: deviceId, since: Math.ceil(beforeMs) });
  }

  override async forget(tenantId: TenantId, deviceId: DeviceId): Promise<void> {
    await audioSql.forget(this.#pool, { tenant: tenantId, device: deviceId });
  }

  /**
   * Opens in slices of time. INVARIANT (bounded): no more than `WINDOW_BYTES_MAX` and a frame are loaded, also of rows
   * that no `append` of this version would store.
   */
  async #frames(
    tenantId: TenantId,
    deviceId: DeviceId,
    { fromMs, toMs, seq }: TimeRange & { readonly seq: number },
    options: IngestOptions,
  ): Promise<AudioFrame[]> {
    const rows = await audioSql.sealedSegments(this.#pool, {
      tenant: tenantId,
      device: deviceId,
      from_ms: fromMs,
      to_ms: toMs,
      from_seq: seq,
      since: sinceOf(options),
      most: WINDOW_BYTES_MAX,
    });
    const loaded = rows.reduce((sum, { sealed }) => sum + sealed.length - SEAL_BYTES, 0);
    if (loaded > WINDOW_BYTES_MAX)
      throw new Fault('blob.corrupt', `the device has more than ${WINDOW_BYTES_MAX} bytes of samples at one time`);
    const seal = new FrameSeal(options.key, tenantId, deviceId);
    const frames: AudioFrame[] = [];
    for (const [i, { seq: number, start_ms: startMs, sealed }] of rows.entries()) {
      if (i % OPENED_AT_ONCE === 0) await nextTurn();
      frames.push({ seq: number, startMs, pcm: seal.open({ seq: number, startMs }, sealed) });
    }
    return frames;
  }
}

/** Frames that are opened between two turns of the event loop: within a few milliseconds, whatever their length. */
const OPENED_AT_ONCE = 16;

const timed = ({ seq, start_ms, end_ms }: TimesRow) => ({ seq, startMs: start_ms, endMs: end_ms });

/** As many frames as there can be in that time, if they don't overlap. */
const framesWithin = (ms: number): number => Math.ceil((samplesIn(ms) * SAMPLE_BYTES) / FRAME_BYTES_MIN);

const sinceOf = ({ retention, nowMs }: Pick<IngestOptions, 'retention' | 'nowMs'>): number =>
  Math.ceil(nowMs - retention.ageMsMax);
