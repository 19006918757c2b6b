// SPDX-License-Identifier: Apache-2.0
//
// `[TOOL_CALL:id] {json}` anywhere in a line. A machine of four states that reads each character once, however the
// input is split into chunks.
import type { DialectParser, Parsed } from '../dialect.ts';
import { resolvePayload } from '../aliases/blocks.ts';
import { DIALECT_LIMITS } from '../limits.ts';
import { Collected } from '../text/parse-collector.ts';
import { isObject, readJson } from '../text/read-json.ts';
import { idLike, quoted } from '../text/truncate.ts';
import { BEFORE_THINKING_ENDED, HIDDEN_IN_THINKING, Thinking } from '../text/thinking.ts';
import { BalancedObject } from './balanced-object.ts';

export const CALL_MARKER = '[TOOL_CALL:';
const ID = /^[A-Za-z0-9._:-]+$/;
const MARKERS_WITHIN = /\[TOOL_CALL:([^\]\n[]{1,128})\]/g;
const isSpace = (unit: number): boolean => unit === 32 || (unit >= 9 && unit <= 13);

/** The index of a partial marker at the end of the input; the end itself if there is none. */
function partialMarkerAt(input: string): number {
  const at = input.lastIndexOf('[');
  return at !== -1 && input.length - at < CALL_MARKER.length && CALL_MARKER.startsWith(input.slice(at))
    ? at
    : input.length;
}

type State = 'text' | 'id' | 'gap' | 'object';

export class BlocksParser implements DialectParser {
  readonly #collected = new Collected(ID);
  readonly #thinking = new Thinking(() => {
    this.#collected.retract(BEFORE_THINKING_ENDED);
  });
  #state: State = 'text';
  #at = 0;
  /** the part of a marker at the end of the previous chunk */
  #carried = '';
  #id = '';
  #markerAt = 0;
  #gap: string[] = [];
  #object = new BalancedObject();

  push(chunk: string): string {
    const input = this.#carried + chunk;
    this.#at -= this.#carried.length;
    this.#carried = '';
    let from = 0;
    while (from < input.length) from = this.#step(input, from);
    this.#at += input.length;
    return this.#collected.newText();
  }

  end(): Parsed {
    this.#text(this.#carried);
    if (this.#state === 'id') this.#reportUnclosed();
    if (this.#state === 'gap') this.#reportMissingObject();
    if (this.#state === 'object') this.#reportUnbalanced();
    const { hiddenAt } = this.#thinking;
    if (hiddenAt !== null) this.#collected.problem('protocol', HIDDEN_IN_THINKING, { at: hiddenAt });
    return this.#collected.parsed();
  }

  #step(input: string, from: number): number {
    if (this.#state === 'text') return this.#readText(input, from);
    if (this.#state === 'id') return this.#readId(input, from);
    return this.#state === 'gap' ? this.#readGap(input, from) : this.#readObject(input, from);
  }

  #readText(input: string, from: number): number {
    const marker = input.indexOf(CALL_MARKER, from);
    if (marker === -1) {
      const end = Math.max(from, partialMarkerAt(input));
      this.#text(input.slice(from, end));
      this.#carried = input.slice(end);
      return input.length;
    }
    this.#text(input.slice(from, marker));
    if (this.#thinking.isOpen) {
      this.#thinking.recordHidden(this.#at + marker);
      this.#text(CALL_MARKER);
      return marker + CALL_MARKER.length;
    }
    this.#thinking.resetCarried();
    [this.#state, this.#id, this.#markerAt] = ['id', '', this.#at + marker];
    return marker + CALL_MARKER.length;
  }

  #readId(input: string, from: number): number {
    for (let at = from; at < input.length; at += 1) {
      const char = input.charAt(at);
      if (char === ']') {
        this.#id += input.slice(from, at);
        this.#state = 'gap';
        return at + 1;
      }
      if (char === '\n' || char === '[' || this.#id.length + at - from > DIALECT_LIMITS.idChars) {
        this.#id += input.slice(from, at);
        this.#reportUnclosed();
        return at;
      }
    }
    this.#id += input.slice(from);
    return input.length;
  }

  #readGap(input: string, from: number): number {
    let at = from;
    while (at < input.length && isSpace(input.charCodeAt(at))) at += 1;
    this.#gap.push(input.slice(from, at));
    if (at === input.length) return at;
    if (input.charAt(at) === '{') {
      [this.#state, this.#object, this.#gap] = ['object', new BalancedObject(), []];
      return at;
    }
    this.#reportMissingObject();
    return at;
  }

  #readObject(input: string, from: number): number {
    const end = this.#object.consume(input, from);
    if (this.#object.isComplete) {
      this.#state = 'text';
      this.#payload(this.#object.text());
    }
    return end;
  }

  #text(text: string): void {
    this.#thinking.push(text);
    this.#collected.text(text);
  }

  #payload(text: string): void {
    if (this.#collected.isFull) return;
    const json = readJson(text);
    const members = 'value' in json && isObject(json.value) ? json.value : {};
    const { name, means } =
      'value' in json
        ? resolvePayload(members)
        : { name: null, means: { problem: `the payload is no JSON that is taken: ${json.problem}` } };
    const written = { id: this.#id, name: name ?? '', at: this.#markerAt };
    // Invalid JSON may contain the beginning of thinking as well as its own brace.
    if ('problem' in json) this.#thinking.push(text);
    if (this.#collected.claimId(written)) this.#collected.call(written, means);
  }

  /** A partial marker is text, and is reported. */
  #reportUnclosed(): void {
    this.#text(CALL_MARKER + this.#id);
    this.#collected.problem('call', "a marker isn't closed: `[TOOL_CALL:` takes an id and `]` on the same line", {
      call_id: idLike(this.#id),
      at: this.#markerAt,
    });
    this.#state = 'text';
  }

  #reportMissingObject(): void {
    this.#thinking.push(this.#id);
    this.#text(this.#gap.join(''));
    [this.#gap, this.#state] = [[], 'text'];
    this.#collected.problem('call', `the marker of ${quoted(this.#id)} has no JSON object after it`, {
      call_id: idLike(this.#id),
      at: this.#markerAt,
    });
  }

  #reportUnbalanced(): void {
    this.#collected.problem('call', `the payload of ${quoted(this.#id)} doesn't end: its braces don't balance`, {
      call_id: idLike(this.#id),
      at: this.#markerAt,
    });
    // The unbalanced object may contain further calls, and each of them is reported.
    for (const [, id = ''] of this.#object.text().matchAll(MARKERS_WITHIN)) {
      this.#collected.problem('call', `it stands in the payload of ${quoted(this.#id)}, which doesn't end`, {
        call_id: idLike(id),
        at: this.#markerAt,
      });
    }
  }
}
