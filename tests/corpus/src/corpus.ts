// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** What is said of a command: developers type it daily, or it destroys and must never run unseen. */
export type Nature = 'harmless' | 'destructive';
/** Rules were made with an eye on `seen` alone; `unseen` was kept from sight until they had been measured on it. */
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
  /** the half that all of them belong to; a hash decides where it isn't said */
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
  // What was seen anywhere was seen.
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

/** A hash decides, so that nobody chooses what is easy. */
const halfOf = (command: string): Half =>
  (createHash('sha256').update(command).digest()[0] ?? 0) % 2 === 0 ? 'seen' : 'unseen';
