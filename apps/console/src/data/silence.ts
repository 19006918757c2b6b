// SPDX-License-Identifier: Apache-2.0
// A connection that is gone often stays open at this end, and nothing says so: only its silence does.

/** Aborts when nothing was heard for `maxMs` milliseconds, or when the browser says that it is offline. */
export class Silence {
  readonly signal: AbortSignal;
  readonly #maxMs: number;
  readonly #browser: EventTarget;
  readonly #controller = new AbortController();
  readonly #abort = (): void => this.#controller.abort();
  #timer: ReturnType<typeof setTimeout>;

  /** @param browser what says that it is offline */
  constructor(maxMs: number, browser: EventTarget = window) {
    this.#maxMs = maxMs;
    this.#browser = browser;
    this.signal = this.#controller.signal;
    this.#timer = setTimeout(this.#abort, maxMs);
    browser.addEventListener('offline', this.#abort);
  }

  /** Something was heard. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#abort, this.#maxMs);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#browser.removeEventListener('offline', this.#abort);
  }
}

/** The browser's `fetch`, which also says when a piece of an answer arrives. */
export const watchedFetch =
  (heard: () => void) =>
  async (url: string, init: never): Promise<unknown> => {
    const response = await fetch(url, init);
    heard();
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    const watched = new TransformStream<Uint8Array, Uint8Array>({
      transform: (piece, controller) => {
        heard();
        controller.enqueue(piece);
      },
    });
    return new Response(body.pipeThrough(watched), { status, statusText, headers });
  };
