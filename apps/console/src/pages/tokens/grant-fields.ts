// SPDX-License-Identifier: Apache-2.0
// What a token grants, as texts that people change. INVARIANT (nothing is guessed): a line that can't be read is a
// problem, and never left out.
import type { Budgets, Grant, NetGrant, PathGrant } from '@writ/client/web';
import { en } from '../../words/en.ts';

export const BUDGETS = ['calls', 'cpu_ms', 'wall_ms', 'disk_write_bytes', 'egress_bytes', 'llm_tokens'] as const;

/** The fields of a form. */
export interface GrantFields {
  readonly tools: string;
  readonly files: string;
  readonly hosts: string;
  readonly secrets: string;
  readonly resources: string;
  readonly profiles: string;
  readonly budgets: Readonly<Record<(typeof BUDGETS)[number], string>>;
  /** local time, as the field of a date has it; the time of the token itself where it is left */
  readonly until: string;
}

const RIGHTS = { r: [true, false], w: [false, true], rw: [true, true], denied: [false, false] } as const;

/** The fields that say what a grant says. */
export function fieldsOf(grant: Grant): GrantFields {
  const bound = (name: keyof Budgets): string => (grant.budgets[name] === undefined ? '' : String(grant.budgets[name]));
  return {
    tools: grant.tools.join('\n'),
    files: grant.fs.map(lineOfPath).join('\n'),
    hosts: grant.net.map(lineOfHost).join('\n'),
    secrets: grant.secrets.join('\n'),
    resources: (grant.resources ?? []).join('\n'),
    profiles: (grant.profiles ?? []).join('\n'),
    budgets: Object.fromEntries(BUDGETS.map((name) => [name, bound(name)])) as GrantFields['budgets'],
    until: localTimeOf(grant.expires_at),
  };
}

function lineOfPath({ path, read, write, denied }: PathGrant): string {
  const rights = denied === true ? 'denied' : `${read ? 'r' : ''}${write ? 'w' : ''}`;
  return `${rights} ${path === '' ? '.' : path}`;
}

const lineOfHost = ({ domain, methods, ports }: NetGrant): string =>
  [domain, methods.join(','), ...(ports === undefined ? [] : [ports.join(',')])].join(' ');

/** A moment as a field of date and time has it, in the time zone of the reader, to the minute. */
export function localTimeOf(at: number): string {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
}

/** Something that a field says and nobody can read. */
export class FieldProblem extends Error {
  override readonly name = 'FieldProblem';
}

/**
 * The grant that fields say, where `parent` has what they don't.
 * @throws FieldProblem
 */
export function grantOf(fields: GrantFields, parent: Grant): Grant {
  const words = en.tokens;
  const profiles = linesOf(fields.profiles);
  const resources = linesOf(fields.resources);
  return {
    tools: linesOf(fields.tools),
    fs: linesOf(fields.files).map((line, at) => parsed(pathOf(line), words.files, at)),
    net: linesOf(fields.hosts).map((line, at) => parsed(hostOf(line), words.hosts, at)),
    secrets: linesOf(fields.secrets),
    ...(profiles.length === 0 ? {} : { profiles }),
    ...(resources.length === 0 ? {} : { resources }),
    ...(parent.effects === undefined ? {} : { effects: parent.effects }),
    budgets: budgetsOf(fields.budgets),
    not_before: parent.not_before,
    expires_at: timeOf(fields.until, parent.expires_at),
  };
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function parsed<Value>(value: Value | null, field: string, at: number): Value {
  if (value === null) throw new FieldProblem(en.tokens.attenuate.badLine(field, at + 1));
  return value;
}

function pathOf(line: string): PathGrant | null {
  const [, name = '', path = ''] = /^(\S+)\s+(.+)$/u.exec(line) ?? [];
  if (!Object.hasOwn(RIGHTS, name)) return null;
  const [read, write] = RIGHTS[name as keyof typeof RIGHTS];
  return { path: path === '.' ? '' : path, read, write, ...(name === 'denied' ? { denied: true } : {}) };
}

function hostOf(line: string): NetGrant | null {
  const [domain = '', methods = '', ports, ...others] = line.split(/\s+/u);
  if (methods === '' || others.length > 0) return null;
  if (ports === undefined) return { domain, methods: methods.split(',') };
  return /^\d+(,\d+)*$/u.test(ports)
    ? { domain, methods: methods.split(','), ports: ports.split(',').map(Number) }
    : null;
}

function budgetsOf(given: GrantFields['budgets']): Budgets {
  const entries = BUDGETS.flatMap((name) => {
    const text = given[name].trim();
    if (text === '') return [];
    if (!/^\d{1,15}$/u.test(text))
      throw new FieldProblem(en.tokens.attenuate.badBudget(en.tokens.budgets[name] ?? name));
    return [[name, Number(text)] as const];
  });
  return Object.fromEntries(entries);
}

/** The field has minutes: left as it was, it means the very time of the parent. */
function timeOf(text: string, ofParent: number): number {
  if (text === localTimeOf(ofParent)) return ofParent;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new FieldProblem(en.tokens.attenuate.badTime);
  return at;
}
