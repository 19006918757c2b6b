// SPDX-License-Identifier: Apache-2.0
//
// A `<tools>` block at the beginning of a line, alone or in a fence; or the text `tools` of a JSON object. Read line by
// line, so that chunks don't matter. A block behind other text of its line doesn't run and is a problem. In a fence of
// another language it is an example, which is reported as such. In inline code, and without elements, it is prose.
import type { DialectParser, Parsed } from '../dialect.ts';
import { Collected } from '../text/parse-collector.ts';
import { LineReader, type Piece } from '../text/line-reader.ts';
import { isObject, readJson } from '../text/read-json.ts';
import { closesFence, readFence, type ExampleFence, type Fence } from '../text/fence.ts';
import { codeSpans, Prose, type Stretch } from '../text/prose.ts';
import { quoted } from '../text/truncate.ts';
import { BEFORE_THINKING_ENDED, HIDDEN_IN_THINKING, Thinking } from '../text/thinking.ts';
import { elementsOf, ElementReader, textOf, type XmlElement } from './element.ts';
import { callsOf } from './read-tools.ts';

const ID = /^[A-Za-z0-9.]+$/;
const OPENING = /^[\uFEFF \t]*(?=(?:<\?xml[^<>]{0,256}\?>[ \t]*)?<tools(?:[\s/>]|$))/;
const CLOSING = '</tools>';
/** Beginnings of lines that open a block or a fence. */
const OPENERS = ['<tools', '<\\?xml', '```', '~~~'];
/** Languages of fences whose block is meant to run; a fence of any other language shows an example. */
const LANGUAGES: ReadonlySet<string> = new Set(['', 'xml', 'json', 'tools', 'toolsxml', 'tools-xml', 'tools_xml']);
const BLANK = /^\s*$/;
/** The rest of a line behind a block, if it is only white space. */
const BLANK_REST = /[^\S\n]*(?:\n|$)/y;
const JSON_FENCE = '```json';
const NO_END = "the `<tools>` block doesn't end: a tag, a comment or CDATA is open";
const IN_JSON = /"tools"\s*:/;
/** The opening of a block with an element in it, also where its line ends are escaped. */
const STRAY = /<tools(?:[\s/][^<>]{0,128})?>(?:\s|\\[nrt]){0,4096}<[A-Za-z_!/]/gi;
const STRAY_BLOCK =
  'a `<tools>` block stands behind other text of its line, so it was not run: begin a line with it, in lower case';
const IN_OPEN_FENCE =
  "a fence isn't closed, and a `<tools>` block stands in it: nothing runs. Close the fence before it";

