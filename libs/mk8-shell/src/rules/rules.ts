// SPDX-License-Identifier: Apache-2.0
import { schemaProblems } from '@writ/contract';
import { RE2JS } from 're2js';
import { Value } from 'typebox/value';
import { problemAt, type Problem } from '../problem.ts';
import { BLACKLIST } from './data/blacklist.ts';
import { TEMPLATES } from './data/templates.ts';
import { ENVIRONMENT, WORDS, WRITE_BLOCKED } from './data/words.ts';
import { folded, holdsOne, neededLiterals } from './literals.ts';
import { RuleSet, type BlacklistEntry, type CommandTemplate } from './schema.ts';

/** The shipped rules. No URL is permitted unless a sandbox adds one. */
export const SHIPPED_RULES: RuleSet = {
  blacklist: [...BLACKLIST],
  templates: [...TEMPLATES],
  words: [...WORDS],
  write_blocked: WRITE_BLOCKED,
  environment: ENVIRONMENT,
  urls: [],
};

interface Pattern {
  readonly entry: BlacklistEntry;
  /** Literals of a text that could match; null where none can be derived. */
  readonly literals: readonly string[] | null;
  readonly matches: (text: string) => boolean;
}

/** Rules of a sandbox, prepared for evaluation. */
export interface Rules {
  readonly set: RuleSet;
  readonly patterns: readonly Pattern[];
  readonly templates: ReadonlyMap<string, readonly CommandTemplate[]>;
  readonly words: ReadonlyMap<string, readonly string[]>;
  readonly blockedNames: ReadonlySet<string>;
  readonly blockedExtensions: ReadonlySet<string>;
  readonly urls: ReadonlySet<string>;
}

/** Rules that are invalid. A sandbox with such rules runs nothing. */
export class RulesError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ pointer, message }) => `${pointer || '/'}: ${message}`).join('; '));
    this.name = 'RulesError';
    this.problems = problems;
  }
}

/**
 * The shipped rules and the additions of a sandbox.
 * INVARIANT (additive): no shipped rule is removed or replaced. A template or list with an existing name is refused,
 * and an environment's `blocked` overrides every `allowed`. `enabled`: the templates that ProcRun may use, null for
 * all.
 * @throws RulesError
 */
export function rulesOf(added: unknown = {}, enabled: readonly string[] | null = null): Rules {
  if (enabled === null && isEmpty(added)) return (shippedAlone ??= compiled(SHIPPED_RULES));
  const more = {
    blacklist: [],
    templates: [],
    words: [],
    write_blocked: { names: [], extensions: [] },
    environment: { allowed: [], blocked: [] },
    urls: [],
    ...(added as object),
  };
  if (!Value.Check(RuleSet, more))
    throw new RulesError(schemaProblems(RuleSet, more).map(({ pointer, message }) => problemAt(pointer, message)));
  const shipped = SHIPPED_RULES;
  const templates = [...shipped.templates, ...more.templates];
  const problems = [...takenNames(more), ...badPatterns(more), ...unknownTemplates(enabled ?? [], templates)];
  if (problems.length > 0) throw new RulesError(problems);
  return compiled({
    blacklist: [...shipped.blacklist, ...more.blacklist],
    templates: enabled === null ? templates : templates.filter(({ id }) => enabled.includes(id)),
    words: [...shipped.words, ...more.words],
    urls: [...shipped.urls, ...more.urls],
    write_blocked: {
      names: [...shipped.write_blocked.names, ...more.write_blocked.names],
      extensions: [...shipped.write_blocked.extensions, ...more.write_blocked.extensions],
    },
    environment: {
      allowed: [...shipped.environment.allowed, ...more.environment.allowed],
      blocked: [...shipped.environment.blocked, ...more.environment.blocked],
    },
  });
}

/** The rules of most sandboxes. Rules are immutable. */
let shippedAlone: Rules | undefined;
const isEmpty = (added: unknown): boolean =>
  typeof added === 'object' && added !== null && Object.keys(added).length === 0;

/**
 * Programs that run or download arbitrary code: no sandbox may add a template for one. Templates for their versions are
 * shipped.
 */
const UNSAFE_BINARY =
  /^(?:(?:ba|z|k|da|c|tc|fi)?sh|busybox|pwsh|powershell|cmd|python[0-9.]*|pypy[0-9.]*|node|nodejs|deno|bun|npx|ruby|perl|php|lua[0-9.]*|tclsh|java|go|cargo|curl|wget|nc|ncat|netcat|socat|telnet|ssh|scp|sftp|rsync|ftp|env|xargs|find|awk|gawk|sed|sudo|su|doas|eval|exec|make|docker|podman|kubectl|gdb|vim?|ed|emacs|nohup|timeout|nice|setsid|strace|ltrace|script|expect|osascript|wscript|cscript|mshta|rundll32|regsvr32)$/;

