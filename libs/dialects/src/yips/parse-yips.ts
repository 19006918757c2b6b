// SPDX-License-Identifier: Apache-2.0
//
// Exactly one fenced envelope, `yips-agent` or `yips-tools`. Its actions run only once it is known to be the only one.
// An envelope that misses the form of its fence is a problem. In a longer fence it is an example, which is reported as
// such. A name of an envelope without a body is prose.
import type { JsonValue } from '@writ/digest';
import { resolve, type Alias, type Resolved } from '../aliases/alias.ts';
import { canonicalCall } from '../aliases/canonical.ts';
import { YIPS_SKILLS, YIPS_SUBAGENT, YIPS_TOOLS, yipsToolId } from '../aliases/yips.ts';
import { tenantSkill } from '../aliases/tenant-skill.ts';
import type { DialectParser, Parsed } from '../dialect.ts';
import { Collected } from '../text/parse-collector.ts';
import { LineReader, type Piece } from '../text/line-reader.ts';
import { isObject, readJson } from '../text/read-json.ts';
import { closesFence, readFence, type ExampleFence, type Fence } from '../text/fence.ts';
import { codeSpans, Prose, type Stretch } from '../text/prose.ts';
import { idLike, quoted } from '../text/truncate.ts';
import { HIDDEN_IN_THINKING, Thinking } from '../text/thinking.ts';

const ID = /^[A-Za-z0-9._:-]+$/;
const OPENING = /^\uFEFF?(`{3,})(yips-agent|yips-tools)[ \t]*\r?\n?$/;
const CLOSING = /^(`{3,})[ \t]*\r?\n?$/;
const BEFORE_THINKING_ENDED =
  'the envelope stands before the end of thinking, so nothing of it runs: write it after `</think>`';
/**
 * The opening of a fence with the name of an envelope, in any place and with any words behind it. A body follows, or it
 * is a line of its own.
 */
const STRAY = new RegExp(
  [
    '(?<![`~])(?:`{3,}|~{3,})[ \\t]{0,8}yips-(?:agent|tools)(?![\\w-])',
    '(?:(?:[ \\t]{1,64}[^\\s{`]{1,32}){0,8}[ \\t]{0,64}\\{\\s*["}]|[^\\n]{0,256}\\n\\s{0,4096}\\{|[ \\t]*\\r?(?:\\n|$))',
  ].join(''),
  'gi',
);
const STRAY_ENVELOPE =
  'the fence of an envelope must begin a line, with three backticks and `yips-agent` or `yips-tools` alone: nothing runs';
const IN_OPEN_FENCE = "a fence isn't closed, and an envelope stands in it: nothing runs. Close the fence before it";
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
  subagent: ['type', 'id', ...Object.keys(YIPS_SUBAGENT.parameters.properties)],
};

