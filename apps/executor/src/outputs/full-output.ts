// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { BlobStore } from '@writ/blobs';
import type { BlobRef, OutputRef, OutputRefs, TenantId } from '@writ/contract';
import type { SandboxOutput, SandboxResult } from '@writ/sandbox';
import { sealedParts, sealedRef, type ContentSeal } from '@writ/sealing';
import { inSlices } from '@writ/worker-pool';
import { piecesOf, Redactor, type Values } from '../redaction/redactor.ts';

/**
 * What waits for the store in each stream before the container has to wait as well: once on its way in, and once on its
 * way out.
 */
const WAITING_BYTES_MAX = 1024 * 1024;

type Stream = SandboxOutput['stream'];

/** Whose output is kept, where, and what of it isn't told. */
export interface Keeping {
  readonly blobs: BlobStore;
  readonly tenantId: TenantId;
  readonly values: Values | undefined;
  /** what it is sealed under on its way into the store; undefined: it goes there as it is */
  readonly seal: ContentSeal | undefined;
  /** bytes that the result shows: up to these nothing is stored */
  readonly shownBytes: number;
  /** bytes that are heard at most */
  readonly heardBytes: number;
}

/**
 * Stores what a command says beyond what its result shows, stream by stream, as it comes. INVARIANT (bounded): no more
 * is held than the result shows, and then than twice `WAITING_BYTES_MAX` in each stream beside what the store holds.
 * INVARIANT (redacted first): no byte is sealed or stored that hasn't passed the redactor of its stream.
 */
export class FullOutput {
  readonly #keeping: Keeping;
  /** What came so far, while the result shows all of it. */
  #shown: SandboxOutput[] = [];
  #bytes = 0;
  #streams: Readonly<Record<Stream, StoredStream>> | null = null;

  constructor(keeping: Keeping) {
    this.#keeping = keeping;
  }

  /** Takes a piece of one stream; a promise asks whoever brings it to wait with the next. Never throws. */
  take(output: SandboxOutput): Promise<void> | undefined {
    this.#bytes += output.bytes.length;
    if (this.#streams !== null) return this.#streams[output.stream].write(output.bytes);
    this.#shown.push(output);
    if (this.#bytes <= this.#keeping.shownBytes) return undefined;
    const streams = (this.#streams = {
      stdout: new StoredStream(this.#keeping, 'stdout'),
      stderr: new StoredStream(this.#keeping, 'stderr'),
    });
    const waits = this.#shown.splice(0).map(({ stream, bytes }) => streams[stream].write(bytes));
    return waits.some((wait) => wait !== undefined) ? Promise.all(waits).then(() => undefined) : undefined;
  }

  /**
   * Resolves with what was stored; null where the result shows all of it, and where it couldn't be stored: that costs
   * no call its end.
   */
  async end({ ended, unheardBytes }: Pick<SandboxResult, 'ended' | 'unheardBytes'>): Promise<OutputRefs | null> {
    if (this.#streams === null) return null;
    // Of a command that was killed from outside nobody says what wasn't heard.
    const cut = unheardBytes > 0 || (ended !== 'exited' && this.#bytes >= this.#keeping.heardBytes);
    const { stdout, stderr } = this.#streams;
    // What was killed may have been in the middle of a value.
    const [out, err] = await Promise.all([stdout, stderr].map((stream) => stream.end(cut || ended !== 'exited')));
    return out && err ? { stdout: { ...out, cut }, stderr: { ...err, cut } } : null;
  }

  /** Stores nothing of it. */
  drop(): void {
    this.#shown = [];
    if (this.#streams !== null) for (const stream of Object.values(this.#streams)) stream.drop();
  }
}

/** A stream as it is stored; whether it was cut is said of both together. */
type StoredRef = Omit<OutputRef, 'cut'>;

/** One stream on its way into the store. */
class StoredStream {
  readonly #redactor: Redactor | null;
  readonly #bytes = new PassThrough({ highWaterMark: WAITING_BYTES_MAX });
  /** of what was said, where what is stored has another one */
  readonly #hash = createHash('sha256');
  readonly #isSealed: boolean;
  readonly #stored: Promise<BlobRef | null>;
  /** what is still to pass the redactor */
  #redacting: Promise<void> = Promise.resolve();

  constructor({ blobs, tenantId, values, seal }: Keeping, stream: Stream) {
    this.#redactor = values?.any === true ? new Redactor(values) : null;
    this.#isSealed = seal !== undefined;
    // A store that fails closes the stream, and what still comes goes nowhere.
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
    if (this.#redactor === null) return this.#pass(bytes);
    return (this.#redacting = this.#redacting.then(() => this.#redact(bytes)));
  }

  /** @param cut whether it was cut off, maybe within a value */
  async end(cut: boolean): Promise<StoredRef | null> {
    await this.#redacting;
    if (this.#redactor !== null) await this.#pass(this.#redactor.end(cut));
    if (!this.#bytes.destroyed) this.#bytes.end();
    const stored = await this.#stored;
    return stored !== null && this.#isSealed ? { ...stored, content_sha256: this.#hash.digest('hex') } : stored;
  }

  drop(): void {
    this.#bytes.destroy();
  }

  async #redact(bytes: Uint8Array): Promise<void> {
    for await (const piece of inSlices(piecesOf(bytes))) await this.#pass(this.#redactor?.push(piece) ?? piece);
  }

  #pass(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#isSealed) this.#hash.update(bytes);
    if (bytes.length === 0 || this.#bytes.destroyed || this.#bytes.write(bytes)) return undefined;
    const done = new AbortController();
    const any = ['drain', 'close'].map((event) => once(this.#bytes, event, { signal: done.signal }));
    return Promise.race(any)
      .catch(() => undefined)
      .then(() => done.abort());
  }
}