/** Answers whether ProcRun may start a program only to print its version. */
export const isUnsafeBinary = (binary: string): boolean =>
  UNSAFE_BINARY.test(binary.toLowerCase().replace(/\.exe$/, ''));

function takenNames({ templates, words }: RuleSet): Problem[] {
  const ids = new Set(SHIPPED_RULES.templates.map(({ id }) => id));
  const lists = new Set(SHIPPED_RULES.words.map(({ name }) => name));
  const known = new Set([...lists, ...words.map(({ name }) => name)]);
  return [
    ...templates.flatMap(({ id, binary, parts }, n) => [
      ...(ids.size === ids.add(id).size
        ? [problemAt(`/templates/${n}/id`, `there is a template \`${id}\` already`)]
        : []),
      ...(isUnsafeBinary(binary) || binary === 'git'
        ? [problemAt(`/templates/${n}/binary`, `\`${binary}\` can't be given more than the shipped templates give it`)]
        : []),
      ...parts.flatMap((part, at) =>
        typeof part !== 'string' && 'list' in part && !known.has(part.list)
          ? [problemAt(`/templates/${n}/parts/${at}/list`, `there is no list \`${part.list}\``)]
          : [],
      ),
    ]),
    ...words.flatMap(({ name }, n) =>
      lists.size === lists.add(name).size ? [problemAt(`/words/${n}/name`, `there is a list \`${name}\` already`)] : [],
    ),
  ];
}

function unknownTemplates(enabled: readonly string[], templates: readonly CommandTemplate[]): Problem[] {
  const known = new Set(templates.map(({ id }) => id));
  return enabled.flatMap((id, n) =>
    known.has(id) ? [] : [problemAt(`/enabled_templates/${n}`, `there is no template \`${id}\``)],
  );
}

function badPatterns({ blacklist }: RuleSet): Problem[] {
  return blacklist.flatMap((entry, n) => {
    try {
      RE2JS.compile(expressionOf(entry));
      return [];
    } catch {
      return [problemAt(`/blacklist/${n}/pattern`, 'is no regular expression of RE2')];
    }
  });
}

/** An entry as an expression of RE2. */
function expressionOf({ kind, pattern }: BlacklistEntry): string {
  if (kind === 'regex') return pattern;
  return kind === 'word' ? `\\b${RE2JS.quote(pattern)}\\b` : RE2JS.quote(pattern);
}

function compiled(set: RuleSet): Rules {
  const group = <Row>(rows: readonly Row[], key: (row: Row) => string): Map<string, Row[]> => {
    const groups = new Map<string, Row[]>();
    for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row]);
    return groups;
  };
  return {
    set,
    patterns: [...SHIPPED_PATTERNS, ...set.blacklist.slice(SHIPPED_PATTERNS.length).map(patternOf)],
    templates: group(set.templates, ({ binary }) => binary),
    words: new Map(set.words.map(({ name, words }) => [name, words])),
    blockedNames: new Set(set.write_blocked.names.map((name) => name.toLowerCase())),
    blockedExtensions: new Set(set.write_blocked.extensions),
    urls: new Set(set.urls),
  };
}

function patternOf(entry: BlacklistEntry): Pattern {
  if (entry.kind === 'substring') return { entry, literals: [folded(entry.pattern)], matches: () => true };
  // Compiled when a text first contains one of its literals. Most never are, and compiling all takes longer than most
  // scripts.
  let expression: RE2JS | undefined;
  const matches = (text: string): boolean =>
    (expression ??= RE2JS.compile(expressionOf(entry), RE2JS.CASE_INSENSITIVE | RE2JS.MULTILINE)).matcher(text).find();
  return { entry, literals: entry.kind === 'word' ? [folded(entry.pattern)] : neededLiterals(entry.pattern), matches };
}

/** The shipped patterns, which all sandboxes share and only add to. */
const SHIPPED_PATTERNS: readonly Pattern[] = SHIPPED_RULES.blacklist.map(patternOf);

/** The first entry of the blacklist that matches a text, or null. */
export function blacklisted({ patterns }: Rules, text: string, scope: BlacklistEntry['scope']): BlacklistEntry | null {
  const lower = folded(text);
  return (
    patterns.find(
      ({ entry, literals, matches }) =>
        (scope === 'process' || entry.scope === 'everywhere') &&
        (literals === null || holdsOne(lower, literals)) &&
        matches(text),
    )?.entry ?? null
  );
}

/**
 * Answers whether a variable may be read, by its name: signed ones and those of the list, never one that looks like a
 * secret.
 */
export function isReadableVariable({ set: { environment } }: Rules, name: string, isSigned: boolean): boolean {
  const upper = name.toUpperCase();
  return !environment.blocked.some((word) => upper.includes(word)) && (isSigned || environment.allowed.includes(upper));
}