export class YipsParser implements DialectParser {
  readonly #collected = new Collected(ID, 'warning');
  readonly #thinking = new Thinking(() => {
    this.#discardEnvelope();
  });
  readonly #lines = new LineReader(['```', '~~~'], (piece) => this.#piece(piece));
  #open: Envelope | null = null;
  /** the first envelope; the others are only counted */
  #first: Envelope | null = null;
  #envelopes = 0;
  #secondAt = 0;
  /** the last envelope that turned out to be within thinking */
  #discarded: Envelope | null = null;
  /** an open fence that is longer than three backticks, or of tildes */
  #example: ExampleFence | null = null;
  readonly #prose = new Prose();

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
    else if (this.#discarded !== null) {
      this.#collected.problem('protocol', BEFORE_THINKING_ENDED, { at: this.#discarded.at });
    }
    if (this.#example !== null) this.#reportUnclosed(this.#example);
    for (const at of this.#prose.stretches().flatMap((stretch) => this.#straysIn(stretch)))
      this.#collected.problem('protocol', STRAY_ENVELOPE, { at });
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
    if (ticks === undefined || this.#thinking.isOpen || this.#isQuoted(ticks.length))
      return this.#text(text, at, { mayOpen, isEnvelope: ticks !== undefined });
    this.#thinking.resetCarried();
    this.#open = { tag: tag as Tag, ticks: ticks.length, at, body: [] };
    this.#envelopes += 1;
    if (this.#envelopes === 1) this.#first = this.#open;
    if (this.#envelopes === 2) this.#secondAt = at;
  }

  #isQuoted(ticks: number): boolean {
    const open = this.#example?.fence;
    return open !== undefined && (open.mark === '~' || open.count > ticks);
  }

  #text(text: string, at: number, { mayOpen, isEnvelope }: { mayOpen: boolean; isEnvelope: boolean }): void {
    if (isEnvelope) {
      this.#thinking.recordHidden(at);
      if (this.#example !== null) this.#example.callAt ??= at;
    }
    this.#thinking.push(text, at);
    this.#collected.text(text);
    const fence = mayOpen && !this.#thinking.isOpen ? readFence(text) : null;
    if (this.#example !== null) this.#inExample(this.#example, { text, at }, fence);
    else if (fence !== null && (fence.mark === '~' || fence.count > 3) && !fence.language.startsWith('yips-'))
      this.#example = { fence, callAt: null, prose: new Prose() };
    else this.#prose.add(text, at);
  }

  /** What a fence shows is an example only once the fence is closed. */
  #reportUnclosed({ callAt, prose }: ExampleFence): void {
    const [first] = prose.stretches().flatMap((stretch) => this.#straysIn(stretch));
    const at = Math.min(callAt ?? Infinity, first ?? Infinity);
    if (at !== Infinity) this.#collected.problem('protocol', IN_OPEN_FENCE, { at });
  }

  #inExample({ fence: open, callAt, prose }: ExampleFence, { text, at }: Stretch, fence: Fence | null): void {
    if (fence === null || !closesFence(fence, open)) return prose.add(text, at);
    this.#example = null;
    if (callAt !== null)
      this.#collected.problem('warning', 'an envelope in a longer fence is an example: it was not run', { at: callAt });
  }

  /** The positions of envelopes that miss the form of their fence, except in thinking and inline code. */
  #straysIn({ text, at: begin }: Stretch): number[] {
    const isCode = codeSpans(text);
    const positions = [...text.matchAll(STRAY)].filter(({ index }) => !isCode(index)).map(({ index }) => begin + index);
    const hidden = positions.find((at) => this.#thinking.covers(at));
    if (hidden !== undefined && this.#thinking.isOpen) this.#thinking.recordHidden(hidden);
    return positions.filter((at) => !this.#thinking.covers(at));
  }

  /** An envelope before an end of thinking was a draft, so another one may follow. */
  #discardEnvelope(): void {
    this.#discarded = this.#first ?? this.#discarded;
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

  #call(pointer: string, action: Members, kind: Kind, written: { id: string; name: string; at: number }): void {
    const means = meaningOf(action, kind, written.name);
    if (means === null)
      return this.#collected.problem(
        'call',
        `\`${pointer}\` names no ${kind} that there is: ${[...NAMES[kind === 'skill' ? 'skill' : 'tool'].keys()].map((each) => `\`${each}\``).join(', ')}`,
        { call_id: idLike(written.id), name: written.name, at: written.at },
      );
    if (!this.#collected.claimId(written)) return;
    this.#collected.call(written, means);
  }
}

/**
 * What an action means; null for a name that stands for nothing. A tool may also be named by its id, and a skill that
 * is not of the dialect is one of the tenant's. A name of the other kind is neither.
 */
function meaningOf({ type: _type, id: _id, ...action }: Members, kind: Kind, name: string): Resolved | null {
  if (kind === 'subagent') return resolve(YIPS_SUBAGENT, action);
  const { arguments: args } = action;
  const alias = NAMES[kind].get(name);
  if (alias !== undefined) return resolve(alias, args);
  if (NAMES[kind === 'tool' ? 'skill' : 'tool'].has(name)) return null;
  if (kind === 'skill') return tenantSkill(name, args ?? {});
  const id = yipsToolId(name);
  return id === null ? null : canonicalCall(id, args ?? {});
}
