// SPDX-License-Identifier: Apache-2.0
import { BUDGET_DIMENSIONS, Grant, parseMessage, type FsRoot } from '@writ/contract';
import { Command } from 'commander';
import { usage } from '../cli-error.ts';
import type { CommonOptions, Context } from '../context.ts';
import { readJsonOption } from '../read-json.ts';

/** How a grant is written on the command line. What isn't said is taken from `base`. */
export interface GrantOptions extends CommonOptions {
  readonly grant?: string;
  readonly tool?: readonly string[];
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly budget?: readonly string[];
  readonly valid?: string;
}

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** Adds the options to a command. */
export const withGrantOptions = (command: Command): Command => command
  .option('--grant <json>', 'the whole grant: JSON, @FILE, or - for standard input')
  .option('--tool <id>', 'a tool or family (fs.*); may be repeated', collect)
  .option('--read <path>', 'a directory or file that may be read, . for all; may be repeated', collect)
  .option('--write <path>', 'the same to be written; may be repeated', collect)
  .option('--budget <dimension=n>', `a bound, for instance calls=100, of ${BUDGET_DIMENSIONS.join(', ')}; may be repeated`, collect)
  .option('--valid <time>', 'how long: 90s, 30m, 12h or 7d');

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** The server's clock may be behind this machine's. */
const SKEW_MS = 60_000;

function parsePeriod(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw usage(`\`--valid ${text}\` is no period: write 90s, 30m, 12h or 7d`);
  return Number(count) * (UNIT_MS[unit] as number);
}

function parseBudgets(texts: readonly string[]): Grant['budgets'] {
  return Object.fromEntries(texts.map((text) => {
    const [, name, count] = /^([a-z_]+)=(\d{1,15})$/.exec(text) ?? [];
    if (name === undefined || !(BUDGET_DIMENSIONS as readonly string[]).includes(name)) {
      throw usage(`\`--budget ${text}\` is no bound: write one of ${BUDGET_DIMENSIONS.join(', ')}, =, and a whole number`);
    }
    return [name, Number(count)];
  }));
}

/** The workspace itself is the empty path. */
const rootOf = (path: string): string => (path === '.' ? '' : path);

function rootsOf({ read = [], write = [] }: GrantOptions): FsRoot[] {
  const [reads, writes] = [read.map(rootOf), write.map(rootOf)];
  return [...new Set([...reads, ...writes])].map((path) => ({ path, read: reads.includes(path), write: writes.includes(path) }));
}

/**
 * The grant that the options describe.
 *
 * @param base what holds where an option is left out
 * @param now milliseconds since the epoch
 */
export async function grantOf(context: Context, options: GrantOptions, base: Grant, now: number): Promise<Grant> {
  if (options.grant !== undefined) return parseGrant(await readJsonOption(context, '--grant', options.grant));
  const saysRoots = options.read !== undefined || options.write !== undefined;
  return {
    ...base,
    ...(options.tool === undefined ? {} : { tools: [...options.tool] }),
    ...(saysRoots ? { fs: rootsOf(options) } : {}),
    ...(options.budget === undefined ? {} : { budgets: { ...base.budgets, ...parseBudgets(options.budget) } }),
    ...(options.valid === undefined ? {} : { expires_at: now + parsePeriod(options.valid) }),
  };
}

function parseGrant(value: unknown): Grant {
  try {
    return parseMessage(Grant, value);
  } catch (error) {
    throw usage(`\`--grant\`: ${(error as Error).message}`);
  }
}

/** A grant of nothing, for an hour. */
export const emptyGrant = (now: number): Grant =>
  ({ tools: [], fs: [], net: [], secrets: [], budgets: {}, not_before: now - SKEW_MS, expires_at: now + (UNIT_MS['h'] as number) });
