// SPDX-License-Identifier: Apache-2.0
// eslint-disable-next-line no-restricted-imports -- a verdict is computed on it, as on those that Node.js keeps for OpenSSL: no effect that anybody could see
import { Worker } from 'node:worker_threads';
import { pack, type Asked } from './packed.ts';

/**
 * Signatures that are asked about together at most: some milliseconds, which is what the first of them may wait for the
 * last.
 */
export const AT_ONCE = 64;

interface Waiting {
  readonly asked: Asked;
  readonly answer: (verdict: boolean | Promise<boolean>) => void;
  /** the same question to whoever answers without the thread */
  readonly otherwise: () => Promise<boolean>;
}

/**
 * Verifies by libsodium beside the event loop, on one thread: it takes less for a signature than whoever asks takes to
 * read what was signed. What is asked while it computes goes with the next question. A thread that ended is not started
 * again: everything is answered otherwise then, which says the same.
 */
export class VerifyingThread {
  readonly #modulePath: string;
  #worker: Worker | undefined;
  #hasEnded = false;
  #waiting: Waiting[] = [];
  #underWay: Waiting[] = [];

  /** @param modulePath where libsodium is, for the thread to load */
  constructor(modulePath: string) {
    this.#modulePath = modulePath;
  }

  verify(asked: Asked, otherwise: () => Promise<boolean>): Promise<boolean> {
    if (this.#hasEnded) return otherwise();
    return new Promise((answer) => {
      this.#waiting.push({ asked, answer, otherwise });
      // Not at once: who asks for many asks for all of them in the same turn.
      if (this.#waiting.length === 1 && this.#underWay.length === 0)
        queueMicrotask(() => {
          this.#send();
        });
    });
  }

  #send(): void {
    if (this.#underWay.length > 0 || this.#waiting.length === 0) return;
    const worker = (this.#worker ??= this.#start());
    this.#underWay = this.#waiting.splice(0, AT_ONCE);
    const { memory, lengths } = pack(this.#underWay.map(({ asked }) => asked));
    // Held while somebody waits: a process that has nothing else to do must not end before its answer.
    worker.ref();
    worker.postMessage({ memory, lengths }, [memory.buffer, lengths.buffer]);
  }

  #start(): Worker {
    // Beside this file, compiled or not.
    const worker = new Worker(new URL(`./sodium-thread${import.meta.url.slice(-3)}`, import.meta.url), {
      workerData: this.#modulePath,
    });
    worker.on('message', (verdicts: Uint8Array) => {
      const answered = this.#underWay.splice(0);
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
    for (const { answer, otherwise } of [...this.#underWay.splice(0), ...this.#waiting.splice(0)]) answer(otherwise());
  }
}
