// SPDX-License-Identifier: Apache-2.0
/**
 * The frames between an adapter and the agent in a container: `length (u32 big-endian) version (u8) type (u8) payload`,
 * where the length is the payload's. The agent shares its container with the job, so every byte from there is
 * attacker-controlled.
 *
 * INVARIANT (bounded): a decoder holds at most one payload, and none larger than its type allows.
 * INVARIANT (fails closed): after one malformed byte a decoder yields nothing more.
 */

/** Raised with any change that an older reader would misread. */
export const FRAME_VERSION = 1;
export const FRAME_HEADER_BYTES = 6;
/**
 * One chunk of content: several times a pipe's capacity. A large file takes few frames, and none delays the others for
 * long.
 */
export const CHUNK_BYTES_MAX = 256 * 1024;
/** A path and a link's target of 4 KiB each, at worst six characters of JSON for each byte, and the other fields. */
export const META_BYTES_MAX = 60 * 1024;

const KIB = 1024;

/** One chunk on a channel: small, since all other messages wait behind it. */
export const NET_CHUNK_BYTES_MAX = 32 * KIB;

/** Each type's number on the wire and its largest payload, by sender. */
export const HOST_FRAMES = {
  file: { code: 1, bytesMax: 2 + META_BYTES_MAX + CHUNK_BYTES_MAX },
  data: { code: 2, bytesMax: CHUNK_BYTES_MAX },
  job: { code: 3, bytesMax: 1024 * KIB },
  stdin: { code: 4, bytesMax: CHUNK_BYTES_MAX },
  greet: { code: 5, bytesMax: 32 },
  canaries: { code: 6, bytesMax: KIB },
  shell: { code: 16, bytesMax: 64 * KIB },
  turn: { code: 17, bytesMax: 1024 * KIB },
  check: { code: 18, bytesMax: 2 * META_BYTES_MAX },
  patch: { code: 19, bytesMax: 2 + META_BYTES_MAX + CHUNK_BYTES_MAX },
  net_data: { code: 32, bytesMax: 4 + NET_CHUNK_BYTES_MAX },
  net_end: { code: 33, bytesMax: 4 },
  net_reset: { code: 34, bytesMax: 4 },
  net_credit: { code: 35, bytesMax: 8 },
} as const;

export const AGENT_FRAMES = {
  hello: { code: 64, bytesMax: KIB },
  stdout: { code: 65, bytesMax: 4 + CHUNK_BYTES_MAX },
  stderr: { code: 66, bytesMax: 4 + CHUNK_BYTES_MAX },
  exit: { code: 67, bytesMax: KIB },
  change: { code: 68, bytesMax: 2 + META_BYTES_MAX + CHUNK_BYTES_MAX },
  data: { code: 69, bytesMax: CHUNK_BYTES_MAX },
  end: { code: 70, bytesMax: KIB },
  fault: { code: 71, bytesMax: 64 * KIB },
  usage: { code: 72, bytesMax: KIB },
  turned: { code: 80, bytesMax: KIB },
  checked: { code: 81, bytesMax: 2 * META_BYTES_MAX },
  net_open: { code: 96, bytesMax: 4 },
  net_data: { code: 97, bytesMax: 4 + NET_CHUNK_BYTES_MAX },
  net_end: { code: 98, bytesMax: 4 },
  net_reset: { code: 99, bytesMax: 4 },
  net_credit: { code: 100, bytesMax: 8 },
} as const;

export type FrameTable = Readonly<Record<string, { readonly code: number; readonly bytesMax: number }>>;

export interface Frame<T extends FrameTable> {
  readonly type: keyof T & string;
  /** safe to keep */
  readonly payload: Buffer;
}

/** The bytes are no valid frame, or the frame is invalid at this point. */
export class FrameError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FrameError';
  }
}

interface FrameKind {
  readonly code: number;
  readonly bytesMax: number;
}

/** The bytes of one frame, with its payload in parts. Throws FrameError when they exceed the type's limit. */
export function encodeFrame(kind: FrameKind, ...parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat(framePartsOf(kind, ...parts));
}

