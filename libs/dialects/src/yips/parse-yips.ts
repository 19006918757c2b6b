// SPDX-License-Identifier: Apache-2.0
//
// Exactly one fenced envelope, `yips-agent` or `yips-tools`. What is in it runs only once it is known to be the only
// one.
import type { JsonValue } from '@writ/digest';
import { resolve, type Alias } from '../aliases/alias.ts';
import { YIPS_SKILLS, YIPS_SUBAGENT, YIPS_TOOLS } from '../aliases/yips.ts';
import type { DialectParser, Parsed } from '../dialect.ts';
import { Collected } from '../text/collected.ts';
import { LineReader, type Piece } from '../text/line-reader.ts';
import { isObject, readJson } from '../text/read-json.ts';
import { idLike, quoted } from '../text/shown.ts';
import { HIDDEN_IN_THINKING, Thinking } from '../text/thinking.ts';

const ID = /^[A-Za-z0-9._:-]+$/;
const OPENING = /^(`{3,})(yips-agent|yips-tools)[ \t]*\r?\n?$/;
const CLOSING = /^(`{3,})[ \t]*\r?\n?$/;
const BEFORE_THINKING_ENDED =
  'the envelope stands before the end of thinking, so nothing of it runs: write it after `</think>`';
type Tag = 'yips-agent' | 'yips-tools';
type Kind = 'tool' | 'skill' | 'subagent';
type Members = { readonly [key: string]: JsonValue };

interface Envelope {
  readonly tag: Tag;
  readonly ticks: number;
  readonly at: number;
  readonly body: string[];
}

const byName = (aliases: readonly Alias[]): ReadonlyMap<string, Alias> =>
  new Map(aliases.map((alias) => [alias.name, alias]));
const NAMES: Readonly<Record<'tool' | 'skill', ReadonlyMap<string, Alias>>> = {
  tool: byName(YIPS_TOOLS),
  skill: byName(YIPS_SKILLS),
};
const ROOT: Readonly<Record<Tag, readonly string[]>> = {
  'yips-agent': ['assistant_text', 'actions'],
  'yips-tools': ['assistant_text', 'tool_calls', 'skill_calls', 'subagent_calls'],
};
const LISTS: readonly (readonly [string, Kind])[] = [
  ['tool_calls', 'tool'],
  ['skill_calls', 'skill'],
  ['subagent_calls', 'subagent'],
];
const MEMBERS: Readonly<Record<Kind, readonly string[]>> = {
  tool: ['type', 'id', 'name', 'arguments'],
  skill: ['type', 'id', 'name', 'arguments'],
  subagent: ['type', 'id', 'task', 'max_rounds'],
};

