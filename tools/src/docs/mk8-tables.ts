// SPDX-License-Identifier: Apache-2.0
// The parts of the mk8.shell reference that are generated from `libs/mk8-shell`.
import {
  arityOf,
  byGroup,
  commandOf,
  exampleOf,
  SCRIPT_LIMITS,
  SHIPPED_RULES,
  signatureOf,
  titleOf,
  VERBS,
} from '@writ/mk8-shell';
import { code, table } from './table.ts';

/** A table for each group, under its own heading. */
export function mk8VerbsTables(): string {
  return byGroup([...VERBS.values()])
    .map(
      ([group, verbs]) =>
        `### ${titleOf(group)}\n\n${table(
          ['verb', 'arguments', 'effect', 'what it says or does', 'example'],
          verbs.map((verb) => [
            code(signatureOf(verb)),
            arityOf(verb),
            verb.effect,
            verb.summary,
            code(JSON.stringify(exampleOf(verb).operations.at(-1))),
          ]),
        )}`,
    )
    .join('\n\n');
}

export const mk8TemplatesTable = (): string =>
  table(
    ['template', 'command', 'effect', 'what it does'],
    SHIPPED_RULES.templates.map((row) => [code(row.id), code(commandOf(row)), row.effect, row.summary]),
  );

export const mk8BlacklistTable = (): string =>
  table(
    ['entry', 'scope', 'kind', 'what it would do'],
    SHIPPED_RULES.blacklist.map(({ id, scope, kind, reason }) => [code(id), scope, kind, reason]),
  );

const LIMITS: Readonly<Record<keyof typeof SCRIPT_LIMITS, string>> = {
  operations: 'operations and cleanup, once expanded',
  captures: 'captures',
  nesting: 'ForEach, If and Include within each other',
  forEachItems: 'items of a ForEach',
  labelChars: 'characters of a label',
  templateKeys: 'values of a FileTemplate',
  patches: 'patches of a FilePatch',
  batchEntries: 'entries of a batch',
  retries: 'attempts beyond the first',
  argumentBytes: 'characters of an argument, filled in',
  scriptBytes: 'bytes of a script',
  depth: 'levels of its JSON',
  problems: 'problems that are told',
};
export const mk8LimitsTable = (): string =>
  table(
    ['of', 'at most'],
    Object.entries(LIMITS).map(([name, words]) => [words, String(SCRIPT_LIMITS[name as keyof typeof SCRIPT_LIMITS])]),
  );
