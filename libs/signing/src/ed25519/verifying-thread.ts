// SPDX-License-Identifier: Apache-2.0
// eslint-disable-next-line no-restricted-imports -- a verdict is computed on it, as on those that Node.js keeps for OpenSSL: no effect that anybody could see
import { Worker } from 'node:worker_threads';
import { pack, type SignatureCheck } from './packed.ts';

/**
 * Limit on the signatures of a batch. Verifying it takes some milliseconds, so the first one waits no longer for the
 * last.
 */
export const BATCH_MAX = 64;

interface Waiting {
  readonly check: SignatureCheck;
  readonly answer: (verdict: boolean | Promise<boolean>) => void;
  /** the same check without the thread */
  readonly fallback: () => Promise<boolean>;
}

/**
 * Verifies with libsodium on one thread besides the event loop. One suffices, since it verifies a signature faster than
 * its caller reads the signed content. Checks that arrive while it computes go into the next batch. A thread that ended
 * is not started again: the fallback then answers all checks, with the same verdicts.
 */
export class VerifyingThread {
  readonly #modulePath: string;
  #worker: Worker | undefined;
  #hasEnded = false;
  #waiting: Waiting[] = [];
  #inFlight: Waiting[] = [];

  /** @param modulePath where libsodium is, for the thread to load */
  constructor(modulePath: string) {
    this.#modulePath = modulePath;
  }

  verify(check: SignatureCheck, fallback: () => Promise<boolean>): Promise<boolean> {
    if (this.#hasEnded) return fallback();
    return new Promise((answer) => {
      this.#waiting.push({ check, answer, fallback });
      // In a microtask, since a caller with many checks submits all of them in the same turn.
      if (this.#waiting.length === 1 && this.#inFlight.length === 0)
        queueMicrotask(() => {
          this.#send();
        });
    });
  }

  #send(): void {
    if (this.#inFlight.length > 0 || this.#waiting.length === 0) return;
    const worker = (this.#worker ??= this.#start());
    this.#inFlight = this.#waiting.splice(0, BATCH_MAX);
    const { memory, lengths } = pack(this.#inFlight.map(({ check }) => check));
    // Referenced while a check waits: a process with nothing else to do must not end before the answer.
    worker.ref();
    worker.postMessage({ memory, lengths }, [memory.buffer, lengths.buffer]);
  }

  #start(): Worker {
    // The file beside this one, compiled or not.
    const worker = new Worker(new URL(`./sodium-thread${import.meta.url.slice(-3)}`, import.meta.url), {
      workerData: this.#modulePath,
    });
    worker.on('message', (verdicts: Uint8Array) => {
      const answered = this.#inFlight.splice(0);
      worker.unref();
      this.#send();
      for (const [i, { answer }] of answered.entries()) answer(verdicts[i] === 1);
    });
    const end = (): void => {
      this.#end();
    };
    return worker.on('error', end).on('exit', end);
  }

  #end(): void {
    this.#hasEnded = true;
    for (const { answer, fallback } of [...this.#inFlight.splice(0), ...this.#waiting.splice(0)]) answer(fallback());
  }
}
