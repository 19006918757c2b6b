// SPDX-License-Identifier: Apache-2.0
import type { ResourceKind } from '@writ/contract';
import type { Command } from 'commander';
import { usage } from '../cli-error.ts';
import type { CommonOptions, Context } from '../context.ts';
import { readJsonOption } from '../read-json.ts';

export interface SettingsOptions extends CommonOptions {
  readonly settings?: string;
  readonly at?: string;
  readonly secret?: string;
  readonly label?: string;
  readonly workspace?: string;
}

/** The options that make settings of a kind: what a person mostly sets. */
const OPTIONS_OF: Readonly<Partial<Record<ResourceKind, readonly (keyof SettingsOptions)[]>>> = {
  calendar: ['at', 'secret'],
  container: ['workspace'],
  info_store: ['label'],
  search_engine: ['at'],
  website: ['at'],
};
const SHORT = ['at', 'secret', 'label', 'workspace'] as const;

/** Adds the options to a command. `--url` is the address of the API, so a resource's own is `--at`. */
export const withSettingsOptions = (command: Command): Command =>
  command
    .option('--settings <json>', 'the whole settings: JSON, @FILE, or - for standard input')
    .option(
      '--at <url>',
      'the URL of a search engine (a SearXNG, without /search), a website, or a calendar (iCalendar)',
    )
    .option('--secret <name>', "the tenant's secret that the calendar needs")
    .option('--label <label>', 'untrusted_content or private_data: what the contents of a local information store are')
    .option('--workspace <id>', 'the workspace of a container; by default that of each call');

/** The settings that the options describe. */
export async function settingsOf(context: Context, kind: ResourceKind, options: SettingsOptions): Promise<object> {
  const given = SHORT.filter((name) => options[name] !== undefined);
  if (options.settings !== undefined) {
    if (given.length > 0) throw usage(`\`--settings\` has all settings: leave \`--${given[0] ?? ''}\` out`);
    const settings = await readJsonOption(context, '--settings', options.settings);
    if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
      throw usage('`--settings` is no JSON object');
    return settings;
  }
  const own = OPTIONS_OF[kind];
  if (own === undefined) throw usage(`settings of the kind \`${kind}\` are given with \`--settings\``);
  const other = given.find((name) => !own.includes(name));
  if (other !== undefined) throw usage(`\`--${other}\` is no option of the kind \`${kind}\``);
  return shortSettings(kind, options);
}

function shortSettings(kind: ResourceKind, { at, secret, label, workspace }: SettingsOptions): object {
  if (kind === 'container') return { workspace_id: workspace ?? null };
  if (kind === 'info_store') {
    if (label === undefined) throw usage('an information store needs `--label`, or `--settings`');
    return { backend: { kind: 'local' }, label };
  }
  if (at === undefined) throw usage(`the kind \`${kind}\` needs \`--at URL\`, or \`--settings\``);
  if (kind === 'website') return { url: at };
  if (kind === 'search_engine') return { kind: 'searxng', url: at };
  return { kind: 'ics', url: at, ...(secret === undefined ? {} : { secret }) };
}
