// SPDX-License-Identifier: Apache-2.0
// Findings about the calls of a run. Each function uses the API's answers and hashes of files, and not the intent of a
// call.
import type { Entry } from './tool-client.ts';
import { isSameTree, type Tree } from './workspace.ts';

const commandOf = ({ call }: Entry): string => (call.tool_id === 'shell.run' ? String(call.args['command']) : '');
const codeOf = ({ result }: Entry): string | null => result.error?.code ?? null;

const outputOf = ({ result }: Entry): string => {
  const shell = result.result as { output?: unknown } | null;
  return typeof shell?.output === 'string' ? shell.output : '';
};

/** A command that runs the repository's tests. */
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

/** An output line of sha256sum. */
const HASHED = /^([0-9a-f]{64}) [ *](.+)$/gm;

/**
 * Files whose content differed, in the command's own output, from that before it: the files that it wrote before it
 * failed.
 */
export const writtenInSandbox = (entry: Entry): string[] =>
  [...outputOf(entry).matchAll(HASHED)].flatMap(([, hash, path = '']) =>
    entry.before.files.get(path) === hash ? [] : [path],
  );

/** A command that wrote files and then failed, after which every file has its earlier hash. */
export const isRolledBackHalfWay = (entry: Entry): boolean =>
  codeOf(entry) === 'command.failed' &&
  entry.operation.state === 'rolled_back' &&
  writtenInSandbox(entry).length > 0 &&
  isSameTree(entry.before, entry.after);

/** A repeated call that returned the original outcome, ran nothing and changed nothing. */
export const isReplayOf = (entry: Entry, original: Entry): boolean =>
  entry.operation.operation_id === original.operation.operation_id &&
  entry.operation.attempt === original.operation.attempt &&
  entry.operation.updated_at === original.operation.updated_at &&
  entry.operation.state === original.operation.state &&
  isSameTree(entry.before, entry.after);

/** Calls that did not commit, refusals included: none of them may have changed a file. */
export const isTraceless = (entry: Entry): boolean =>
  entry.operation.state === 'committed' || isSameTree(entry.before, entry.after);
