// SPDX-License-Identifier: Apache-2.0
//
// Splits XML at its `<` and `>`. INVARIANT (linear): each character is read a constant number of times, for any chunks.

/**
 * A complete token of XML: `raw`, which begins `at`, in UTF-16 units from the start. For a comment and CDATA `raw` is
 * their content; for `wrong` it is the message.
 */
export interface Token {
  readonly kind: 'text' | 'tag' | 'comment' | 'cdata' | 'instruction' | 'wrong';
  readonly raw: string;
  readonly at: number;
}

type State = 'text' | 'begun' | 'declared' | 'tag' | 'comment' | 'cdata' | 'instruction';

const COMMENT = '<!--';
const CDATA = '<![CDATA[';
/** The characters before the final `>`. */
const BEFORE_END = { comment: '--', cdata: ']]', instruction: '?' } as const;
/** The form of most tags. */
const PLAIN_TAG = /<\/?[A-Za-z_]{1,32}\/?>/y;
const IN_TAG = /["'<>]/g;
const IN_QUOTES = { '"': /["<]/g, "'": /['<]/g } as const;

export class TokenReader {
  readonly #to: (token: Token) => void;
  #state: State = 'text';
  #quote: keyof typeof IN_QUOTES | null = null;
  #parts: string[] = [];
  /** the last two characters of the parts, which may be part of an end marker */
  #tail = '';
  #tokenAt = 0;
  /** length of all text consumed before */
  #taken = 0;

  constructor(to: (token: Token) => void) {
    this.#to = to;
  }

  /** Consumes text while `goes`, which is called after each token, returns true. Returns where it stopped. */
  consume(text: string, from: number, goes: () => boolean): number {
    let at = from;
    while (at < text.length && goes()) at = this.#step(text, at, this.#taken - from);
    this.#taken += at - from;
    return at;
  }

  /** `shift`: added to an index in this text, it gives the index from the start. */
  #step(text: string, at: number, shift: number): number {
    if (this.#state === 'text') return this.#text(text, at, shift);
    if (this.#state === 'begun') return this.#begun(text, at);
    if (this.#state === 'declared') return this.#declared(text, at);
    if (this.#state === 'tag') return this.#tag(text, at, shift);
    return this.#enclosed(this.#state, text, at, shift);
  }

  #text(text: string, from: number, shift: number): number {
    const end = text.indexOf('<', from);
    if (end !== from) this.#parts.push(text.slice(from, end === -1 ? text.length : end));
    if (end === -1) return text.length;
    if (this.#parts.length > 0) this.#emit('text', end + shift);
    this.#tokenAt = end + shift;
    // A token that is complete in this text is emitted at once; otherwise its parts are buffered.
    const enclosed = text.startsWith(CDATA, end) ? CDATA : text.startsWith(COMMENT, end) ? COMMENT : null;
    if (enclosed !== null) return this.#encloses(enclosed, end + enclosed.length);
    PLAIN_TAG.lastIndex = end;
    const [tag] = PLAIN_TAG.exec(text) ?? [];
    if (tag !== undefined) return this.#emitTag(tag, end, shift);
    this.#state = 'begun';
    this.#parts.push('<');
    return end + 1;
  }

  #emitTag(tag: string, at: number, shift: number): number {
    const end = at + tag.length;
    this.#tokenAt = end + shift;
    this.#to({ kind: 'tag', raw: tag, at: at + shift });
    return end;
  }

  #begun(text: string, at: number): number {
    const char = text.charAt(at);
    [this.#state, this.#tail] = [char === '!' ? 'declared' : char === '?' ? 'instruction' : 'tag', ''];
    if (this.#state === 'tag') return at;
    this.#parts.push(char);
    return at + 1;
  }

  #declared(text: string, at: number): number {
    const begun = this.#parts.join('') + text.charAt(at);
    if (!COMMENT.startsWith(begun) && !CDATA.startsWith(begun)) {
      this.#to({
        kind: 'wrong',
        raw: 'a document type is not taken: `<!` begins a comment or CDATA',
        at: this.#tokenAt,
      });
      return at;
    }
    this.#parts.push(text.charAt(at));
    return begun === COMMENT || begun === CDATA ? this.#encloses(begun, at + 1) : at + 1;
  }

  /** `from`: the index where the content begins. */
  #encloses(begun: typeof COMMENT | typeof CDATA, from: number): number {
    [this.#state, this.#tail] = [begun === COMMENT ? 'comment' : 'cdata', ''];
    this.#tokenAt += begun.length;
    this.#parts = [];
    return from;
  }

  #tag(text: string, from: number, shift: number): number {
    const stops = this.#quote === null ? IN_TAG : IN_QUOTES[this.#quote];
    stops.lastIndex = from;
    const at = stops.exec(text)?.index ?? text.length;
    this.#parts.push(text.slice(from, at + 1));
    const char = text.charAt(at);
    if (char === '<') {
      this.#to({ kind: 'wrong', raw: 'a `<` stands within a tag', at: at + shift });
      return at;
    }
    if (char === '>') this.#emit('tag', at + 1 + shift);
    else if (char !== '') this.#quote = this.#quote === null ? (char as keyof typeof IN_QUOTES) : null;
    return Math.min(at + 1, text.length);
  }

  #enclosed(kind: keyof typeof BEFORE_END, text: string, from: number, shift: number): number {
    const before = BEFORE_END[kind];
    const ending = `${before}>`;
    // The end marker may have begun in the previous chunk.
    const across = (this.#tail + text.slice(from, from + before.length)).indexOf(ending);
    const found = across === -1 ? text.indexOf(ending, from) : from + across - this.#tail.length;
    const ends = across !== -1 || found !== -1;
    const end = ends ? found + ending.length : text.length;
    const part = text.slice(from, end);
    this.#parts.push(part);
    this.#tail = (this.#tail + part.slice(-before.length)).slice(-before.length);
    if (ends) this.#emitEnclosed(kind, ending, end + shift);
    return end;
  }

  #emitEnclosed(kind: keyof typeof BEFORE_END, ending: string, end: number): void {
    const inside = this.#parts.join('');
    this.#parts = [];
    this.#parts.push(kind === 'instruction' ? inside : inside.slice(0, -ending.length));
    this.#emit(kind, end);
  }

  #emit(kind: Token['kind'], end: number): void {
    const raw = this.#parts.join('');
    const at = this.#tokenAt;
    this.#parts = [];
    [this.#state, this.#tokenAt] = ['text', end];
    this.#to({ kind, raw, at });
  }
}
