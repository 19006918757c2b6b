// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId } from '@writ/contract';
import { SAMPLE_BYTES, samplesIn } from '../pcm.ts';
import { FRAME_BYTES_MAX, type AudioFrame } from './frames.ts';

/** The id of a registered device: it is a resource of its tenant. */
export type DeviceId = Id<'resource'>;

/** How much of a device's audio is kept. */
export interface Retention {
  /** bytes of samples; the oldest frames go first. 32,000 bytes are a second */
  readonly bytesMax: number;
  /** age of a frame's end; older frames are neither returned nor kept */
  readonly ageMsMax: number;
}

export interface AppendResult {
  /** frames that are stored now */
  readonly stored: number;
  /** frames whose number is below the expected one: they were sent again, and nothing was done */
  readonly repeated: number;
  /** the number that the device sends next */
  readonly nextSeq: number;
  /** the end of the newest frame that was ever stored, where the next one begins or later; 0 if none was */
  readonly recordedUntilMs: number;
}

/** A moment, a device's retention, and the key of its samples. */
export interface IngestOptions {
  readonly retention: Retention;
  /** milliseconds since 1970-01-01 UTC */
  readonly nowMs: number;
  /** 32 bytes: the key that the device's samples are sealed with. It MUST NOT be stored, logged or returned */
  readonly key: Buffer;
}

/** `missing`: nobody sent it, or not yet. `removed`: it was there, and retention has removed it. */
export type GapReason = 'missing' | 'removed';

/** A time without samples, in milliseconds since 1970-01-01 UTC. */
export interface Gap {
  readonly fromMs: number;
  readonly toMs: number;
  readonly reason: GapReason;
}

/** A time of a device. */
export interface AudioWindow {
  readonly fromMs: number;
  readonly toMs: number;
  /** signed 16 bits, little-endian, mono, 16 kHz: one for each sample of the window, 0 in gaps */
  readonly pcm: Uint8Array;
  /** in order of time; none overlaps another */
  readonly gaps: readonly Gap[];
  /** the number after the newest frame that is in it; null if it has no frame */
  readonly nextSeq: number | null;
}

/** What there is of a device. Times are in milliseconds since 1970-01-01 UTC. */
export interface IngestState {
  /** the number that the device sends next */
  readonly nextSeq: number;
  readonly frames: number;
  /** of the samples that are kept */
  readonly bytes: number;
  /** the start of the oldest frame that is kept, and the end of the newest; null if none is */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** what was not sent between the newest `STATE_FRAMES_MAX` frames, the newest first; at most `STATE_GAPS_MAX` */
  readonly gaps: readonly Gap[];
}

export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The longest window, in milliseconds: 19 MB of samples in memory. */
export const WINDOW_MS_MAX = 600_000;

/**
 * How far a frame may begin before the end of the frame before it, in milliseconds: half of the shortest frame. It is
 * for times that a device rounds. Frames begin and end in the order of their numbers so.
 */
export const OVERLAP_MS_MAX = 5;

/** The most samples that can overlap a window, in bytes: see `OVERLAP_MS_MAX`. A frame at each end is beyond it. */
export const WINDOW_BYTES_MAX = 2 * samplesIn(WINDOW_MS_MAX) * SAMPLE_BYTES + 2 * FRAME_BYTES_MAX;

/** How far a device's clock may be ahead, in milliseconds. */
export const CLOCK_AHEAD_MS_MAX = 60_000;

/** Frames of one `append`. */
export const FRAMES_PER_APPEND_MAX = 256;

/** The frames whose times `state` compares: three hours of one second each. */
export const STATE_FRAMES_MAX = 10_000;
/** The gaps that `state` returns. */
export const STATE_GAPS_MAX = 100;

/**
 * What devices have recorded lately: a ring buffer for each device of a tenant.
 *
 * Implementations MUST NOT share anything between tenants. They MUST keep each device within its retention, at the end
 * of each `append` and without further calls. They MUST NOT return a frame that is older than the retention, removed or
 * not. What is stored durably MUST be sealed with the device's key. Callers check that the device is registered, and
 * that whoever uploads may do so.
 *
 * Faults of all: `database.unavailable` (or that of another store).
 */
export abstract class AudioIngest {
  /** Lets a device send. Sets the age of frames that are removed without further uploads; keeps those that it has. */
  abstract open(tenantId: TenantId, deviceId: DeviceId, retention: Pick<Retention, 'ageMsMax'>): Promise<void>;

  /**
   * Stores frames, all or none. Resolves once they survive a crash of the process. Numbers MUST rise within one call. A
   * number that was skipped is lost and is never accepted later. Times rise with the numbers: a frame begins at the end
   * of the frame before it or later, but for `OVERLAP_MS_MAX`. So a window has a bounded number of bytes, and what
   * `since` returns has no frame of an earlier time to leave out.
   *
   * @throws Fault `audio.unreadable` for frames that are malformed, out of order, more than `FRAMES_PER_APPEND_MAX`,
   * more than `CLOCK_AHEAD_MS_MAX` in the future, or that begin before the end of the frame before them; `not_found`
   * for a device that was not opened, or is forgotten
   */
  abstract append(
    tenantId: TenantId,
    deviceId: DeviceId,
    frames: readonly AudioFrame[],
    options: IngestOptions,
  ): Promise<AppendResult>;

  /**
   * The window of a device. Where frames overlap, the later number wins. A device that never sent anything is one gap.
   *
   * Implementations MUST NOT load more than `WINDOW_BYTES_MAX` and a frame, whatever is stored.
   *
   * @throws Fault `args.invalid` for a window that is empty, reversed or longer than `WINDOW_MS_MAX`; `blob.corrupt`
   * for samples that the key doesn't open, or that are more than a window can have
   */
  abstract read(tenantId: TenantId, deviceId: DeviceId, range: TimeRange, options: IngestOptions): Promise<AudioWindow>;

  /** The end of the newest frame; null if nothing is kept. It loads no samples. */
  abstract newestMs(
    tenantId: TenantId,
    deviceId: DeviceId,
    options: Pick<IngestOptions, 'retention' | 'nowMs'>,
  ): Promise<number | null>;

  /** The last `ms` milliseconds before the end of the newest frame. Null if nothing is kept. Faults as `read`. */
  abstract last(
    tenantId: TenantId,
    deviceId: DeviceId,
    ms: number,
    options: IngestOptions,
  ): Promise<AudioWindow | null>;

  /**
   * Up to `ms` milliseconds of whole frames from the number `seq` on. A next call with its `nextSeq` continues without
   * a gap. Null if there are none yet. Faults as `read`.
   */
  abstract since(
    tenantId: TenantId,
    deviceId: DeviceId,
    from: { readonly seq: number; readonly ms: number },
    options: IngestOptions,
  ): Promise<AudioWindow | null>;

  /** What there is of a device. Null for one that was not opened. */
  abstract state(
    tenantId: TenantId,
    deviceId: DeviceId,
    options: Pick<IngestOptions, 'retention' | 'nowMs'>,
  ): Promise<IngestState | null>;

  /** Removes frames of a device that ended before that time. Resolves with their number. */
  abstract expire(tenantId: TenantId, deviceId: DeviceId, beforeMs: number): Promise<number>;

  /** Removes everything of a device, which can't send until it is opened again. Its numbers begin at 0 then. */
  abstract forget(tenantId: TenantId, deviceId: DeviceId): Promise<void>;
}
