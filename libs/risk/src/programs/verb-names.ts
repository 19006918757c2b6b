// SPDX-License-Identifier: Apache-2.0
import { parseOptions } from '../shell/options.ts';
import type { Invocation, Shell } from '../shell/shell.ts';
import { optionValues } from './table.ts';
import { READERS } from './rows/readers.ts';
import {
  PUBLISHING,
  DESTROYING,
  PACKAGE_MANAGERS,
  REMOVING,
  SCRIPT_RUNNERS,
  SHOWING,
  UNDOING,
  INSISTING,
} from './rows/words.ts';

/*
 * There are more programs than any table can list. For an unknown one, the name and the first words count: `acmectl
 * delete cluster` shows its effect. A new row can make this more precise.
 */

/** Words of a command line that may be verbs; later ones are names. */
const VERBS_WITHIN = 3;
const WORD = /^[a-z][a-z0-9]*(?:[-_:][a-z0-9]+)*$/i;

/** `--delete`, `--purge-all`, `--force-destroy`; not `--delete-branch`, which names an additional deletion. */
const FLAG = /^--(?:force-)?[a-z]+(?:-(?:all|everything|data|now))?$/;

/**
 * Notes a program, or a script of the project, whose name or first words mean that it destroys or publishes something.
 */
export function noteVerbName({ name, args }: Invocation, isKnown: boolean, shell: Shell): void {
  if (args.some(({ text }) => SHOWING.has(text.replace(/=.*/, '')))) return;
  const words = parseOptions(args, optionValues(name)).operands.map(({ text }) => text);
  const script = scriptOf(name, words);
  if (script !== undefined && !CHECKS.test(script))
    noteIf(hasVerb(script, DESTROYING) || hasVerb(script, PUBLISHING) || RESETS_DATA.test(script), name, script, shell);
  if (script !== undefined && !isWordOf(name, script)) return;
  if (isKnown || READERS.has(name) || PACKAGE_MANAGERS.has(name)) return;
  const stem = name.replace(/\.\w+$/, '');
  noteIf(WORD.test(stem) && (hasVerb(stem, DESTROYING) || hasVerb(stem, PUBLISHING)), name, name, shell);
  const verb = words
    .slice(0, VERBS_WITHIN)
    .find((word) => WORD.test(word) && [DESTROYING, REMOVING, PUBLISHING].some((verbs) => hasVerb(word, verbs)));
  const flag = args.find(({ text }) => FLAG.test(text) && hasVerb(text.slice(2), DESTROYING));
  noteIf(verb !== undefined || flag !== undefined, name, verb ?? flag?.text ?? '', shell);
  const insisted = words
    .slice(0, VERBS_WITHIN)
    .find((word, index) => WORD.test(word) && (hasVerb(word, UNDOING) || (index > 0 && word === 'clean')));
  noteIf(
    insisted !== undefined && args.some(({ text }) => INSISTING.has(text.replace(/=.*/, ''))),
    name,
    insisted ?? '',
    shell,
  );
}

/** Usual names of a project's scripts that empty its data. */
const RESETS_DATA =
  /(?:^|[:_-])(?:db|database|schema|data|prod|production)[:_-](?:reset|fresh|flush|clear|empty)(?:$|[:_-])/;

/** Scripts that only test something of their own. */
const CHECKS =
  /(?:^|[:_-])(?:dry|check|preview|plan|diff|help|list|status)(?:$|[:_-])|^(?:tests?|spec|unit|e2e|it|lint|check|typecheck|build|watch|docs?|storybook|gen(?:erate)?|codegen|format|fmt|bench|coverage)(?:$|[:_-])/;

/** Runners with words of their own in the position of a script's name. */
const isWordOf = (name: string, script: string): boolean => name === 'yarn' && !script.includes(':');

/** The script's name in the arguments of a runner. */
function scriptOf(name: string, [first, second]: readonly string[]): string | undefined {
  if (!Object.hasOwn(SCRIPT_RUNNERS, name)) return undefined;
  const before = SCRIPT_RUNNERS[name] ?? [];
  if (before.length === 0 || (first?.includes(':') && !first.includes('/'))) return first;
  return first !== undefined && before.includes(first) ? second : undefined;
}

/** A verb counts as the first or last part of a word: `db:drop`, `delete-stack`; not `pre-delete-check`. */
function hasVerb(word: string, verbs: ReadonlySet<string>): boolean {
  const parts = word
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_:]/);
  return verbs.has(parts[0] ?? '') || verbs.has(parts.at(-1) ?? '');
}

function noteIf(isSo: boolean, name: string, word: string, shell: Shell): void {
  if (isSo) shell.act('named_loss', name, word);
}
