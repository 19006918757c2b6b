// SPDX-License-Identifier: Apache-2.0

/**
 * Bounds on what one output of a model may hold; what goes beyond is a problem that is told, never a stall. Lengths in
 * UTF-16 units.
 */
export const DIALECT_LIMITS = {
  /** Twice the largest body that the API takes: a parser keeps no more than this of what it is pushed. */
  outputChars: 4 * 1024 * 1024,
  /** More than any model asks for at once; a run of its calls stays one answer. */
  calls: 256,
  /** The same for what is wrong: who needs more of them speaks another dialect. */
  problems: 256,
  /** Ids of calls become a part of an idempotency key and of lines that a model reads. */
  idChars: 128,
  /** Longest text of a result that a model is shown; what a command said beyond is kept elsewhere. */
  shownChars: 200_000,
  /** Elements of one block of XML: as many as 256 edits of a file have, several times over. */
  elements: 8_192,
  /** Of one element; none that is taken has more than four. */
  attributes: 64,
  /** `tools`, tool, file, find: and two to spare for what is refused with its place. */
  elementDepth: 6,
} as const;
