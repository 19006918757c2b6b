// SPDX-License-Identifier: Apache-2.0
import { DECLARED_TOOLS, DeclaredToolName } from '@writ/contract';
import { Value } from 'typebox/value';
import type { ImportOptions } from './import-options.ts';
import { isListed, operationsOf, type FoundOperation } from './operations.ts';
import { attempt, Unusable, type ImportProblem } from './problems.ts';
import { DOCUMENT_LIMITS, readDocument, type ReadDocument } from './read-document.ts';
import { readOperation, type HttpToolDraft, type ReadOperation } from './read-operation.ts';
import { resolved } from './references.ts';
import { chosenServer } from './servers.ts';

/** What became of an operation. */
export interface ImportedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: string | null;
  readonly pointer: string;
  /** the tool's id; null where it was left out */
  readonly tool_id: string | null;
  /** `excluded`: the importer wants none; `unusable`: a problem says why */
  readonly outcome: 'tool' | 'excluded' | 'unusable';
}

export interface ImportedApi {
  readonly title: string;
  readonly server: string | null;
  readonly operations: readonly ImportedOperation[];
  /** why operations were left out */
  readonly problems: readonly ImportProblem[];
  /** what of imported operations is not offered */
  readonly notes: readonly ImportProblem[];
  readonly tools: readonly HttpToolDraft[];
}

const NAME = /^[a-z][a-z0-9_]{0,31}$/;
const NOTES_MAX = 500;

/**
 * Makes tools of the operations of an OpenAPI document. It fetches nothing, and its work is bounded by DOCUMENT_LIMITS.
 * INVARIANT (never guessed): an operation that can't be had exactly is left out, and a problem names the place. Total.
 */
export function importApi(text: string, options: ImportOptions): ImportedApi {
  const read = attempt(() => {
    if (!NAME.test(options.name))
      throw new Unusable(
        '/options/name',
        'is no name of an API: a letter, then letters, digits and `_`, all lower case',
        '',
        'options',
      );
    const document = readDocument(text);
    return {
      document,
      server: chosenServer(document.root, { ...given(options.server), variables: options.server_variables }),
    };
  });
  if ('problem' in read)
    return { title: '', server: null, operations: [], problems: [read.problem], notes: [], tools: [] };
  return importOperations(read.value.document, read.value.server, options);
}

const given = (server: string | undefined): { server?: string } => (server === undefined ? {} : { server });

function importOperations(document: ReadDocument, server: string, options: ImportOptions): ImportedApi {
  const [problems, notes]: [ImportProblem[], ImportProblem[]] = [[], []];
  const tools: HttpToolDraft[] = [];
  const found = foundOperations(document, problems);
  problems.push(...optionProblems(found, options));
  const operations = found.map((one): ImportedOperation => {
    const { method, path, name, operation } = one;
    const row = { method, path, operation: name, pointer: operation.pointer };
    if (!isWanted(one, options)) return { ...row, tool_id: null, outcome: 'excluded' };
    const made = attempt(() => toolOf(document, one, found, server, options));
    if ('problem' in made) {
      problems.push(made.problem);
      return { ...row, tool_id: null, outcome: 'unusable' };
    }
    notes.push(...made.value.notes);
    tools.push(made.value.tool);
    return { ...row, tool_id: made.value.tool.tool_id, outcome: 'tool' };
  });
  if (tools.length > DECLARED_TOOLS.inOneFile)
    problems.push({
      pointer: '/paths',
      of: 'document',
      message: `makes ${tools.length} tools, and one import has at most ${DECLARED_TOOLS.inOneFile}`,
      help: 'import a part of them with `--include`',
    });
  return { title: titleOf(document), server, operations, problems, notes: notes.slice(0, NOTES_MAX), tools };
}

function titleOf({ root: { info } }: ReadDocument): string {
  const { title } = (info ?? {}) as { readonly title?: unknown };
  return typeof title === 'string' ? title.slice(0, 256) : '';
}

function foundOperations({ root }: ReadDocument, problems: ImportProblem[]): FoundOperation[] {
  const found = operationsOf(root, (item) => {
    const read = attempt(() => resolved(root, item));
    if ('value' in read) return read.value;
    problems.push(read.problem);
    return { value: {}, pointer: item.pointer };
  });
  if (found.length <= DOCUMENT_LIMITS.operations) return found;
  problems.push(new Unusable('/paths', `has more than ${DOCUMENT_LIMITS.operations} operations`).problem);
  return [];
}

const isWanted = ({ name, isDeprecated }: FoundOperation, { include, exclude, deprecated }: ImportOptions): boolean =>
  name === null ||
  ((include.length === 0 || isListed(include, name)) && !isListed(exclude, name) && (deprecated || !isDeprecated));

function toolOf(
  document: ReadDocument,
  one: FoundOperation,
  all: readonly FoundOperation[],
  server: string,
  options: ImportOptions,
): ReadOperation {
  const { name, operation } = one;
  if (name === null || !Value.Check(DeclaredToolName, `api.${options.name}.${name}`))
    throw new Unusable(operation.pointer, 'has no name that a tool can have', 'give it a short `operationId`');
  if (all.some((other) => other !== one && other.name === name && isWanted(other, options)))
    throw new Unusable(
      operation.pointer,
      `has the name \`${name}\` of another operation`,
      'give each its own `operationId`',
    );
  return readOperation(document, one, server, options);
}

/** Options that name no operation are mistakes, and would leave out what they were to keep. */
function optionProblems(found: readonly FoundOperation[], options: ImportOptions): ImportProblem[] {
  const names = found.flatMap(({ name }) => name ?? []);
  const lists = {
    include: options.include,
    exclude: options.exclude,
    categories: Object.keys(options.categories),
    idempotency_headers: Object.keys(options.idempotency_headers),
  };
  return Object.entries(lists).flatMap(([option, entries]) =>
    entries
      .filter((entry) => !names.some((name) => isListed([entry], name)))
      .map((entry): ImportProblem => ({
        pointer: `/options/${option}`,
        of: 'options',
        message: `names \`${entry.slice(0, 128)}\`, which is no operation of the document`,
        help: 'the table of a dry run has the names of all operations',
      })),
  );
}
