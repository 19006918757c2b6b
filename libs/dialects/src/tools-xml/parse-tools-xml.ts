// SPDX-License-Identifier: Apache-2.0
//
// A `<tools>` block that begins a line, alone or in a fence; or the text `tools` of a JSON object. Line by line, so
// that chunks don't matter.
import type { DialectParser, Parsed } from '../dialect.ts';
import { Collected } from '../text/collected.ts';
import { LineReader, type Piece } from '../text/line-reader.ts';
import { isObject, readJson } from '../text/read-json.ts';
import { BEFORE_THINKING_ENDED, HIDDEN_IN_THINKING, Thinking } from '../text/thinking.ts';
import { elementsOf, ElementReader, textOf, type XmlElement } from './element.ts';
import { callsOf } from './read-tools.ts';

const ID = /^[A-Za-z0-9.]+$/;
const OPENING = /^[ \t]*(?=<tools(?:[\s/>]|$))/;
const CLOSING = '</tools>';
/** What a line begins with that opens a block or a fence. */
const OPENERS = ['<tools', '```'];
const FENCE = /^[ \t]*`{3,}[ \t]*(?:(?:xml|tools|toolsxml|json)[ \t]*)?\r?\n?$/i;
const FENCE_END = /^[ \t]*`{3,}[ \t]*\r?\n?$/;
const BLANK = /^\s*$/;
/** What is left of a line behind a block, where that is nothing but white space. */
const BLANK_REST = /[^\S\n]*(?:\n|$)/y;
const JSON_FENCE = '```json';
const NO_END = "the `<tools>` block doesn't end: a tag, a comment or CDATA is open";
const IN_JSON = /"tools"\s*:/;

