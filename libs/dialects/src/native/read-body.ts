// SPDX-License-Identifier: Apache-2.0
import type { JsonValue } from '@writ/digest';
import { createParser, type EventSourceParser } from 'eventsource-parser';
import { readJson } from '../text/read-json.ts';

/** One JSON document of a provider's answer: the whole of it, or an event of its stream. */
export type Frame = { readonly value: JsonValue } | { readonly problem: string };

/** What reads the documents of one provider. */
export interface FrameReader {
  /** `whole`: the answer came as one document and not as events. */
  frame(value: JsonValue, whole: boolean): void;
  unreadable(problem: string): void;
}

/** What a stream says when it is done, which is no JSON. */
const DONE = '[DONE]';

/**
 * Cuts a provider's body into its JSON documents: the body itself, the members of its list, or the events of a stream
 * (`text/event-stream`).
 */
export class BodyReader {
  readonly #to: FrameReader;
  #body: string[] | null = null;
  #events: EventSourceParser | null = null;

  constructor(to: FrameReader) {
    this.#to = to;
  }

  push(chunk: string): void {
    if (this.#body !== null) this.#body.push(chunk);
    else if (this.#events !== null) this.#events.feed(chunk);
    else this.#begin(chunk);
  }

  end(): void {
    // A last event without the empty line behind it is whole all the same: the stream has ended.
    this.#events?.feed('\n\n');
    if (this.#body === null) return;
    const json = readJson(this.#body.join(''));
    if ('problem' in json) this.#to.unreadable(`the answer is no JSON that is taken: ${json.problem}`);
    else if (Array.isArray(json.value))
      for (const value of json.value as readonly JsonValue[]) this.#to.frame(value, false);
    else this.#to.frame(json.value, true);
  }

  /** White space before it says nothing yet. */
  #begin(chunk: string): void {
    const start = chunk.trimStart();
    if (start === '') return;
    if (start.startsWith('{') || start.startsWith('[')) this.#body = [start];
    else
      (this.#events = createParser({
        onEvent: ({ data }) => {
          this.#event(data);
        },
      })).feed(start);
  }

  #event(data: string): void {
    if (data.trim() === DONE || data === '') return;
    const json = readJson(data);
    if ('problem' in json) this.#to.unreadable(`an event of the stream is no JSON that is taken: ${json.problem}`);
    else this.#to.frame(json.value, false);
  }
}
