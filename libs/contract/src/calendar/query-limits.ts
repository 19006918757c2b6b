// SPDX-License-Identifier: Apache-2.0

/** Bounds of one search of a calendar. */
export const CALENDAR_QUERY_LIMITS = {
  /** as many events as a model still reads */
  events: 500,
  textChars: 256,
  /** ten years */
  days: 3_653,
} as const;