export class YipsParser implements DialectParser {
  readonly #collected = new Collected(ID, 'warning');
  readonly #thinking = new Thinking(() => {
    this.#forget();
  });
  readonly #lines = new LineReader(['```'], (piece) => this.#piece(piece));
  #open: Envelope | null = null;
  /** the first envelope; of others only their number counts */
  #first: Envelope | null = null;
  #envelopes = 0;
  #secondAt = 0;
  /** the last envelope that turned out to stand in thinking */
  #forgotten: Envelope | null = null;

  push(chunk: string): string {
    this.#lines.push(chunk);
    return this.#collected.newText();
  }

  end(): Parsed {
    this.#lines.end();
    if (this.#open !== null)
      this.#collected.problem('protocol', `the \`${this.#open.tag}\` block isn't closed`, { at: this.#open.at });
    else if (this.#envelopes > 1)
      this.#collected.problem('protocol', `there are ${this.#envelopes} envelopes: expected exactly one`, {
        at: this.#secondAt,
      });
    else if (this.#first !== null) this.#envelope(this.#first);
    else if (this.#forgotten !== null) {
      this.#collected.problem('protocol', BEFORE_THINKING_ENDED, { at: this.#forgotten.at });
    }
    const { hiddenAt } = this.#thinking;
    if (hiddenAt !== null) this.#collected.problem('protocol', HIDDEN_IN_THINKING, { at: hiddenAt });
    return this.#collected.parsed();
  }

  #piece({ text, at, mayOpen }: Piece): number {
    if (this.#open !== null) this.#inside(this.#open, text, mayOpen);
    else this.#outside(text, at, mayOpen);
    return text.length;
  }

  #outside(text: string, at: number, mayOpen: boolean): void {
    const [, ticks, tag] = (mayOpen ? OPENING.exec(text) : null) ?? [];
    if (ticks === undefined || this.#thinking.isOpen) return this.#text(text, ticks === undefined ? null : at);
    this.#thinking.cut();
    this.#open = { tag: tag as Tag, ticks: ticks.length, at, body: [] };
    this.#envelopes += 1;
    if (this.#envelopes === 1) this.#first = this.#open;
    if (this.#envelopes === 2) this.#secondAt = at;
  }

  #text(text: string, hiddenAt: number | null): void {
    if (hiddenAt !== null) this.#thinking.hide(hiddenAt);
    this.#thinking.take(text);
    this.#collected.text(text);
  }

  /** An envelope before an end of thinking was a draft: another one may follow. */
  #forget(): void {
    this.#forgotten = this.#first ?? this.#forgotten;
    [this.#first, this.#envelopes] = [null, 0];
  }

  #inside(envelope: Envelope, text: string, mayClose: boolean): void {
    const ticks = (mayClose ? CLOSING.exec(text)?.[1]?.length : undefined) ?? 0;
    if (ticks >= envelope.ticks) this.#open = null;
    else if (envelope === this.#first) envelope.body.push(text);
  }

  #envelope({ tag, at, body }: Envelope): void {
    const text = body.join('');
    if (text.trim() === '') return this.#collected.problem('protocol', `the \`${tag}\` block is empty`, { at });
    const json = readJson(text);
    if ('problem' in json)
      return this.#collected.problem('protocol', `the body of \`${tag}\` is no JSON that is taken: ${json.problem}`, {
        at,
      });
    if (!isObject(json.value))
      return this.#collected.problem('protocol', `the body of \`${tag}\` must be a JSON object`, { at });
    this.#root(tag, json.value, at);
  }

  #root(tag: Tag, root: Members, at: number): void {
    for (const key of Object.keys(root).filter((name) => !ROOT[tag].includes(name)))
      this.#collected.problem('warning', `\`${tag}\` has no member ${quoted(key)}: it is not read`, { at });
    const { assistant_text, actions } = root;
    if (typeof assistant_text === 'string') this.#collected.text(assistant_text);
    else if (assistant_text !== undefined)
      this.#collected.problem('warning', '`assistant_text` must be a text: it is not read', { at });
    if (tag === 'yips-agent') this.#list('actions', actions, null, at);
    else for (const [name, kind] of LISTS) this.#list(name, root[name], kind, at);
  }

  #list(name: string, list: JsonValue | undefined, kind: Kind | null, at: number): void {
    if (list === undefined) return;
    if (!Array.isArray(list)) return this.#collected.problem('call', `\`${name}\` must be a list`, { at });
    (list as readonly JsonValue[]).forEach((action, index) => {
      this.#action(`/${name}/${index}`, action, kind, at);
    });
  }

  #action(pointer: string, action: JsonValue, kind: Kind | null, at: number): void {
    if (this.#collected.isFull) return;
    if (!isObject(action)) return this.#collected.problem('call', `\`${pointer}\` must be an object`, { at });
    const { id, type } = action;
    const about = {
      call_id: typeof id === 'string' ? idLike(id) : null,
      name: typeof action['name'] === 'string' ? action['name'] : null,
      at,
    };
    if (typeof id !== 'string' || id === '')
      return this.#collected.problem('call', `\`${pointer}\` has no \`id\`: it is dropped`, about);
    const is = kind ?? type;
    if (is !== 'tool' && is !== 'skill' && is !== 'subagent')
      return this.#collected.problem(
        'call',
        `\`${pointer}\` has no \`type\` that there is: \`tool\`, \`skill\`, \`subagent\``,
        about,
      );
    const unknown = Object.keys(action).find(
      (member) => !MEMBERS[is].includes(member) || (kind !== null && member === 'type'),
    );
    if (unknown !== undefined)
      return this.#collected.problem(
        'call',
        `\`${pointer}\` has no member ${quoted(unknown)}: ${MEMBERS[is].map((member) => `\`${member}\``).join(', ')}`,
        about,
      );
    this.#call(pointer, action, is, { id, name: is === 'subagent' ? 'subagent' : (about.name ?? ''), at });
  }

  #call(
    pointer: string,
    { name, arguments: args, task, max_rounds }: Members,
    kind: Kind,
    written: { id: string; name: string; at: number },
  ): void {
    const alias = kind === 'subagent' ? YIPS_SUBAGENT : NAMES[kind].get(typeof name === 'string' ? name : '');
    if (alias === undefined)
      return this.#collected.problem(
        'call',
        `\`${pointer}\` names no ${kind} that there is: ${[...NAMES[kind === 'skill' ? 'skill' : 'tool'].keys()].map((each) => `\`${each}\``).join(', ')}`,
        { call_id: idLike(written.id), name: written.name, at: written.at },
      );
    if (!this.#collected.claims(written)) return;
    this.#collected.call(
      written,
      resolve(alias, kind === 'subagent' ? { task, ...(max_rounds === undefined ? {} : { max_rounds }) } : args),
    );
  }
}
