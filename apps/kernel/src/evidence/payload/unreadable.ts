// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { UnopenableError } from '@writ/sealing';

/**
 * Whether an error says that stored content can't be read: its bytes were changed, its key is gone or is another, or
 * its blob is missing. A store that doesn't answer is a different matter: the content may be read later.
 */
export const isUnreadable = (error: unknown): boolean =>
  error instanceof UnopenableError ||
  (error instanceof Fault && (error.code === 'blob.corrupt' || error.code === 'blob.missing'));
