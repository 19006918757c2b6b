// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { BlobStore } from '@writ/blobs';
import type { BlobRef, OutputRef, OutputRefs, TenantId } from '@writ/contract';
import type { SandboxOutput, SandboxResult } from '@writ/sandbox';
import { sealedParts, sealedRef, type ContentSeal } from '@writ/sealing';
import { inSlices } from '@writ/worker-pool';
import { piecesOf, Redactor, type SecretValues } from '../redaction/redactor.ts';

/**
 * Bytes of each stream that may wait for the store before the container has to wait: once on the way in and once on the
 * way out.
 */
const WAITING_BYTES_MAX = 1024 * 1024;

type Stream = SandboxOutput['stream'];

/** Whose output is stored, where, and the secret values to redact from it. */
export interface FullOutputOptions {
  readonly blobs: BlobStore;
  readonly tenantId: TenantId;
  readonly values: SecretValues | undefined;
  /** the seal for the stored output; undefined: it is stored unsealed */
  readonly seal: ContentSeal | undefined;
  /** bytes that the result shows: output up to this length is not stored */
  readonly shownBytes: number;
  /** bytes that are captured at most */
  readonly capturedBytesMax: number;
}

/**
 * Stores the output of a command that is longer than its result shows, stream by stream, as it arrives. INVARIANT
 * (bounded): it holds at most the bytes that the result shows, and later twice `WAITING_BYTES_MAX` for each stream,
 * besides the store's buffers. INVARIANT (redacted first): no byte is sealed or stored that hasn't passed the redactor
 * of its stream.
 */
export class FullOutput {
  readonly #options: FullOutputOptions;
  /** The output so far, while the result shows all of it. */
  #shown: SandboxOutput[] = [];
  #bytes = 0;
  #streams: Readonly<Record<Stream, StoredStream>> | null = null;

  constructor(options: FullOutputOptions) {
    this.#options = options;
  }

  /** Adds a piece of one stream. A returned promise asks the producer to wait before the next piece. Never throws. */
  push(output: SandboxOutput): Promise<void> | undefined {
    this.#bytes += output.bytes.length;
    if (this.#streams !== null) return this.#streams[output.stream].write(output.bytes);
    this.#shown.push(output);
    if (this.#bytes <= this.#options.shownBytes) return undefined;
    const streams = (this.#streams = {
      stdout: new StoredStream(this.#options, 'stdout'),
      stderr: new StoredStream(this.#options, 'stderr'),
    });
    const waits = this.#shown.splice(0).map(({ stream, bytes }) => streams[stream].write(bytes));
    return waits.some((wait) => wait !== undefined) ? Promise.all(waits).then(() => undefined) : undefined;
  }

  /**
   * Resolves with what was stored; null where the result shows everything, or where storing failed: a failure doesn't
   * fail the call.
   */
  async end({ ended, untappedBytes }: Pick<SandboxResult, 'ended' | 'untappedBytes'>): Promise<OutputRefs | null> {
    if (this.#streams === null) return null;
    // For a command that was killed from outside, `untappedBytes` is unknown.
    const cut = untappedBytes > 0 || (ended !== 'exited' && this.#bytes >= this.#options.capturedBytesMax);
    const { stdout, stderr } = this.#streams;
    // A killed command may have stopped in the middle of a secret value.
    const [out, err] = await Promise.all([stdout, stderr].map((stream) => stream.end(cut || ended !== 'exited')));
    return out && err ? { stdout: { ...out, cut }, stderr: { ...err, cut } } : null;
  }

  /** Discards the output. */
  discard(): void {
    this.#shown = [];
    if (this.#streams !== null) for (const stream of Object.values(this.#streams)) stream.discard();
  }
}

/** The stored form of one stream; `cut` applies to both streams together. */
type StoredRef = Omit<OutputRef, 'cut'>;

/** One stream on its way into the store. */
class StoredStream {
  readonly #redactor: Redactor | null;
  readonly #bytes = new PassThrough({ highWaterMark: WAITING_BYTES_MAX });
  /** hash of the clear text, which differs from the stored one for sealed output */
  readonly #hash = createHash('sha256');
  readonly #isSealed: boolean;
  readonly #stored: Promise<BlobRef | null>;
  /** settles when all bytes so far have passed the redactor */
  #redacting: Promise<void> = Promise.resolve();

  constructor({ blobs, tenantId, values, seal }: FullOutputOptions, stream: Stream) {
    this.#redactor = values?.any === true ? new Redactor(values) : null;
    this.#isSealed = seal !== undefined;
    // A store that fails closes the stream, and later bytes are dropped.
    this.#bytes.on('error', () => undefined);
    const stored =
      seal === undefined
        ? blobs.putStream(tenantId, this.#bytes)
        : blobs.putStream(tenantId, sealedParts(seal, stream, this.#bytes)).then(sealedRef);
    this.#stored = stored.catch(() => {
      this.#bytes.destroy();
      return null;
    });
  }

  write(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#redactor === null) return this.#write(bytes);
    return (this.#redacting = this.#redacting.then(() => this.#redact(bytes)));
  }

  /** @param cut whether it was cut off, perhaps within a secret value */
  async end(cut: boolean): Promise<StoredRef | null> {
    await this.#redacting;
    if (this.#redactor !== null) await this.#write(this.#redactor.end(cut));
    if (!this.#bytes.destroyed) this.#bytes.end();
    const stored = await this.#stored;
    return stored !== null && this.#isSealed ? { ...stored, content_sha256: this.#hash.digest('hex') } : stored;
  }

  discard(): void {
    this.#bytes.destroy();
  }

  async #redact(bytes: Uint8Array): Promise<void> {
    for await (const piece of inSlices(piecesOf(bytes))) await this.#write(this.#redactor?.push(piece) ?? piece);
  }

  #write(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#isSealed) this.#hash.update(bytes);
    if (bytes.length === 0 || this.#bytes.destroyed || this.#bytes.write(bytes)) return undefined;
    const done = new AbortController();
    const any = ['drain', 'close'].map((event) => once(this.#bytes, event, { signal: done.signal }));
    return Promise.race(any)
      .catch(() => undefined)
      .then(() => done.abort());
  }
}
