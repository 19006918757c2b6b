// SPDX-License-Identifier: Apache-2.0
import { PREDICATE_KINDS } from '../script/schema.ts';
import { SCRIPT_LIMITS } from '../limits.ts';
import { describeArgument } from './arguments.ts';
import { arityOf, VERB_GROUPS, type VerbGroup, type VerbRow } from './verb.ts';

/** The signature of a verb: `?` after an optional argument, `…` after a repeated one. */
export function signatureOf({ name, args, max, pairs }: VerbRow): string {
  const words = args.map((argument) => `${argument.name}${argument.optional ? '?' : ''}`);
  return `${name} [${words.join(', ')}${pairs || max > args.length ? ', …' : ''}]`;
}

const TITLES: Readonly<Record<VerbGroup, string>> = {
  files: 'Files',
  inspection: 'Looking into files',
  edits: 'Structured edits',
  batch: 'Many files at once',
  directories: 'Directories',
  process: 'Processes',
  http: 'HTTP',
  text: 'Text',
  json: 'JSON',
  environment: 'Environment',
  system: 'The machine',
  network: 'Network',
  paths: 'Paths as texts',
  identity: 'New values',
  time: 'Time',
  versions: 'Versions',
  encoding: 'Encoding',
  formatting: 'Formatting',
  archives: 'Archives',
  math: 'Math',
  clipboard: 'Clipboard',
  urls: 'URLs',
  control: 'Script control',
  flow: 'Control flow',
  composition: 'Composition',
  introspection: 'What the sandbox says of itself',
};
export const titleOf = (group: VerbGroup): string => TITLES[group];

/** Verbs of each group, in the order of the groups. */
export function byGroup<Row extends VerbRow>(verbs: readonly Row[]): (readonly [VerbGroup, readonly Row[]])[] {
  return VERB_GROUPS.map((group) => [group, verbs.filter((one) => one.group === group)]);
}

/** The example of a verb as a script. */
export const exampleOf = ({ example: { setUp, operation } }: VerbRow): { operations: unknown[] } => ({
  operations: [...setUp, operation],
});

/** The description of one verb, as plain text. */
export function describeVerb(verb: VerbRow): string {
  const args = verb.args.map(
    (argument) => `  ${argument.name}${argument.optional ? ' (may be left out)' : ''}: ${describeArgument(argument)}`,
  );
  return [
    signatureOf(verb),
    `  ${verb.summary}`,
    `  arguments: ${arityOf(verb)}; effect: ${verb.effect}`,
    ...args,
    `  example: ${JSON.stringify(exampleOf(verb))}`,
  ].join('\n');
}

/** The whole reference as plain text: the output of Mk8Docs and `writ mk8 docs`. */
export function reference(verbs: readonly VerbRow[]): string {
  return byGroup(verbs)
    .map(([group, rows]) => `${TITLES[group]}\n\n${rows.map(describeVerb).join('\n')}`)
    .join('\n\n');
}

/** The description of the language for a model: its rules, and one line for each verb. */
export function promptText(verbs: readonly VerbRow[]): string {
  return [
    'mk8.shell runs a JSON script in a sandbox. There is no shell: arguments are texts of an array, and nothing expands, chains or redirects them.',
    '{"operations":[{"verb":"FileRead","args":["$WORKSPACE/a.txt"]}],"options":{},"cleanup":[]}',
    'The whole script is checked before any of it runs; an error anywhere means that nothing runs.',
    'Paths are relative to the workspace or begin with $WORKSPACE or $CWD; `..` is an error. Variables: $WORKSPACE, $CWD, $USER, signed ones, captures, $ITEM and $INDEX in a ForEach, $PREV with pipeStepOutput.',
    `Of an operation: args, maxRetries, stepTimeout ("hh:mm:ss"), label, onFailure ("goto:LABEL", forward), captureAs (${SCRIPT_LIMITS.captures} at most), template (FileTemplate), patches (FilePatch), forEach, if.`,
    'Of options: maxRetries, retryDelay, stepTimeout, scriptTimeout, failureMode (StopOnFirstError, ContinueOnError, StopAndCleanup), maxOutputBytes, maxErrorBytes, pipeStepOutput.',
    `Predicates of If: ${PREDICATE_KINDS.join(', ')}.`,
    `At most ${SCRIPT_LIMITS.operations} operations once expanded, and ${SCRIPT_LIMITS.nesting} levels of ForEach, If and Include.`,
    ...byGroup(verbs).map(([group, rows]) => `${TITLES[group]}: ${rows.map(signatureOf).join(', ')}`),
  ].join('\n');
}