export class ToolsXmlParser implements DialectParser {
  readonly #collected = new Collected(ID);
  readonly #thinking = new Thinking(() => {
    this.#collected.retract(BEFORE_THINKING_ENDED);
  });
  readonly #lines = new LineReader(OPENERS, (piece) => this.#consume(piece));
  /** an output that may be one JSON object is buffered, since only its end decides */
  #buffered: string[] | null = [];
  /** the beginning of the output without white space, long enough to decide whether it may be an object */
  #start = '';
  #reader: ElementReader | null = null;
  /** whether the rest of an invalid block is skipped, up to its closing tag */
  #isSkipping = false;
  /** the line of a fence, buffered until it is known whether it contains a block */
  #fence = '';
  #inFence = false;
  /** an open fence of another language */
  #example: ExampleFence | null = null;
  readonly #prose = new Prose();
  #blockAt = 0;
  #tools = 0;

  push(chunk: string): string {
    if (this.#buffered === null) this.#lines.push(chunk);
    else {
      this.#buffered.push(chunk);
      this.#decide(chunk);
    }
    return this.#collected.newText();
  }

  end(): Parsed {
    if (this.#buffered !== null && !this.#asObject(this.#buffered.join(''))) this.#asLines();
    this.#lines.end();
    this.#collected.text(this.#fence);
    if (this.#reader !== null) this.#collected.problem('protocol', NO_END, { at: this.#blockAt });
    if (this.#example !== null) this.#reportUnclosed(this.#example);
    for (const stretch of this.#prose.stretches()) this.#reportStrays(this.#straysIn(stretch));
    const { hiddenAt } = this.#thinking;
    if (hiddenAt !== null) this.#collected.problem('protocol', HIDDEN_IN_THINKING, { at: hiddenAt });
    return this.#collected.parsed();
  }

  /** The first character, or the words of a fence, decide whether it may be a JSON object. */
  #decide(chunk: string): void {
    if (this.#start.length < JSON_FENCE.length)
      this.#start = (this.#start + chunk).trimStart().slice(0, JSON_FENCE.length);
    if (!this.#start.startsWith('{') && !JSON_FENCE.startsWith(this.#start)) this.#asLines();
  }

  #asLines(): void {
    const text = (this.#buffered ?? []).join('');
    this.#buffered = null;
    this.#lines.push(text);
  }

  /** Parses the output as `{reply, tools}`; false if it isn't one. */
  #asObject(text: string): boolean {
    const inside = text
      .trim()
      .replace(/^```json(?:[ \t][^\n{]*)?\r?\n/, '')
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
    this.#buffered = null;
    if (others.length > 0)
      this.#collected.problem('warning', 'the object has `reply` and `tools` alone: its other members are not read', {
        at,
      });
    if (typeof reply === 'string') {
      this.#collected.text(reply);
      // Within the object there are no positions.
      if (this.#straysIn({ text: reply, at: 0 }).length > 0) this.#reportStrays([at]);
    } else if (reply !== undefined && reply !== null)
      this.#collected.problem('protocol', '`reply` must be a text', { at });
    if (tools === undefined || tools === null || (typeof tools === 'string' && tools.trim() === '')) return;
    if (typeof tools !== 'string')
      return this.#collected.problem('protocol', '`tools` must be a text: a `<tools>` block', { at });
    const block = new ElementReader(at);
    const text = tools.trim();
    const rest = text.slice(block.consume(text, 0)).trim();
    if (rest !== '' && block.fault === null)
      this.#collected.problem('protocol', '`tools` holds more than one block', { at });
    this.#block(block, at);
    if (block.root === null && block.fault === null) this.#collected.problem('protocol', NO_END, { at });
  }

  #consume(piece: Piece): number {
    const taken = this.#piece(piece);
    // The end of a block may be anywhere in a line.
    this.#lines.isBuffering = this.#reader !== null || this.#isSkipping;
    return taken;
  }

  #piece({ text, at, mayOpen }: Piece): number {
    if (this.#isSkipping) return this.#skip(text, 0);
    if (this.#reader !== null) return this.#read(this.#reader, text, 0);
    const opens = mayOpen ? OPENING.exec(text) : null;
    if (opens === null) return this.#text(text, at, mayOpen);
    const blockAt = at + opens[0].length;
    if (this.#thinking.isOpen) this.#thinking.recordHidden(blockAt);
    else if (this.#example === null) return this.#begin(text, at, opens[0].length);
    else this.#example.callAt ??= blockAt;
    return this.#text(text, at, mayOpen);
  }

  /** Adds text for people, unless it is the fence of a block. Returns its length. */
  #text(text: string, at: number, mayOpen: boolean): number {
    this.#thinking.push(text, at);
    const fence = mayOpen && !this.#thinking.isOpen ? readFence(text) : null;
    if (this.#example !== null) this.#inExample(this.#example, { text, at }, fence);
    else if (this.#inFence && fence?.language === '') this.#inFence = false;
    else if (fence !== null && LANGUAGES.has(fence.language)) {
      this.#collected.text(this.#fence);
      this.#fence = text;
    } else if (this.#fence !== '' && BLANK.test(text)) this.#fence += text;
    else {
      this.#collected.text(this.#fence);
      this.#collected.text(text);
      this.#fence = '';
      if (fence === null) this.#prose.add(text, at);
      else this.#example = { fence, callAt: null, prose: new Prose() };
    }
    return text.length;
  }

  /** What a fence shows is an example only once the fence is closed. */
  #reportUnclosed({ callAt, prose }: ExampleFence): void {
    const [first] = prose.stretches().flatMap((stretch) => this.#straysIn(stretch));
    const at = Math.min(callAt ?? Infinity, first ?? Infinity);
    if (at !== Infinity) this.#collected.problem('protocol', IN_OPEN_FENCE, { at });
  }

  #inExample({ fence: open, callAt, prose }: ExampleFence, { text, at }: Stretch, fence: Fence | null): void {
    this.#collected.text(text);
    if (fence === null || !closesFence(fence, open)) return prose.add(text, at);
    this.#example = null;
    if (callAt !== null)
      this.#collected.problem(
        'warning',
        `a \`<tools>\` block in a fence of ${quoted(open.language)} is an example: it was not run`,
        { at: callAt },
      );
  }

  /** The positions of blocks that stand behind other text, except in thinking and inline code. */
  #straysIn({ text, at: begin }: Stretch): number[] {
    const isCode = codeSpans(text);
    const positions = [...text.matchAll(STRAY)].filter(({ index }) => !isCode(index)).map(({ index }) => begin + index);
    const hidden = positions.find((at) => this.#thinking.covers(at));
    if (hidden !== undefined && this.#thinking.isOpen) this.#thinking.recordHidden(hidden);
    return positions.filter((at) => !this.#thinking.covers(at));
  }

  #reportStrays(positions: readonly number[]): void {
    for (const at of positions) this.#collected.problem('call', STRAY_BLOCK, { at });
  }

  #begin(text: string, at: number, from: number): number {
    this.#thinking.resetCarried();
    this.#inFence = this.#fence !== '';
    this.#fence = '';
    this.#blockAt = at + from;
    this.#reader = new ElementReader(this.#blockAt);
    return this.#read(this.#reader, text, from);
  }

  #read(reader: ElementReader, text: string, from: number): number {
    const end = reader.consume(text, from);
    if (reader.root === null && reader.fault === null) return end;
    this.#reader = null;
    this.#block(reader, this.#blockAt);
    if (reader.fault === null) return behind(text, end);
    this.#isSkipping = true;
    return this.#skip(text, Math.max(from, end - CLOSING.length));
  }

  /** An invalid block is not shown to people, and none of it runs. */
  #skip(text: string, from: number): number {
    const end = text.indexOf(CLOSING, from);
    if (end === -1) return text.length;
    this.#isSkipping = false;
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

  /** Tools have no ids: their position makes one. */
  #tool(element: XmlElement): void {
    this.#tools += 1;
    if (this.#collected.isFull) return;
    const calls = callsOf(element);
    calls.forEach(({ name, at, means }, index) => {
      const written = { id: element.name === 'read' ? `t${this.#tools}.${index + 1}` : `t${this.#tools}`, name, at };
      if (this.#collected.claimId(written)) this.#collected.call(written, means);
    });
  }
}

/** The index behind a block: on its line, or on the next one if the rest is white space. */
function behind(text: string, end: number): number {
  BLANK_REST.lastIndex = end;
  return BLANK_REST.test(text) ? BLANK_REST.lastIndex : end;
}
