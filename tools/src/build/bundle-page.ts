// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { runProgram } from '../parts/packages.ts';
import { SetupError } from '../setup-error.ts';

/** The page that verifies receipts, as one file: it works from disk and from any server. */
export const receiptPage = (checkout: string): string =>
  join(checkout, 'apps', 'receipt-page', 'dist', 'bundle', 'verify-receipt.html');

/**
 * Bundles that page with all its imports.
 *
 * @throws SetupError with the bundler's errors, for example for an import that no browser has
 */
export const bundleReceiptPage = async (checkout: string): Promise<void> => {
  const { status, tail } = await runProgram(
    process.execPath,
    [join(checkout, 'apps', 'receipt-page', 'bundle.mjs'), receiptPage(checkout)],
    process.env,
  );
  if (status !== 0) throw new SetupError('the page that verifies receipts cannot be bundled', tail);
};
