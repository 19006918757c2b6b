// SPDX-License-Identifier: Apache-2.0
import type { Command, Option } from 'commander';
import type { CommonOptions, Context } from '../context.ts';
import { readContexts } from '../contexts/contexts-file.ts';
import { connect } from '../http/connection.ts';
import { isThing, THINGS, thingsIn, type Thing } from '../http/known-things.ts';

/** A word that may come next. */
export interface Candidate {
  readonly word: string;
  readonly about: string;
}

/** A person waits for it at the prompt. */
export const LISTING_MS = 300;
const LISTED_MAX = 100;
const ABOUT_CHARS_MAX = 60;
/** A shell inserts a candidate as it is: a hostile server must not put a command there. */
const SAFE = /^[A-Za-z0-9][A-Za-z0-9._/:@+-]*$/;

/** Arguments and options that are called otherwise than the thing that they name. */
const CALLED: Readonly<Record<string, Thing>> = { 'if-active': 'policy', parent: 'token', device: 'resource' };

export interface CompletionContext extends Context {
  /** milliseconds to wait for a list of the server */
  readonly listingMs: number;
}

interface Asked extends CompletionContext {
  readonly common: CommonOptions;
}

/** What the words of a command line lead to. */
interface Place {
  readonly command: Command;
  /** how many arguments stand before the last word */
  readonly position: number;
  /** the option whose value the last word is */
  readonly option: Option | null;
  /** the options before it that say which server and key are meant */
  readonly common: CommonOptions;
}

/** Options of every command that select a server or a key, by their members of `CommonOptions`. */
const SELECTING: Readonly<Record<string, keyof CommonOptions>> = {
  '--context': 'context',
  '--url': 'url',
  '--api-key': 'apiKey',
  '--as': 'as',
};

/**
 * The candidates for the last word of a command line, which begins after `writ`. Whatever fails, there are fewer
 * candidates: a prompt is no place for errors.
 */
export async function candidatesFor(
  root: Command,
  words: readonly string[],
  context: CompletionContext,
): Promise<Candidate[]> {
  const last = words.at(-1) ?? '';
  const { command, position, option, common } = placeOf(root, words.slice(0, -1));
  const asked = { ...context, common };
  const all =
    option === null
      ? last.startsWith('-')
        ? optionsOf(command)
        : await operandsOf(command, position, asked)
      : await valuesOf(option.argChoices, option.long?.slice(2) ?? '', asked);
  return all.filter(({ word }) => word.startsWith(last));
}

function placeOf(root: Command, words: readonly string[]): Place {
  let place: Place = { command: root, position: 0, option: null, common: {} };
  for (const word of words) {
    const { command, position, option, common } = place;
    // Bash makes three words of `--context=work`.
    if (option !== null && word === '=') continue;
    if (option !== null) place = { command, position, option: null, common: { ...common, ...selected(option, word) } };
    else if (word.startsWith('-')) place = { ...place, ...optionIn(place, word) };
    else {
      const below = command.commands.find((each) => [each.name(), ...each.aliases()].includes(word));
      place =
        below === undefined || position > 0
          ? { command, position: position + 1, option: null, common }
          : { command: below, position: 0, option: null, common };
    }
  }
  return place;
}

const selected = ({ long }: Option, value: string): Partial<CommonOptions> => {
  const member = SELECTING[long ?? ''];
  return member === undefined ? {} : { [member]: value };
};

/** An option whose value is the next word, or stands in the same one. */
function optionIn({ command, common }: Place, word: string): Pick<Place, 'option' | 'common'> {
  const [name = '', ...value] = word.split('=');
  const option = optionWithValue(command, name);
  if (option === null || value.length === 0) return { option, common };
  return { option: null, common: { ...common, ...selected(option, value.join('=')) } };
}

function allOptions(command: Command): readonly Option[] {
  return command.parent === null ? command.options : [...command.options, ...allOptions(command.parent)];
}

const optionWithValue = (command: Command, word: string): Option | null =>
  allOptions(command).find((each) => (each.long === word || each.short === word) && (each.required || each.optional)) ??
  null;

const optionsOf = (command: Command): Candidate[] => [
  ...allOptions(command)
    .filter(({ hidden, long }) => !hidden && typeof long === 'string')
    .map(({ long, description }) => ({ word: long ?? '', about: description })),
  { word: '--help', about: 'display help for command' },
];

async function operandsOf(command: Command, position: number, context: Asked): Promise<Candidate[]> {
  const below = command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ word: each.name(), about: each.summary() || each.description() }));
  if (position === 0 && below.length > 0) return below;
  const args = command.registeredArguments;
  const argument = args[position] ?? (args.at(-1)?.variadic === true ? args.at(-1) : undefined);
  if (argument === undefined) return [];
  // `<name>` is the name of what the noun is about, unless it is a new one.
  const isOfNoun = argument.name() === 'name' && command.name() !== 'create';
  const noun = command.parent?.name() ?? '';
  return await valuesOf(argument.argChoices, isOfNoun ? noun : argument.name(), context);
}

async function valuesOf(choices: readonly string[] | undefined, name: string, context: Asked): Promise<Candidate[]> {
  if (choices !== undefined) return choices.map((word) => ({ word, about: '' }));
  if (name === 'context') return contextNames(context);
  const thing = Object.hasOwn(CALLED, name) ? CALLED[name] : isThing(name) ? name : undefined;
  return thing === undefined ? [] : await listed(thing, context);
}

function contextNames({ env }: Context): Candidate[] {
  try {
    return Object.entries(readContexts(env).contexts).map(([word, { url }]) => ({ word, about: url }));
  } catch {
    return [];
  }
}

/** INVARIANT (one source): ids come from the server that the finished command would talk to, with the same key. */
async function listed(thing: Thing, context: Asked): Promise<Candidate[]> {
  const { path, holder } = THINGS[thing];
  try {
    const { client } = connect(context, context.common, holder);
    const answer = await client.request(`${path}?limit=${LISTED_MAX}`, { timeoutMs: context.listingMs });
    return thingsIn(thing, await answer.json())
      .filter(({ id }) => SAFE.test(id))
      .map(({ id, label }) => ({ word: id, about: (label ?? '').slice(0, ABOUT_CHARS_MAX) }));
  } catch {
    return [];
  }
}
