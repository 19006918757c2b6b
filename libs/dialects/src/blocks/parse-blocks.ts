// SPDX-License-Identifier: Apache-2.0
//
// `[TOOL_CALL:id] {json}` anywhere in a line. A machine of four states that looks at each character once, whatever the
// chunks.
import type { DialectParser, Parsed } from '../dialect.ts';
import { resolvePayload } from '../aliases/blocks.ts';
import { DIALECT_LIMITS } from '../limits.ts';
import { Collected } from '../text/collected.ts';
import { isObject, readJson } from '../text/read-json.ts';
import { idLike, quoted } from '../text/shown.ts';
import { BEFORE_THINKING_ENDED, HIDDEN_IN_THINKING, Thinking } from '../text/thinking.ts';
import { BalancedObject } from './balanced-object.ts';

export const CALL_MARKER = '[TOOL_CALL:';
const ID = /^[A-Za-z0-9._:-]+$/;
const MARKERS_WITHIN = /\[TOOL_CALL:([^\]\n[]{1,128})\]/g;
const isSpace = (unit: number): boolean => unit === 32 || (unit >= 9 && unit <= 13);

/** Where a marker begins that the end of the input cuts; the end itself where none does. */
function beginningAtEnd(input: string): number {
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
  /** what of a marker stands at the end of the chunk before */
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
    if (this.#state === 'id') this.#unclosed();
    if (this.#state === 'gap') this.#lacksObject();
    if (this.#state === 'object') this.#unbalanced();
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
      const end = Math.max(from, beginningAtEnd(input));
      this.#text(input.slice(from, end));
      this.#carried = input.slice(end);
      return input.length;
    }
    this.#text(input.slice(from, marker));
    if (this.#thinking.isOpen) {
      this.#thinking.hide(this.#at + marker);
      this.#text(CALL_MARKER);
      return marker + CALL_MARKER.length;
    }
    this.#thinking.cut();
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
        this.#unclosed();
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
    this.#lacksObject();
    return at;
  }

  #readObject(input: string, from: number): number {
    const end = this.#object.take(input, from);
    if (this.#object.isWhole) {
      this.#state = 'text';
      this.#payload(this.#object.text());
    }
    return end;
  }

  #text(text: string): void {
    this.#thinking.take(text);
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
    // What is no JSON may hold the beginning of thinking as well as a brace of its own.
    if ('problem' in json) this.#thinking.take(text);
    if (this.#collected.claims(written)) this.#collected.call(written, means);
  }

  /** What looks like the beginning of a marker is text, and is told. */
  #unclosed(): void {
    this.#text(CALL_MARKER + this.#id);
    this.#collected.problem('call', "a marker isn't closed: `[TOOL_CALL:` takes an id and `]` on the same line", {
      call_id: idLike(this.#id),
      at: this.#markerAt,
    });
    this.#state = 'text';
  }

  #lacksObject(): void {
    this.#thinking.take(this.#id);
    this.#text(this.#gap.join(''));
    [this.#gap, this.#state] = [[], 'text'];
    this.#collected.problem('call', `the marker of ${quoted(this.#id)} has no JSON object after it`, {
      call_id: idLike(this.#id),
      at: this.#markerAt,
    });
  }

  #unbalanced(): void {
    this.#collected.problem('call', `the payload of ${quoted(this.#id)} doesn't end: its braces don't balance`, {
      call_id: idLike(this.#id),
      at: this.#markerAt,
    });
    // What was swallowed may hold further calls: none of them is passed over in silence.
    for (const [, id = ''] of this.#object.text().matchAll(MARKERS_WITHIN)) {
      this.#collected.problem('call', `it stands in the payload of ${quoted(this.#id)}, which doesn't end`, {
        call_id: idLike(id),
        at: this.#markerAt,
      });
    }
  }
}
