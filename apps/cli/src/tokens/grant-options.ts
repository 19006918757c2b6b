// SPDX-License-Identifier: Apache-2.0
import { BUDGET_DIMENSIONS, Grant, parseMessage, TOKEN_LISTED_KINDS, type FsRoot } from '@writ/contract';
import { Command } from 'commander';
import { usage } from '../cli-error.ts';
import type { CommonOptions, Context } from '../context.ts';
import { parseNet } from '../parse-net.ts';
import { HOUR_MS, parsePeriod } from '../period.ts';
import { readJsonOption } from '../read-json.ts';

/** The options of a grant. Those that are left out come from `base`. */
export interface GrantOptions extends CommonOptions {
  readonly grant?: string;
  readonly tool?: readonly string[];
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly deny?: readonly string[];
  readonly net?: readonly string[];
  readonly secret?: readonly string[];
  readonly profile?: readonly string[];
  readonly resource?: readonly string[];
  readonly effect?: readonly string[];
  readonly budget?: readonly string[];
  readonly from?: string;
  readonly until?: string;
  readonly valid?: string;
}

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** Adds the options to a command. */
export const withGrantOptions = (command: Command): Command =>
  command
    .option('--grant <json>', 'the whole grant: JSON, @FILE, or - for standard input')
    .option('--tool <id>', 'a tool, a family (fs.*) or * for all; may be repeated', collect)
    .option(
      '--read <path>',
      'a directory or file that may be read, with all below it; . for everything; may be repeated',
      collect,
    )
    .option('--write <path>', "the same for writing, which doesn't include reading; may be repeated", collect)
    .option(
      '--deny <path>',
      'a directory or file that is denied, with all below it, despite --read and --write; may be repeated',
      collect,
    )
    .option(
      '--net <domain[:ports]=methods>',
      'a host, or *.DOMAIN for all below it, with the allowed methods, and ports if others than 80 and 443: api.example.org=GET,POST or mail.example.org:993=TLS; may be repeated',
      collect,
    )
    .option('--secret <name>', 'a secret that calls may use; may be repeated', collect)
    .option('--profile <name>', 'an execution profile that raw commands may run under; may be repeated', collect)
    .option(
      '--resource <kind:name>',
      `a resource that calls may use: info_store:handbook, or info_store:* for all of the kind; needed for ${TOKEN_LISTED_KINDS.join(', ')}; may be repeated`,
      collect,
    )
    .option(
      '--effect <rule>',
      'a rule on effects whose findings need no approval under the token, such as effect.lost_many; may be repeated',
      collect,
    )
    .option(
      '--budget <dimension=n>',
      `a bound, for instance calls=100, of ${BUDGET_DIMENSIONS.join(', ')}; may be repeated`,
      collect,
    )
    .option('--from <time>', 'the start of validity: 2030-01-31T08:00:00Z; now by default')
    .option('--until <time>', 'the end of validity, in the same form')
    .option('--valid <period>', 'the period of validity, instead of --until: 90s, 30m, 12h or 7d');

/** The server's clock may be behind this machine's. */
const SKEW_MS = 60_000;

/** The time zone is required: a grant must not depend on a local time. */
const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?(Z|[+-]\d\d:\d\d)$/;

function parseMoment(option: string, text: string): number {
  const moment = MOMENT.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(moment)) throw usage(`\`${option} ${text}\` is no time: write 2030-01-31T08:00:00Z`);
  return moment;
}

function parseBudgets(texts: readonly string[]): Grant['budgets'] {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, count] = /^([a-z_]+)=(\d{1,15})$/.exec(text) ?? [];
      if (name === undefined || !(BUDGET_DIMENSIONS as readonly string[]).includes(name)) {
        throw usage(
          `\`--budget ${text}\` is no bound: write one of ${BUDGET_DIMENSIONS.join(', ')}, =, and a whole number`,
        );
      }
      return [name, Number(count)];
    }),
  );
}

/** The empty path is the workspace itself. */
const rootOf = (path: string): string => (path === '.' ? '' : path);

function rootsOf({ read = [], write = [], deny = [] }: GrantOptions, base: readonly FsRoot[]): FsRoot[] {
  const [reads, writes] = [read.map(rootOf), write.map(rootOf)];
  const granted =
    read.length + write.length === 0
      ? base
      : [...new Set([...reads, ...writes])].map((path): FsRoot => ({
          path,
          read: reads.includes(path),
          write: writes.includes(path),
        }));
  return [...granted, ...deny.map((path): FsRoot => ({ path: rootOf(path), read: false, write: false, denied: true }))];
}

function timesOf({ from, until, valid }: GrantOptions, now: number): Partial<Pick<Grant, 'not_before' | 'expires_at'>> {
  if (until !== undefined && valid !== undefined)
    throw usage('`--until` and `--valid` both say when it ends: leave one out');
  const begin = from === undefined ? undefined : parseMoment('--from', from);
  const end = until === undefined ? undefined : parseMoment('--until', until);
  return {
    ...(begin === undefined ? {} : { not_before: begin }),
    ...(end === undefined ? {} : { expires_at: end }),
    ...(valid === undefined ? {} : { expires_at: (begin ?? now) + parsePeriod('--valid', valid) }),
  };
}

/**
 * Makes the grant that the options describe.
 *
 * @param base the values of options that are left out
 * @param now milliseconds since the epoch
 */
export async function grantOf(context: Context, options: GrantOptions, base: Grant, now: number): Promise<Grant> {
  if (options.grant !== undefined)
    return parseGrant('`--grant`', await readJsonOption(context, '--grant', options.grant));
  const { tool, read, write, deny, net, secret, profile, resource, effect, budget } = options;
  return parseGrant('the grant', {
    ...base,
    ...(tool === undefined ? {} : { tools: [...tool] }),
    ...(read === undefined && write === undefined && deny === undefined ? {} : { fs: rootsOf(options, base.fs) }),
    ...(net === undefined ? {} : { net: net.map(parseNet) }),
    ...(secret === undefined ? {} : { secrets: [...secret] }),
    ...(profile === undefined ? {} : { profiles: [...profile] }),
    ...(resource === undefined ? {} : { resources: [...resource] }),
    ...(effect === undefined ? {} : { effects: effect as NonNullable<Grant['effects']> }),
    ...(budget === undefined ? {} : { budgets: { ...base.budgets, ...parseBudgets(budget) } }),
    ...timesOf(options, now),
  });
}

function parseGrant(what: string, value: unknown): Grant {
  try {
    return parseMessage(Grant, value);
  } catch (error) {
    throw usage(`${what}: ${(error as Error).message}`);
  }
}

/** A grant of nothing, for an hour. */
export const emptyGrant = (now: number): Grant => ({
  tools: [],
  fs: [],
  net: [],
  secrets: [],
  budgets: {},
  not_before: now - SKEW_MS,
  expires_at: now + HOUR_MS,
});
