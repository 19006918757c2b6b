// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { IMAGE_LOG_CHARS_MAX, type ImageClaim } from '@writ/contract';
import { sourceFrom, type BuildContext, type TenantImages } from '@writ/sandbox/images';
import { decodeBase64 } from '@writ/signing';
import { ClaimLoop } from '../foundation/claim-loop.ts';
import type { ClaimedImage, KernelClient } from '../foundation/kernel-client.ts';
import { isImageProblem } from './call-images.ts';

/** How often it asks for an image to make ready, in milliseconds. A person waits for the answer. */
const ASK_MS = 2_000;
const REPLY_MS = 5_000;
/** A third of the claim's lease. */
const RENEW_MS = 8_000;
/** Tries to report how a build ended, while its claim lives. */
const REPORT_TRIES = 4;

export interface ImageIntakeParts {
  readonly kernel: Pick<KernelClient, 'claimImage' | 'renewImage' | 'releaseImage' | 'finishImage'>;
  readonly images: Pick<TenantImages, 'make'>;
  readonly executorId: string;
  /** what a build may use, for a claim and until its signal */
  readonly context: (signal: AbortSignal) => Pick<BuildContext, 'registries' | 'ca' | 'egress'>;
  /** receives bugs and lost engines, for operators */
  readonly failed: (error: unknown, image: ClaimedImage | null) => void;
}

/** Makes images of tenants ready, one at a time: fetches them, or builds them from recipes. */
export class ImageIntake {
  readonly #parts: ImageIntakeParts;
  readonly #loop: ClaimLoop<ImageClaim>;

  constructor(parts: ImageIntakeParts) {
    const { kernel, executorId } = parts;
    this.#parts = parts;
    this.#loop = new ClaimLoop({
      askMs: ASK_MS,
      atOnce: 1,
      isNewRequest: false,
      claim: () => kernel.claimImage(executorId, REPLY_MS),
      perform: (claim, stopping) => this.#make(claim, stopping),
      failed: (error) => parts.failed(error, null),
    });
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  /** Stops the build and gives its image back: another executor begins anew. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #make(claim: ImageClaim, stopping: AbortSignal): Promise<void> {
    const { image_id, tenant_id, claim: number } = claim;
    const image: ClaimedImage = { image_id, tenant_id, claim: number, executor_id: this.#parts.executorId };
    const lost = new AbortController();
    const done = new AbortController();
    const log = new LogTail();
    const renewals = this.#renew(image, log, lost, done.signal);
    const signal = AbortSignal.any([stopping, lost.signal]);
    try {
      const end = await this.#outcome(claim, log, signal);
      if (!signal.aborted)
        return await this.#report((kernel) => kernel.finishImage(image, { log: log.text, ...end }, REPLY_MS));
    } catch (error) {
      if (!signal.aborted) this.#parts.failed(error, image);
    } finally {
      done.abort();
      await renewals;
    }
    if (!lost.signal.aborted) await this.#release(image, log, stopping.aborted);
  }

  /** The engine or this process is at fault, or it stops: the image is made anew, and its executor wasn't lost. */
  async #release(image: ClaimedImage, log: LogTail, stopping: boolean): Promise<void> {
    log.push(`the executor ${stopping ? 'stops' : "can't work on it for now"}: the image will be tried again\n`);
    // If no kernel answers, the claim expires.
    await this.#report((kernel) => kernel.releaseImage(image, stopping, log.text, REPLY_MS)).catch(() => undefined);
  }

  async #outcome(
    { tenant_id: tenantId, definition, digest }: ImageClaim,
    log: LogTail,
    signal: AbortSignal,
  ): Promise<{ image_digest: string | null; problem: string | null }> {
    const source = sourceFrom(decodeBase64(definition));
    if (source === null) return { image_digest: null, problem: 'this version of the executor cannot read it' };
    try {
      const context = { ...this.#parts.context(signal), digest, log: (text: string) => log.push(text) };
      return { image_digest: await this.#parts.images.make({ tenantId, source }, context, signal), problem: null };
    } catch (error) {
      if (!isImageProblem(error)) throw error;
      log.push(`${error.message}\n`);
      return { image_digest: null, problem: error.message.slice(0, 2_048) };
    }
  }

  async #renew(image: ClaimedImage, log: LogTail, lost: AbortController, done: AbortSignal): Promise<void> {
    while (!done.aborted) {
      await sleep(RENEW_MS, undefined, { signal: done, ref: false }).catch(() => undefined);
      if (done.aborted) return;
      // A kernel that doesn't answer for a while is no reason to stop: the claim tells whether another has it.
      const alive = await this.#parts.kernel.renewImage(image, log.text, REPLY_MS).catch(() => true);
      if (!alive) return lost.abort();
    }
  }

  async #report(send: (kernel: ImageIntakeParts['kernel']) => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await send(this.#parts.kernel);
      } catch (error) {
        if (tries >= REPORT_TRIES) throw error;
        await sleep(ASK_MS);
      }
    }
  }
}

/** The end of a log, within what is kept of it. Its text comes from package managers. */
class LogTail {
  #text = '';

  push(text: string): void {
    this.#text = (this.#text + text).slice(-IMAGE_LOG_CHARS_MAX).toWellFormed();
  }

  get text(): string {
    return this.#text;
  }
}
