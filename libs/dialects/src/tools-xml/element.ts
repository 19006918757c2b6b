// SPDX-License-Identifier: Apache-2.0
import { DIALECT_LIMITS } from '../limits.ts';
import { quoted } from '../text/truncate.ts';
import { readTag } from './tag.ts';
import { TokenReader, type Token } from './tokens.ts';
import { characterData, plainText, type Decoded, type XmlMistake } from './xml-text.ts';

/** An element of a block; `at` in UTF-16 units of the whole output. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (XmlElement | string)[];
  readonly at: number;
}

const BLANK = /^[ \t\r\n]*$/;
const DECLARATION = /^<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"1\.0"|'1\.0')[^<>&]*\?>$/;

/**
 * Parses one element with its content, strictly: well-formed XML 1.0 without a document type, without processing
 * instructions, with the five predefined entities only (so nothing in it can expand or fetch). Attacker-controlled. A
 * property test compares it with another parser.
 */
export class ElementReader {
  readonly #tokens: TokenReader;
  readonly #open: XmlElement[] = [];
  readonly #begin: number;
  #elements = 0;
  root: XmlElement | null = null;
  /** position and message of the first error */
  fault: XmlMistake | null = null;

  /** `begin`: the position of the element. */
  constructor(begin: number) {
    this.#begin = begin;
    this.#tokens = new TokenReader((token) => {
      this.#token(token);
    });
  }

  /** Consumes text up to the end of the element and returns how much of it. Never throws. */
  consume(text: string, from: number): number {
    return this.#tokens.consume(text, from, () => this.root === null && this.fault === null);
  }

  #token(token: Token): void {
    const { kind, raw, at } = token;
    if (kind === 'wrong') this.#fail(raw, at);
    else if (kind === 'tag') this.#tag(raw, at);
    else if (kind === 'comment') this.#comment(raw, at);
    else if (kind === 'instruction') this.#instruction(raw, at);
    else if (kind === 'cdata') this.#text(plainText(raw), at, false);
    else this.#text(characterData(raw), at, BLANK.test(raw));
  }

  #text(meant: Decoded, at: number, mayStandOutside: boolean): void {
    if (!('text' in meant)) return this.#fail(meant.message, at + meant.at);
    const element = this.#open.at(-1);
    if (element !== undefined) element.children.push(meant.text);
    else if (!mayStandOutside) this.#fail('text stands outside of the element', at);
  }

  #comment(raw: string, at: number): void {
    const plain = plainText(raw);
    if (!('text' in plain)) return this.#fail(plain.message, at + plain.at);
    if (raw.includes('--') || raw.endsWith('-')) this.#fail('a comment has no `--` within', at);
  }

  #instruction(raw: string, at: number): void {
    if (at > 0 || !DECLARATION.test(raw)) this.#fail('a processing instruction is not taken', at);
  }

  #tag(raw: string, at: number): void {
    const tag = readTag(raw);
    if ('message' in tag) return this.#fail(tag.message, at + tag.at);
    if (tag.kind === 'closing') return this.#closes(tag.name, at);
    this.#elements += 1;
    if (this.#elements > DIALECT_LIMITS.elements)
      return this.#fail(`more than ${DIALECT_LIMITS.elements} elements`, at);
    if (this.#open.length === DIALECT_LIMITS.elementDepth)
      return this.#fail(`elements stand in each other more than ${DIALECT_LIMITS.elementDepth} deep`, at);
    const element: XmlElement = { name: tag.name, attributes: tag.attributes, children: [], at: this.#begin + at };
    this.#open.at(-1)?.children.push(element);
    this.#open.push(element);
    if (tag.kind === 'empty') this.#closes(tag.name, at);
  }

  #closes(name: string, at: number): void {
    const element = this.#open.at(-1);
    if (element?.name !== name)
      return this.#fail(
        `unexpected close tag ${quoted(`</${name}>`)}${element === undefined ? '' : `: ${quoted(`<${element.name}>`)} is open`}`,
        at,
      );
    this.#open.pop();
    if (this.#open.length === 0) this.root = element;
  }

  #fail(message: string, at: number): void {
    this.fault ??= { message, at: this.#begin + at };
  }
}

/** All text of an element, including its CDATA sections. */
export const textOf = ({ children }: XmlElement): string =>
  children.filter((child) => typeof child === 'string').join('');
export const elementsOf = ({ children }: XmlElement): XmlElement[] =>
  children.filter((child) => typeof child !== 'string');
