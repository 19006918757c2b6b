// SPDX-License-Identifier: Apache-2.0
// Everything below runs without a connection: neither this file nor its imports use a network. A spec follows the
// imports.
import type { AuditRecord } from '@writ/contract';
import {
  CHECKS,
  readReceiptFile,
  ReceiptError,
  executedBy,
  usageCounted,
  verifyReceipt,
  type CheckName,
  type Expectation,
  type PassedCheck,
} from '@writ/receipt';
import { Command } from 'commander';
import { CliError, EXIT, usage } from '../cli-error.ts';
import { show, showItem, type CommonOptions, type Context } from '../context.ts';
import {
  readKeyHistoryFile,
  withKeyHistory,
  type KeyHistoryFile,
  type KeyHistoryOptions,
} from '../key-history-file.ts';
import { readTrusted } from '../log/read-checkpoint.ts';
import { readNamedFile } from '../read-named-file.ts';
import { fieldsOf, momentOf, paint } from '../terminal.ts';
import { readTrust, withTrust, type Terms, type Trust, type TrustOptions } from '../trust.ts';
import { visibleLine } from '../visible.ts';
import { isFolder, receiptsBelow } from './receipts-below.ts';
import { showBundle } from './show-bundle.ts';
import { verifyBundle } from './verify-bundle.ts';

interface VerifyOptions extends CommonOptions, TrustOptions, KeyHistoryOptions {
  readonly operation?: string;
  readonly log?: string;
  readonly deployment?: string;
}

interface FileVerdict {
  readonly file: string;
  readonly ok: boolean;
  /** The checks that passed, in order. */
  readonly checks: readonly PassedCheck[];
  readonly failed: { readonly check: string; readonly message: string } | null;
  /** The signed record; null unless every check passed. */
  readonly record: AuditRecord | null;
  /** There if the file verifies, and is another spelling of the same JSON than Writ writes. */
  readonly note?: string;
}

const REFORMATTED = 'the file was reformatted; its content is unchanged, and that is what was verified';

/** The trusted keys and the key history that receipts are judged by. */
interface TrustMaterial {
  readonly trust: Trust;
  readonly histories: KeyHistoryFile;
}

/** `writ verify RECEIPT… (--keys FILE | --trust FILE) [--key-history FILE]`. */
export function verifyCommand(context: Context): Command {
  const command = withKeyHistory(withTrust(new Command('verify')))
    .argument(
      '<receipt...>',
      'files with receipts, or folders: then every `.json` file below them; or a bundle, a `.tar`',
    )
    .description(
      'Verifies receipts offline, from public keys and nothing else. Where the keys come from is what you trust.',
    )
    .option('--operation <id>', 'the operation that it has to be of')
    .option('--log <id>', 'the log that it has to be in')
    .option('--deployment <name>', 'the deployment that it has to be from');
  return command.action(async (files: string[]) => {
    const options = command.optsWithGlobals<VerifyOptions>();
    const [bundle] = files;
    if (bundle === undefined || !files.some((file) => file.endsWith('.tar'))) return verify(context, files, options);
    if (
      files.length > 1 ||
      options.operation !== undefined ||
      options.log !== undefined ||
      options.deployment !== undefined
    )
      throw usage('a bundle is verified alone, and without `--operation`, `--log` and `--deployment`');
    showBundle(context, bundle, options, await verifyBundle(bundle, readTrusted(options), readKeyHistoryFile(options)));
  });
}

function verify(context: Context, paths: readonly string[], options: VerifyOptions): void {
  const trust = readTrustOrFailure(options);
  const expected = { operationId: options.operation, logId: options.log, deployment: options.deployment };
  const histories = readKeyHistoryFile(options);
  const verdictOf = (file: string): FileVerdict =>
    'checks' in trust ? { file, ...trust } : judge(file, { trust, histories }, expected);
  if (paths.some(isFolder)) return verifyFolders(context, paths, options, verdictOf);
  const receipts = paths.map(verdictOf);
  const failures = receipts.filter(({ ok }) => !ok);
  show(context, options, { ok: failures.length === 0, receipts }, () => receipts.map(describe).join('\n\n'));
  for (const failure of failures) printFailure(context, failure);
  if (failures.length > 0) context.setExit(EXIT.failed);
}

/**
 * Prints a line per receipt as each is judged, and a summary. A folder may hold more receipts than fit one JSON value.
 */