export class ToolsXmlParser implements DialectParser {
  readonly #collected = new Collected(ID);
  readonly #thinking = new Thinking(() => {
    this.#collected.retract(BEFORE_THINKING_ENDED);
  });
  readonly #lines = new LineReader(OPENERS, (piece) => this.#take(piece));
  /** an output that may be one JSON object is kept whole: only its end tells */
  #whole: string[] | null = [];
  /** how the output begins, without white space; as much as tells whether it may be an object */
  #start = '';
  #reader: ElementReader | null = null;
  /** the rest of a block that is none, up to its closing tag */
  #skips = false;
  /** the line of a fence, kept until it is known whether a block stands in it */
  #fence = '';
  #inFence = false;
  #blockAt = 0;
  #tools = 0;

  push(chunk: string): string {
    if (this.#whole === null) this.#lines.push(chunk);
    else {
      this.#whole.push(chunk);
      this.#decide(chunk);
    }
    return this.#collected.newText();
  }

  end(): Parsed {
    if (this.#whole !== null && !this.#asObject(this.#whole.join(''))) this.#asLines();
    this.#lines.end();
    this.#collected.text(this.#fence);
    if (this.#reader !== null) this.#collected.problem('protocol', NO_END, { at: this.#blockAt });
    const { hiddenAt } = this.#thinking;
    if (hiddenAt !== null) this.#collected.problem('protocol', HIDDEN_IN_THINKING, { at: hiddenAt });
    return this.#collected.parsed();
  }

  /** The first character, or the words of a fence, say whether it may be a JSON object. */
  #decide(chunk: string): void {
    if (this.#start.length < JSON_FENCE.length)
      this.#start = (this.#start + chunk).trimStart().slice(0, JSON_FENCE.length);
    if (!this.#start.startsWith('{') && !JSON_FENCE.startsWith(this.#start)) this.#asLines();
  }

  #asLines(): void {
    const text = (this.#whole ?? []).join('');
    this.#whole = null;
    this.#lines.push(text);
  }

  /** Reads the output as `{reply, tools}`; false where it is none. */
  #asObject(text: string): boolean {
    const inside = text
      .trim()
      .replace(/^```json[ \t]*\r?\n/, '')
      .replace(/\n[ \t]*```$/, '');
    if (!inside.startsWith('{')) return false;
    const json = readJson(inside);
    if ('problem' in json) {
      if (IN_JSON.test(inside))
        this.#collected.problem(
          'protocol',
          `the object with \`reply\` and \`tools\` is no JSON that is taken: ${json.problem}`,
          { at: 0 },
        );
      return false;
    }
    const { reply, tools, ...others } = isObject(json.value) ? json.value : {};
    if (reply === undefined && tools === undefined) return false;
    this.#object(reply, tools, Object.keys(others), text.indexOf('{'));
    return true;
  }

  #object(reply: unknown, tools: unknown, others: readonly string[], at: number): void {
    this.#whole = null;
    if (others.length > 0)
      this.#collected.problem('warning', 'the object has `reply` and `tools` alone: its other members are not read', {
        at,
      });
    if (typeof reply === 'string') this.#collected.text(reply);
    else if (reply !== undefined && reply !== null)
      this.#collected.problem('protocol', '`reply` must be a text', { at });
    if (tools === undefined || tools === null || (typeof tools === 'string' && tools.trim() === '')) return;
    if (typeof tools !== 'string')
      return this.#collected.problem('protocol', '`tools` must be a text: a `<tools>` block', { at });
    const block = new ElementReader(at);
    const text = tools.trim();
    const rest = text.slice(block.take(text, 0)).trim();
    if (rest !== '' && block.fault === null)
      this.#collected.problem('protocol', '`tools` holds more than one block', { at });
    this.#block(block, at);
    if (block.root === null && block.fault === null) this.#collected.problem('protocol', NO_END, { at });
  }

  #take(piece: Piece): number {
    const taken = this.#piece(piece);
    // What ends a block may stand anywhere in a line.
    this.#lines.holds = this.#reader !== null || this.#skips;
    return taken;
  }

  #piece({ text, at, mayOpen }: Piece): number {
    if (this.#skips) return this.#skip(text, 0);
    if (this.#reader !== null) return this.#read(this.#reader, text, 0);
    const opens = mayOpen ? OPENING.exec(text) : null;
    if (opens !== null && !this.#thinking.isOpen) return this.#begin(text, at, opens[0].length);
    if (opens !== null) this.#thinking.hide(at + opens[0].length);
    this.#text(text, mayOpen);
    return text.length;
  }

  /** Text for people, unless it is the fence of a block. */
  #text(text: string, mayOpen: boolean): void {
    this.#thinking.take(text);
    if (this.#inFence && mayOpen && FENCE_END.test(text)) this.#inFence = false;
    else if (mayOpen && FENCE.test(text)) {
      this.#collected.text(this.#fence);
      this.#fence = text;
    } else if (this.#fence !== '' && BLANK.test(text)) this.#fence += text;
    else {
      this.#collected.text(this.#fence);
      this.#collected.text(text);
      this.#fence = '';
    }
  }

  #begin(text: string, at: number, from: number): number {
    this.#thinking.cut();
    this.#inFence = this.#fence !== '';
    this.#fence = '';
    this.#blockAt = at + from;
    this.#reader = new ElementReader(this.#blockAt);
    return this.#read(this.#reader, text, from);
  }

  #read(reader: ElementReader, text: string, from: number): number {
    const end = reader.take(text, from);
    if (reader.root === null && reader.fault === null) return end;
    this.#reader = null;
    this.#block(reader, this.#blockAt);
    if (reader.fault === null) return behind(text, end);
    this.#skips = true;
    return this.#skip(text, Math.max(from, end - CLOSING.length));
  }

  /** Nothing of a block that is none is for people, and nothing of it runs. */
  #skip(text: string, from: number): number {
    const end = text.indexOf(CLOSING, from);
    if (end === -1) return text.length;
    this.#skips = false;
    return behind(text, end + CLOSING.length);
  }

  #block({ root, fault }: ElementReader, at: number): void {
    if (fault !== null)
      return this.#collected.problem('protocol', `the \`<tools>\` block is no XML that is taken: ${fault.message}`, {
        at: fault.at,
      });
    if (root === null) return;
    if (root.name !== 'tools')
      return this.#collected.problem('protocol', 'the block must be a `<tools>` element', { at });
    if (Object.keys(root.attributes).length > 0)
      return this.#collected.problem('protocol', '`<tools>` has no attributes', { at });
    if (textOf(root).trim() !== '') this.#collected.problem('call', '`<tools>` takes elements and no text', { at });
    for (const tool of elementsOf(root)) this.#tool(tool);
  }

  /** Tools have no ids of their own: their place makes one. */
  #tool(element: XmlElement): void {
    this.#tools += 1;
    if (this.#collected.isFull) return;
    const calls = callsOf(element);
    calls.forEach(({ name, at, means }, index) => {
      const written = { id: element.name === 'read' ? `t${this.#tools}.${index + 1}` : `t${this.#tools}`, name, at };
      if (this.#collected.claims(written)) this.#collected.call(written, means);
    });
  }
}

/** Where to go on behind a block: on its line, or on the next one if nothing else stands there. */
function behind(text: string, end: number): number {
  BLANK_REST.lastIndex = end;
  return BLANK_REST.test(text) ? BLANK_REST.lastIndex : end;
}
