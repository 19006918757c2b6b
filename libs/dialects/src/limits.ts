// SPDX-License-Identifier: Apache-2.0

/**
 * Limits on one output of a model. A part beyond them is a reported problem and never a stall. Lengths are in UTF-16
 * units.
 */
export const DIALECT_LIMITS = {
  /** Twice the largest body that the API accepts. A parser keeps no more than this. */
  outputChars: 4 * 1024 * 1024,
  /** More than a model requests at once; the answers fit one message. */
  calls: 256,
  /** The same for problems: a model with more of them doesn't know the dialect. */
  problems: 256,
  /** Ids of calls become part of an idempotency key and of lines for a model. */
  idChars: 128,
  /** Longest text of a result for a model; a command's output beyond it is stored elsewhere. */
  shownChars: 200_000,
  /** Elements of one block of XML: several times as many as 256 edits of a file have. */
  elements: 8_192,
  /** Of one element; no valid one has more than four. */
  attributes: 64,
  /** `tools`, tool, file, find, and two more so that refused elements can be located. */
  elementDepth: 6,
} as const;
