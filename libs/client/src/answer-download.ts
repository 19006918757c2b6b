// SPDX-License-Identifier: Apache-2.0
import type { Download, ServerEvent } from './answers.ts';
import { chunksOf, eventsOf } from './server-events.ts';

/** The body of an answer as a download. */
export class AnswerDownload implements Download {
  readonly #answer: Response;

  constructor(answer: Response) {
    this.#answer = answer;
  }

  header(name: string): string | null {
    return this.#answer.headers.get(name);
  }

  async text(): Promise<string> {
    return await this.#answer.text();
  }

  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await this.#answer.arrayBuffer());
  }

  events(): AsyncIterable<ServerEvent> {
    return eventsOf(this.#answer);
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return chunksOf(this.#answer);
  }
}
