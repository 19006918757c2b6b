// SPDX-License-Identifier: Apache-2.0
import { setTimeout as pause } from 'node:timers/promises';
import { wavOfPcm, type AudioIngest, type AudioWindow, type DeviceId, type Gap, type TimeRange } from '@writ/audio';
import {
  DEFAULT_WINDOW_SECONDS,
  Fault,
  TRANSCRIBED_MS_MAX,
  type AudioDeviceSettings,
  type BoundResource,
  type TenantId,
} from '@writ/contract';
import { blobReader, type BlobStore } from '@writ/blobs';
import { coversPath } from '@writ/capability';
import { lookup, parsePath } from '@writ/workspace';
import type { Call } from '../calls/runner.ts';
import { contentHash } from '../foundation/content-hash.ts';
import { LOCAL_LIMITS } from './transcription-limits.ts';

/** How often a call that listens looks for what came, and how long it waits for frames that are on their way. */
const LOOK_MS = 500;
const LATE_MS_MAX = 10_000;

/** An audio as an engine takes it, and what is known of it. */
export interface HeardAudio {
  /** a file; null if nothing was recorded */
  readonly bytes: Uint8Array | null;
  /** hex, of the file or of the samples */
  readonly sha256: string | null;
  /** when a device recorded it; null for a file */
  readonly range: TimeRange | null;
  readonly gaps: readonly Gap[];
  readonly nextSeq: number | null;
}

/** An audio that was found, and is read when it is the call's turn. */
export interface FoundAudio {
  readonly read: () => Promise<HeardAudio>;
}

interface SourceArgs {
  readonly path?: string;
  readonly last_seconds?: number;
  readonly from?: string;
  readonly to?: string;
  readonly listen_seconds?: number;
  readonly since_seq?: number;
}

/** Finds the audio of a call: a file of its snapshot, or recordings of its device. */
export class AudioSources {
  readonly #blobs: BlobStore;
  readonly #ingest: AudioIngest;
  readonly #now: () => number;

  /** @param now milliseconds since 1970-01-01 UTC */
  constructor(blobs: BlobStore, ingest: AudioIngest, now: () => number) {
    this.#blobs = blobs;
    this.#ingest = ingest;
    this.#now = now;
  }

  /**
   * Listens first, where the call does so. @throws Fault `token.scope`, `file.not_found`, `file.kind`,
   * `file.too_large`; the reason of the signal
   */
  async find(call: Call, signal: AbortSignal): Promise<FoundAudio> {
    const { path, ...window } = call.args as SourceArgs;
    if (path !== undefined) return await this.#file(call, path);
    const device = deviceOf(call, this.#ingest, this.#now);
    const range = window.listen_seconds === undefined ? null : await listen(device, window.listen_seconds, signal);
    return { read: async () => await heardOf(await windowOf(device, window, range)) };
  }

  /** As a file tool does: only what every token of the chain grants. A link is no file: its target was not judged. */
  async #file(call: Call, written: string): Promise<FoundAudio> {
    const path = parsePath(written);
    if (!call.fs.every((roots) => coversPath(roots, 'read', path)))
      throw new Fault('token.scope', `the capability token does not let \`${path}\` be read`);
    const reader = blobReader(this.#blobs, call.tenantId as TenantId);
    const entry = await lookup(reader, call.root, path);
    if (entry === null) throw new Fault('file.not_found', `there is no file \`${path}\``);
    if (entry.kind !== 'file') throw new Fault('file.kind', `\`${path}\` is no file`);
    const { sha256, size } = entry;
    if (size > LOCAL_LIMITS.fileBytesMax)
      throw new Fault(
        'audio.too_long',
        `\`${path}\` has ${size} bytes, and at most ${LOCAL_LIMITS.fileBytesMax} are heard`,
      );
    return { read: async () => ({ bytes: await reader(sha256), sha256, range: null, gaps: [], nextSeq: null }) };
  }
}

/** The device of a call, with its key and its retention. */
interface Device {
  readonly read: (range: TimeRange) => Promise<AudioWindow>;
  readonly last: (ms: number) => Promise<AudioWindow | null>;
  readonly newestMs: () => Promise<number | null>;
  readonly since: (seq: number) => Promise<AudioWindow | null>;
  readonly now: () => number;
}

function deviceOf({ tenantId, resources, audioKey }: Call, ingest: AudioIngest, now: () => number): Device {
  const resource = resources.find(({ kind }) => kind === 'audio_device');
  if (resource === undefined || audioKey === undefined)
    throw new Error('a call on an audio device came without the device or its key');
  const [tenant, device] = [tenantId as TenantId, resource.resource_id as DeviceId];
  const options = () => ({ retention: retentionOf(resource), nowMs: now(), key: audioKey });
  return {
    read: (range) => ingest.read(tenant, device, range, options()),
    last: (ms) => ingest.last(tenant, device, ms, options()),
    newestMs: () => ingest.newestMs(tenant, device, options()),
    since: (seq) => ingest.since(tenant, device, { seq, ms: TRANSCRIBED_MS_MAX }, options()),
    now,
  };
}

function retentionOf({ settings }: BoundResource): { bytesMax: number; ageMsMax: number } {
  const { retention_seconds, buffer_bytes } = settings as AudioDeviceSettings;
  return { bytesMax: buffer_bytes, ageMsMax: retention_seconds * 1000 };
}

/** Waits until the time has passed and the device has sent it, or is late. @throws the reason of the signal */
async function listen(device: Device, seconds: number, signal: AbortSignal): Promise<TimeRange> {
  const fromMs = device.now();
  const toMs = fromMs + seconds * 1000;
  await pause(seconds * 1000, undefined, { signal });
  const until = device.now() + LATE_MS_MAX;
  while (device.now() < until) {
    const newestMs = await device.newestMs();
    if (newestMs !== null && newestMs >= toMs) break;
    await pause(LOOK_MS, undefined, { signal });
  }
  return { fromMs, toMs };
}

/** Null where nothing was recorded. */
async function windowOf(device: Device, args: SourceArgs, listened: TimeRange | null): Promise<AudioWindow | null> {
  if (listened !== null) return await device.read(listened);
  if (args.from !== undefined && args.to !== undefined)
    return await device.read({ fromMs: Date.parse(args.from), toMs: Date.parse(args.to) });
  if (args.since_seq !== undefined)
    return (await device.since(args.since_seq)) ?? { ...NOTHING, nextSeq: args.since_seq };
  return (await device.last((args.last_seconds ?? DEFAULT_WINDOW_SECONDS) * 1000)) ?? null;
}

const NOTHING: AudioWindow = { fromMs: 0, toMs: 0, pcm: new Uint8Array(), gaps: [], nextSeq: null };

/** A window without any frame is no audio: an engine would be asked to hear zeros. */
async function heardOf(window: AudioWindow | null): Promise<HeardAudio> {
  if (window === null) return { bytes: null, sha256: null, range: null, gaps: [], nextSeq: null };
  const { fromMs, toMs, pcm, gaps, nextSeq } = window;
  const range = toMs > fromMs ? { fromMs, toMs } : null;
  if (pcm.length === 0 || nextSeq === null) return { bytes: null, sha256: null, range, gaps, nextSeq };
  return { bytes: wavOfPcm(pcm), sha256: await contentHash(pcm), range, gaps, nextSeq };
}
