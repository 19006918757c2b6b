// SPDX-License-Identifier: Apache-2.0
import type { JsonValue } from '@writ/digest';
import { createParser, type EventSourceParser } from 'eventsource-parser';
import { readJson } from '../text/read-json.ts';
import { quoted } from '../text/truncate.ts';

/** One JSON document of a provider's response: all of it, or an event of its stream. */
export type Frame = { readonly value: JsonValue } | { readonly problem: string };

/** Reads the documents of one provider. */
export interface FrameReader {
  /** `whole`: the response is one document and not a stream of events. */
  frame(value: JsonValue, whole: boolean): void;
  unreadable(problem: string): void;
}

/** The end marker of a stream, which is no JSON. */
const DONE = '[DONE]';

/**
 * Splits a provider's body into its JSON documents: the body itself, the members of its list, or the events of a stream
 * (`text/event-stream`).
 */
export class BodyReader {
  readonly #to: FrameReader;
  #body: string[] | null = null;
  #events: EventSourceParser | null = null;
  readonly #lines = new FieldlessLines();

  constructor(to: FrameReader) {
    this.#to = to;
  }

  push(chunk: string): void {
    if (this.#body !== null) this.#body.push(chunk);
    else if (this.#events !== null) this.#feed(this.#events, chunk);
    else this.#begin(chunk);
  }

  end(): void {
    // A last event without a trailing empty line is complete too, because the stream has ended.
    if (this.#events !== null) this.#feed(this.#events, '\n\n');
    const { first } = this.#lines;
    if (first !== null) this.#to.unreadable(`a line of the stream is no field of an event: ${quoted(first)}`);
    if (this.#body === null) return;
    const json = readJson(this.#body.join(''));
    if ('problem' in json) this.#to.unreadable(`the answer is no JSON that is taken: ${json.problem}`);
    else if (Array.isArray(json.value))
      for (const value of json.value as readonly JsonValue[]) this.#to.frame(value, false);
    else this.#to.frame(json.value, true);
  }

  /** Leading white space doesn't decide between the two forms. */
  #begin(chunk: string): void {
    const start = chunk.trimStart();
    if (start === '') return;
    if (start.startsWith('{') || start.startsWith('[')) this.#body = [start];
    else {
      this.#events = createParser({
        onEvent: ({ data }) => {
          this.#event(data);
        },
      });
      this.#feed(this.#events, start);
    }
  }

  #feed(events: EventSourceParser, text: string): void {
    this.#lines.push(text);
    events.feed(text);
  }

  #event(data: string): void {
    if (data.trim() === DONE || data === '') return;
    const json = readJson(data);
    if ('problem' in json) this.#to.unreadable(`an event of the stream is no JSON that is taken: ${json.problem}`);
    else this.#to.frame(json.value, false);
  }
}

const LINE_END = /[\r\n]/g;
const FIELD = /^(?::|(?:data|event|id|retry)(?::|$))/;
/** Enough of a line to recognise a field and to quote it. */
const HEAD_CHARS = 80;

/**
 * Finds lines of a stream that are no field of an event and hold a brace. A reader of streams ignores them, but one may
 * hold a document behind other text.
 */
class FieldlessLines {
  /** the beginning of the first one; null if there is none */
  first: string | null = null;
  #head = '';
  #hasBrace = false;

  push(text: string): void {
    let from = 0;
    for (const { index } of text.matchAll(LINE_END)) {
      this.#continue(text.slice(from, index));
      this.#end();
      from = index + 1;
    }
    this.#continue(text.slice(from));
  }

  #continue(part: string): void {
    if (this.#head.length < HEAD_CHARS) this.#head = (this.#head + part).slice(0, HEAD_CHARS);
    this.#hasBrace ||= part.includes('{');
  }

  #end(): void {
    if (this.#hasBrace && !FIELD.test(this.#head)) this.first ??= this.#head;
    [this.#head, this.#hasBrace] = ['', false];
  }
}
