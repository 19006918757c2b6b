// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The class of a command: developers type it daily, or it is destructive and must never run unapproved. */
export type Nature = 'harmless' | 'destructive';
/** Rules were written with `seen` only; `unseen` was not looked at until the rules had been measured on it. */
export type Half = 'seen' | 'unseen';

export interface CorpusCommand {
  readonly nature: Nature;
  readonly half: Half;
  /** the file and the group in it, for messages */
  readonly group: string;
  readonly command: string;
}

interface Group {
  readonly title: string;
  /** the half of all its commands; a hash decides where it is absent */
  readonly half?: Half;
  /** one command a line */
  readonly commands?: string;
  /** commands of several lines */
  readonly scripts?: readonly string[];
}

const ROOT = new URL('../commands/', import.meta.url);

/** Every command of the files, in their order, each once. */
export function readCorpus(): readonly CorpusCommand[] {
  const all = (['harmless', 'destructive'] as const).flatMap((nature) => {
    const folder = new URL(`${nature}/`, ROOT);
    return readdirSync(folder)
      .sort()
      .flatMap((file) => commandsOf(nature, file, parse(readFileSync(new URL(file, folder), 'utf8')) as Group[]));
  });
  // A command that is `seen` in one file is `seen` in all.
  const known = new Set(all.filter(({ half }) => half === 'seen').map(({ command }) => command));
  return [
    ...new Map(
      all.map((one) => [one.command, known.has(one.command) ? { ...one, half: 'seen' as const } : one]),
    ).values(),
  ];
}

function commandsOf(nature: Nature, file: string, groups: readonly Group[]): CorpusCommand[] {
  return groups.flatMap(({ title, half, commands = '', scripts = [] }) =>
    [...commands.split('\n').filter((line) => line !== ''), ...scripts].map((command) => ({
      nature,
      half: half ?? halfOf(command),
      group: `${file}: ${title}`,
      command,
    })),
  );
}

/** A hash decides, so that nobody picks the easy half. */
const halfOf = (command: string): Half =>
  (createHash('sha256').update(command).digest()[0] ?? 0) % 2 === 0 ? 'seen' : 'unseen';
