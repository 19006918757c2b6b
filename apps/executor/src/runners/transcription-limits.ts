// SPDX-License-Identifier: Apache-2.0
import { TRANSCRIBED_MS_MAX } from '@writ/contract';

/** The limits of one audio: of its length, and of a file before anything reads it. */
export const LOCAL_LIMITS = {
  durationMsMax: TRANSCRIBED_MS_MAX,
  /** ten minutes with 48 kHz, mono and 16 bits */
  fileBytesMax: 64 * 1024 * 1024,
} as const;