function verifyFolders(
  context: Context,
  paths: readonly string[],
  options: VerifyOptions,
  verdictOf: (file: string) => FileVerdict,
): void {
  const print = (value: unknown, words: string): void => showItem(context, options, value, () => words);
  const counts = { verified: 0, failed: 0 };
  for (const path of paths) {
    const before = counts.verified + counts.failed;
    for (const file of isFolder(path) ? receiptsBelow(path) : [path]) {
      const verdict = verdictOf(file);
      counts[verdict.ok ? 'verified' : 'failed'] += 1;
      print(verdict, lineOf(verdict));
      if (!verdict.ok) printFailure(context, verdict);
    }
    // Nothing was verified there, and that must not look like success.
    if (counts.verified + counts.failed === before)
      throw new CliError(
        'verify.empty',
        `\`${visibleLine(path)}\` has no \`.json\` file: name the folder that the receipts lie in`,
      );
  }
  print({ ok: counts.failed === 0, ...counts }, `${String(counts.verified)} verified, ${String(counts.failed)} failed`);
  if (counts.failed > 0) context.setExit(EXIT.failed);
}

function printFailure(context: Context, { file, failed }: FileVerdict): void {
  context.writeError(
    `error verify.${failed?.check}: \`${visibleLine(file)}\`: ${visibleLine(failed?.message ?? '')}\n`,
  );
}

function lineOf({ file, failed, record, note }: FileVerdict): string {
  if (failed !== null) return `${paint.red('✖')} ${visibleLine(file)}  ${failed.check}`;
  const parts = [
    record?.operation_id ?? record?.record_id,
    record?.tool_id,
    record?.tx_outcome ?? record?.verdict,
    note === undefined ? undefined : '(reformatted)',
  ].filter((each) => typeof each === 'string');
  return `${paint.green('✔')} ${visibleLine(file)}  ${paint.dim(visibleLine(parts.join(' ')))}`;
}

/** A key file that can't be parsed fails the check `keys` of every receipt. */
function readTrustOrFailure(options: TrustOptions): Trust | Omit<FileVerdict, 'file'> {
  try {
    return readTrust(options, Date.now());
  } catch (error) {
    return failedBy(error, null);
  }
}

function judge(file: string, { trust, histories }: TrustMaterial, expected: Expectation): FileVerdict {
  const bytes = readNamedFile(file, 'receipt');
  let terms: Terms | null = null;
  try {
    const { receipt, isReformatted } = readReceiptFile(bytes);
    terms = trust.termsOf(receipt.inclusion.checkpoint);
    const { checks, record } = verifyReceipt(
      receipt,
      terms.keys,
      expected,
      terms.witnessing,
      histories.historyOf(receipt.inclusion.checkpoint, terms),
    );
    return {
      file,
      ok: true,
      checks: [...passedBefore('format', terms), ...checks],
      failed: null,
      record,
      ...(isReformatted ? { note: REFORMATTED } : {}),
    };
  } catch (error) {
    return { file, ...failedBy(error, terms) };
  }
}

function failedBy(error: unknown, terms: Terms | null): Omit<FileVerdict, 'file'> {
  if (!(error instanceof ReceiptError)) throw error;
  return {
    ok: false,
    checks: passedBefore(error.check, terms),
    failed: { check: error.check, message: error.message },
    record: null,
  };
}

/**
 * Checks run in a fixed order, and the first failure ends them. So those before it passed, except checks that were not
 * requested.
 */
function passedBefore(check: CheckName, terms: Terms | null): PassedCheck[] {
  const names = Object.keys(CHECKS) as CheckName[];
  const witnessTerms = terms?.witnessing?.terms;
  const notRequested: readonly CheckName[] =
    witnessTerms === undefined
      ? ['witnesses', 'freshness']
      : witnessTerms.checkpointAgeMaxMs === null
        ? ['freshness']
        : [];
  return names
    .slice(0, names.indexOf(check))
    .filter((name) => !notRequested.includes(name))
    .map((name) => ({ name, detail: CHECKS[name] }));
}

function describe({ file, checks, failed, record, note }: FileVerdict): string {
  const lines = checks.map(
    ({ name, detail }) => `  ${paint.green('✔')} ${name.padEnd(14)} ${paint.dim(visibleLine(detail))}`,
  );
  if (note !== undefined) lines.push(`  ${paint.yellow('!')} ${'note'.padEnd(14)} ${note}`);
  if (failed !== null) lines.push(`  ${paint.red('✖')} ${failed.check.padEnd(14)} ${visibleLine(failed.message)}`);
  return [paint.bold(visibleLine(file)), ...lines, ...(record === null ? [] : ['', summaryOf(record)])].join('\n');
}

const summaryOf = (record: AuditRecord): string =>
  fieldsOf({
    operation: record.operation_id,
    recorded: momentOf(record.recorded_at),
    phase: record.phase,
    verdict: record.verdict,
    tool: record.tool_id,
    agent: record.agent_id,
    outcome: record.tx_outcome,
    fault: record.fault_code,
    'executed by': executedBy(record),
    usage: usageCounted(record),
    snapshot: record.new_snapshot_id,
    change: record.change === null ? null : `${record.change.verb} ${record.change.subject}`,
  });
