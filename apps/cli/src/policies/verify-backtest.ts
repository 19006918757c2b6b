// SPDX-License-Identifier: Apache-2.0
// Runs without a connection, as `writ verify` does.
import { resolve } from 'node:path';
import { BACKTEST_PAYLOAD_TYPE, BacktestPage, Fault } from '@writ/contract';
import { JsonError, parseIJson } from '@writ/digest';
import { parseKeySet, ReceiptError, type KeySet } from '@writ/receipt';
import { SignatureError } from '@writ/signing';
import { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { openSigned } from '../open-signed.ts';
import { readNamedFile } from '../read-named-file.ts';
import { describeBacktest } from './what-if.ts';

/** Far deeper than a page is. */
const DEPTH_MAX = 16;

export function verifyBacktestCommand(context: Context): Command {
  const command = new Command('verify-backtest')
    .description('verify a backtest offline, from public keys and nothing else')
    .argument('<file>')
    .requiredOption('--keys <file>', 'the public keys (writ-keys.json)');
  return command.action((path: string) => {
    const options = command.optsWithGlobals<CommonOptions & { keys: string }>();
    const pages = withCliErrors(() =>
      verifyBacktest(
        readNamedFile(resolve(context.cwd, path)),
        parseKeySet(readNamedFile(resolve(context.cwd, options.keys))),
      ),
    );
    show(
      context,
      options,
      { ok: true, pages },
      () => `every page is signed, and they join\n\n${describeBacktest(pages)}`,
    );
  });
}

/**
 * The pages of a file. Each must be signed by a kernel key that is valid and was valid then. All must belong to one
 * candidate and tenant, and follow each other without a gap.
 * @throws CliError `verify.backtest`
 */
export function verifyBacktest(bytes: Uint8Array, { recordKeys }: KeySet): BacktestPage[] {
  const { pages: envelopes } = parseIJson(bytes, { depthMax: DEPTH_MAX }) as { pages?: unknown };
  if (!Array.isArray(envelopes) || envelopes.length === 0) throw invalidBacktest('the file holds no pages');
  const kind = {
    what: 'page',
    payloadType: BACKTEST_PAYLOAD_TYPE,
    schema: BacktestPage,
    depthMax: DEPTH_MAX,
    refuse: invalidBacktest,
  };
  const pages = envelopes.map((envelope) => openSigned(envelope, recordKeys, kind));
  pages.forEach((page, n) => {
    const [first, before] = [pages[0] as BacktestPage, pages[n - 1]];
    if (page.cursor !== (before?.next_cursor ?? null))
      throw invalidBacktest(`page ${n + 1} doesn't follow the one before it`);
    if (
      page.tenant_id !== first.tenant_id ||
      page.candidate.policy_hash !== first.candidate.policy_hash ||
      page.since !== first.since
    )
      throw invalidBacktest(`page ${n + 1} is of another backtest`);
  });
  return pages;
}

const invalidBacktest = (message: string): CliError => new CliError('verify.backtest', message);

function withCliErrors<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (
      error instanceof SignatureError ||
      error instanceof ReceiptError ||
      error instanceof JsonError ||
      error instanceof Fault
    )
      throw invalidBacktest(error.message);
    throw error;
  }
}