/** The same in parts, for callers that write many frames at once: the content isn't copied. */
export function framePartsOf(kind: FrameKind, ...parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length > kind.bytesMax)
    throw new FrameError(`a frame of type ${kind.code} takes ${kind.bytesMax} bytes, not ${length}`);
  const header = Buffer.allocUnsafe(FRAME_HEADER_BYTES);
  header.writeUInt32BE(length, 0);
  header.writeUInt8(FRAME_VERSION, 4);
  header.writeUInt8(kind.code, 5);
  return [header, ...parts];
}

const NONE = Buffer.alloc(0);

/** Splits a stream of bytes into frames of one table. */
export class FrameDecoder<T extends FrameTable> {
  readonly #byCode: ReadonlyMap<number, { type: keyof T & string; bytesMax: number }>;
  readonly #keepsChunks: boolean;
  readonly #header = Buffer.alloc(FRAME_HEADER_BYTES);
  #headerBytes = 0;
  #type: (keyof T & string) | null = null;
  #length = 0;
  #payload: Buffer = NONE;
  #payloadBytes = 0;
  #failed = false;

  /**
   * @param keepsChunks whether pushed chunks belong to the decoder: a payload that lies completely in one isn't copied.
   * Not for an untrusted peer, since a small payload then retains the memory of its whole chunk.
   */
  constructor(table: T, keepsChunks = false) {
    this.#keepsChunks = keepsChunks;
    this.#byCode = new Map(Object.entries(table).map(([type, row]) => [row.code, { type, bytesMax: row.bytesMax }]));
  }

  /** Whether the stream may end here: no frame is incomplete. */
  get idle(): boolean {
    return !this.#failed && this.#type === null && this.#headerBytes === 0;
  }

  /**
   * Decodes the next bytes and yields the frames that they complete. Throws FrameError at the first malformed one, and
   * from then on.
   */
  *push(chunk: Uint8Array): Generator<Frame<T>, void, undefined> {
    let at = 0;
    while (at < chunk.length) {
      if (this.#failed) throw new FrameError('the stream was malformed before');
      if (this.#type === null) at += this.#readHeader(chunk, at);
      else at += this.#readPayload(chunk, at);
      if (this.#type !== null && this.#payloadBytes === this.#length) {
        const frame = { type: this.#type, payload: this.#payload };
        this.#type = null;
        this.#headerBytes = 0;
        yield frame;
      }
    }
  }

  #readHeader(chunk: Uint8Array, at: number): number {
    const byteCount = Math.min(FRAME_HEADER_BYTES - this.#headerBytes, chunk.length - at);
    this.#header.set(chunk.subarray(at, at + byteCount), this.#headerBytes);
    this.#headerBytes += byteCount;
    if (this.#headerBytes === FRAME_HEADER_BYTES) this.#open();
    return byteCount;
  }

  #open(): void {
    const length = this.#header.readUInt32BE(0);
    const version = this.#header.readUInt8(4);
    const row = this.#byCode.get(this.#header.readUInt8(5));
    if (version !== FRAME_VERSION) this.#fail(`frame version ${version} is not understood`);
    if (!row) this.#fail(`frame type ${this.#header.readUInt8(5)} is not known here`);
    if (length > row.bytesMax) this.#fail(`a frame \`${row.type}\` takes ${row.bytesMax} bytes, not ${length}`);
    this.#type = row.type;
    this.#length = length;
    this.#payload = NONE;
    this.#payloadBytes = 0;
  }

  #readPayload(chunk: Uint8Array, at: number): number {
    const byteCount = Math.min(this.#length - this.#payloadBytes, chunk.length - at);
    if (this.#keepsChunks && byteCount === this.#length)
      this.#payload = Buffer.from(chunk.buffer, chunk.byteOffset + at, byteCount);
    else {
      // Memory is allocated only here, after the length has been checked.
      if (this.#payloadBytes === 0) this.#payload = Buffer.allocUnsafe(this.#length);
      this.#payload.set(chunk.subarray(at, at + byteCount), this.#payloadBytes);
    }
    this.#payloadBytes += byteCount;
    return byteCount;
  }

  #fail(message: string): never {
    this.#failed = true;
    throw new FrameError(message);
  }
}
