// SPDX-License-Identifier: Apache-2.0

/**
 * The limits of a script. The first four are documented for authors of scripts; the others bound the work on hostile
 * ones.
 */
export const SCRIPT_LIMITS = {
  /** operations and cleanup together, after expansion */
  operations: 1024,
  captures: 16,
  /** ForEach, If and Include within each other */
  nesting: 3,
  forEachItems: 256,
  labelChars: 64,
  templateKeys: 64,
  patches: 64,
  batchEntries: 64,
  retries: 10,
  /** Of one argument, filled in. */
  argumentBytes: 4 * 1024 * 1024,
  scriptBytes: 8 * 1024 * 1024,
  /** Of JSON: operations three deep, with their arguments, need 14. */
  depth: 32,
  /** Further ones would not help. */
  problems: 256,
} as const;

/** The limits of what verbs read, write and return. */
export const VERB_LIMITS = {
  /** Of a file that is read completely. */
  fileBytes: 16 * 1024 * 1024,
  searchMatches: 500,
  globMatches: 1000,
  /** Entries that one verb visits in a tree. */
  treeEntries: 100_000,
  archiveBytes: 256 * 1024 * 1024,
  archiveEntries: 20_000,
  httpBodyBytes: 8 * 1024 * 1024,
  /** Time limit of all regular expressions of one verb, in milliseconds. */
  regexMs: 2000,
  /**
   * Instructions of a compiled expression: matching takes steps in proportion to the product of the lengths of text and
   * expression.
   */
  regexProgram: 1000,
  /** Values that one JSONPath query may visit. */
  jsonPathReads: 500_000,
  pathChars: 4096,
} as const;
