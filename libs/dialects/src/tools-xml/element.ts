// SPDX-License-Identifier: Apache-2.0
import { SaxesParser } from 'saxes';
import { DIALECT_LIMITS } from '../limits.ts';

/** An element of a block; `at` in UTF-16 units of the whole output. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (XmlElement | string)[];
  readonly at: number;
}

/** Place and words of the first thing that makes a block none. */
export interface XmlFault {
  readonly message: string;
  readonly at: number;
}

/**
 * Reads one element with all that is in it, strictly: well-formed XML 1.0 without a document type, without processing instructions, with the five predefined entities alone
 * (so nothing in it can grow or fetch). Attacker-controlled.
 */
export class ElementReader {
  // Places are told from the beginning of the output, not by saxes' own lines.
  readonly #parser = new SaxesParser({ xmlns: false, position: false, fragment: false });
  readonly #open: XmlElement[] = [];
  readonly #begin: number;
  readonly #closing: string;
  /** whether the next `>` may be the end: that of the first tag, and of what may be the last */
  #beforeEnd = true;
  #elements = 0;
  #tagAt = 0;
  root: XmlElement | null = null;
  fault: XmlFault | null = null;

  /** `closing`: how the element's last tag begins. `begin`: where it stands. */
  constructor(begin: number, closing: string) {
    this.#begin = begin;
    this.#closing = closing;
    const refuse = (what: string) => (): void => { this.#fail(what); };
    this.#parser.on('error', ({ message }) => { this.#fail(message); });
    this.#parser.on('doctype', refuse('a document type is not taken'));
    this.#parser.on('processinginstruction', refuse('a processing instruction is not taken'));
    this.#parser.on('opentagstart', () => { this.#tagAt = this.#parser.position; });
    this.#parser.on('opentag', ({ name, attributes }) => { this.#opened(name, attributes); });
    this.#parser.on('text', (text) => { this.#open.at(-1)?.children.push(text); });
    this.#parser.on('cdata', (text) => { this.#open.at(-1)?.children.push(text); });
    this.#parser.on('closetag', () => { this.#closed(); });
  }

  /** Takes text as far as the element goes and says how much of it that was. Never throws. */
  take(text: string, from: number): number {
    let at = from;
    while (at < text.length && this.root === null && this.fault === null) {
      const next = this.#cut(text, at);
      this.#parser.write(text.slice(at, next));
      at = next;
    }
    return at;
  }

  /** Where to stop, so that nothing behind the element is shown to the parser: behind what may close it, and the `>` that follows. */
  #cut(text: string, from: number): number {
    const end = this.#beforeEnd ? text.indexOf('>', from) : text.indexOf(this.#closing, from);
    if (end === -1) return text.length;
    this.#beforeEnd = !this.#beforeEnd;
    return end + (this.#beforeEnd ? this.#closing.length : 1);
  }

  #opened(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#elements += 1;
    if (this.#elements > DIALECT_LIMITS.elements) return this.#fail(`more than ${DIALECT_LIMITS.elements} elements`);
    if (this.#open.length === DIALECT_LIMITS.elementDepth) return this.#fail(`elements stand in each other more than ${DIALECT_LIMITS.elementDepth} deep`);
    const element: XmlElement = { name, attributes: { ...attributes }, children: [], at: this.#begin + this.#tagAt - name.length - 2 };
    this.#open.at(-1)?.children.push(element);
    this.#open.push(element);
  }

  #closed(): void {
    const element = this.#open.pop();
    if (this.#open.length === 0 && this.fault === null) this.root = element ?? null;
  }

  #fail(message: string): void {
    this.fault ??= { message, at: this.#begin + this.#parser.position };
  }
}

/** All text of an element, its sections of CDATA included. */
export const textOf = ({ children }: XmlElement): string => children.filter((child) => typeof child === 'string').join('');
export const elementsOf = ({ children }: XmlElement): XmlElement[] => children.filter((child) => typeof child !== 'string');
