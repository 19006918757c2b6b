// SPDX-License-Identifier: Apache-2.0

/**
 * What a script may be at most. The first four are promised to whoever writes scripts; the others bound work on hostile
 * ones.
 */
export const SCRIPT_LIMITS = {
  /** operations and cleanup together, once everything is expanded */
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
  /** More tell nobody anything. */
  problems: 256,
} as const;

/** What verbs read, write and answer at most. */
export const VERB_LIMITS = {
  /** Of a file that is read whole. */
  fileBytes: 16 * 1024 * 1024,
  searchMatches: 500,
  globMatches: 1000,
  /** Entries that one verb looks at in a tree. */
  treeEntries: 100_000,
  archiveBytes: 256 * 1024 * 1024,
  archiveEntries: 20_000,
  httpBodyBytes: 8 * 1024 * 1024,
  /** How long regular expressions of one verb may take, in milliseconds. */
  regexMs: 2000,
  /**
   * Instructions of a compiled expression: matching takes as many steps as text and expression are long together,
   * multiplied.
   */
  regexProgram: 1000,
  /** Values that one JSONPath query may look at. */
  jsonPathReads: 500_000,
  pathChars: 4096,
} as const;
