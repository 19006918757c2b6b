// SPDX-License-Identifier: Apache-2.0
// What can be said of the calls of a run. Each function answers from what the API said and from hashes of files, not
// from what was intended.
import type { Entry } from './tool-desk.ts';
import { isSameTree, type Tree } from './workspace.ts';

const commandOf = ({ call }: Entry): string => (call.tool_id === 'shell.run' ? String(call.args['command']) : '');
const codeOf = ({ result }: Entry): string | null => result.error?.code ?? null;

const outputOf = ({ result }: Entry): string => {
  const shell = result.result as { output?: unknown } | null;
  return typeof shell?.output === 'string' ? shell.output : '';
};

/** A command that runs the tests of the repository. */
export const isSuiteRun = (entry: Entry): boolean => /\bnode --test\b|\bnpm (run )?test\b/.test(commandOf(entry));

export const isSuiteFailing = (entry: Entry): boolean =>
  isSuiteRun(entry) && codeOf(entry) === 'command.failed' && entry.operation.state === 'rolled_back';

export const isSuitePassing = (entry: Entry): boolean => isSuiteRun(entry) && entry.result.status === 'ok';

const sources = ({ files }: Tree): string =>
  JSON.stringify([...files].filter(([path]) => path.startsWith('src/')).sort());

/** A call that committed a change of the sources. */
export const isFix = (entry: Entry): boolean =>
  entry.operation.state === 'committed' && sources(entry.before) !== sources(entry.after);

export const isRefusedOutOfScope = (entry: Entry): boolean =>
  entry.operation.state === 'refused' && codeOf(entry) === 'token.scope';

export const isHeldAndDenied = (entry: Entry): boolean =>
  entry.approval !== null && codeOf(entry) === 'approval.denied' && isSameTree(entry.before, entry.after);

/** A line of sha256sum. */
const HASHED = /^([0-9a-f]{64}) [ *](.+)$/gm;

/**
 * Files that the command itself saw with another content than they had before it: what it had written when it failed.
 */
export const writtenInSandbox = (entry: Entry): string[] =>
  [...outputOf(entry).matchAll(HASHED)].flatMap(([, hash, path = '']) =>
    entry.before.files.get(path) === hash ? [] : [path],
  );

/** A command that wrote files and then failed, after which every file has the hash that it had before. */
export const isRolledBackHalfWay = (entry: Entry): boolean =>
  codeOf(entry) === 'command.failed' &&
  entry.operation.state === 'rolled_back' &&
  writtenInSandbox(entry).length > 0 &&
  isSameTree(entry.before, entry.after);

/** A repeated call that gave the original outcome, ran nothing and changed nothing. */
export const isReplayOf = (entry: Entry, original: Entry): boolean =>
  entry.operation.operation_id === original.operation.operation_id &&
  entry.operation.attempt === original.operation.attempt &&
  entry.operation.updated_at === original.operation.updated_at &&
  entry.operation.state === original.operation.state &&
  isSameTree(entry.before, entry.after);

/** Everything that did not commit, refusals included: none of it may show in the files. */
export const isTraceless = (entry: Entry): boolean =>
  entry.operation.state === 'committed' || isSameTree(entry.before, entry.after);
