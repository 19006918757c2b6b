// SPDX-License-Identifier: Apache-2.0
import { dirname, join, resolve } from 'node:path';
import { parseKeySet, ReceiptError } from '@writ/receipt';
import { parseSigner, SignatureError, type Signer } from '@writ/signing';
import { Command } from 'commander';
import { CliError, EXIT, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { connect } from '../http/connection.ts';
import { readNamedText } from '../read-named-file.ts';
import { paint } from '../terminal.ts';
import { readTrusted } from '../log/read-checkpoint.ts';
import { withTrust, type Trust, type TrustOptions } from '../trust.ts';
import { visibleLine } from '../visible.ts';
import { writeWhole } from '../write-whole.ts';
import type { Verdict } from './finding.ts';
import { LOG_SINCE_LAST_RUN } from './checks/log.ts';
import { reportFile, type Report } from './report.ts';
import { runDoctor, type DoctorRun } from './run-doctor.ts';
import { keepLog, readKept } from './state-file.ts';
import { verifyReportCommand } from './verify-report.ts';

interface DoctorOptions extends CommonOptions, TrustOptions {
  readonly report?: string;
  readonly signKey?: string;
  readonly state?: string;
}

/** `writ doctor`: with the platform key. */
export function doctorCommand(context: Context): Command {
  const command = withTrust(new Command('run'))
    .description('examine the installation, in a tenant that is made for it and closed at the end')
    .option('--report <file>', 'write a report, with the receipt of the record that names it')
    .option('--sign-key <file>', 'sign the report with this Ed25519 key (PKCS #8 PEM)')
    .option('--state <file>', 'keeps a checkpoint for the next run; `doctor.json` beside the contexts by default');
  command.action(async () => doctor(context, command.optsWithGlobals<DoctorOptions>()));
  return new Command('doctor')
    .description('examines an installation: whether it keeps its promises')
    .addCommand(command, { isDefault: true })
    .addCommand(verifyReportCommand(context));
}

async function doctor(context: Context, options: DoctorOptions): Promise<void> {
  if (options.signKey !== undefined && options.report === undefined)
    throw usage('`--sign-key` signs the report: name its file, too, with `--report FILE`');
  const signer = options.signKey === undefined ? null : signerIn(options.signKey);
  const { client } = connect(context, options, 'platform');
  const statePath = statePathOf(context, options);
  const isGiven = options.keys !== undefined || options.trust !== undefined;
  const run = await runDoctor(client, {
    context,
    kept: statePath === null ? null : readKept(statePath, client.url),
    trust: isGiven ? readTrusted(options) : await publishedTrust(client),
    keys: isGiven ? 'given' : 'published',
  });
  const { report, receipt, left, open, isInterrupted } = run;
  for (const note of notesOf(run)) context.writeError(`note: ${note}\n`);
  show(context, options, report, () => textOf(report));
  // A file that can't be written must not cost what was found.
  if (options.report !== undefined) {
    const path = resolve(context.cwd, options.report);
    const file = `${JSON.stringify(reportFile(report, receipt, signer), null, 2)}\n`;
    written('report', path, () => writeWhole(path, file));
  }
  if (statePath !== null) keepForNext(statePath, run);
  if (isInterrupted) throw new CliError('interrupted', 'interrupted: what the examination had made is closed');
  const isOver = receipt !== null && run.isSecretGone && [...open, ...left.open].length === 0 && left.isComplete;
  if (!report.healthy || !isOver) context.setExit(EXIT.failed);
}

/** What a person has to know beside the report. */
function notesOf({ report, receipt, left, open, isSecretGone }: DoctorRun): string[] {
  const stay = [...open, ...left.open];
  return [
    ...(left.closed > 0
      ? [`closed ${String(left.closed)} ${left.closed === 1 ? 'tenant' : 'tenants'} that an earlier run had left open`]
      : []),
    ...(left.isComplete ? [] : ['tenants that earlier runs have left open could not be looked for']),
    ...(stay.length > 0
      ? [`${stay.join(' and ')} may be open: a later run closes what is, or \`writ tenant close\` does`]
      : []),
    ...(isSecretGone ? [] : ['the secret of the examination could not be removed: the closed tenant keeps it, sealed']),
    ...(receipt === null && report.tenant_id !== null
      ? ['the log gave no receipt that verifies: it did not record the report']
      : []),
  ].map(visibleLine);
}

/**
 * Keeps the log of this run for the next one. INVARIANT (a break stays): a kept log that is not what it was stays the
 * one that later runs compare, so that a second run does not hide what the first one found.
 */
function keepForNext(path: string, { report, checkpoint, open }: DoctorRun): void {
  const isBroken = report.checks.some(({ id, verdict }) => id === LOG_SINCE_LAST_RUN && verdict === 'fail');
  if (isBroken || report.tenant_id === null || checkpoint === null || open.length > 0) return;
  const log = { url: report.url, tenant_id: report.tenant_id, checkpoint };
  written('state', path, () => keepLog(path, log));
}

/** @throws CliError with this code where the file system refuses */
function written(code: 'report' | 'state', path: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(
      code,
      `\`${path}\` could not be written (${reason}): name another file with \`--${code}\``,
      undefined,
      { cause },
    );
  }
}

/** The keys that the server publishes. They show that it agrees with itself, and no more. */
async function publishedTrust(client: Client): Promise<Trust> {
  const text = await (await client.request('/.well-known/writ-keys.json')).text();
  try {
    const terms = { keys: parseKeySet(text), witnessing: null };
    return { termsOf: () => terms };
  } catch (error) {
    if (!(error instanceof ReceiptError)) throw error;
    throw new CliError('verify.keys', `${client.url}/.well-known/writ-keys.json: ${error.message}`);
  }
}

/** @throws CliError `usage` for a file that is no private key */
function signerIn(path: string): Signer {
  try {
    return parseSigner(readNamedText(path, '--sign-key'));
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw usage(
      `\`${path}\` is no private Ed25519 key in PKCS #8 PEM: \`openssl genpkey -algorithm ed25519 -out ${path}\` makes one`,
    );
  }
}

/** Null for a user without a home, who names no file: then nothing is kept. */
function statePathOf({ cwd, env }: Context, { state }: DoctorOptions): string | null {
  if (state !== undefined) return resolve(cwd, state);
  return env.contextsFile === undefined ? null : join(dirname(env.contextsFile), 'doctor.json');
}

const VERDICT_WIDTH = 'not applicable'.length;
const PAINTED = { pass: paint.green, fail: paint.red, not_applicable: paint.yellow } as const;
const SHOWN: Readonly<Record<Verdict, string>> = { pass: 'pass', fail: 'FAIL', not_applicable: 'not applicable' };
const shownAs = ({ verdict, made }: Report['checks'][number]): string => (made ? SHOWN[verdict] : 'FAIL: not made');

function textOf({ url, checks, counts, healthy, keys, started_at, ended_at, tenant_id }: Report): string {
  const missing = checks.filter(({ obligatory, verdict }) => obligatory && verdict === 'not_applicable');
  const summary = `${String(counts.pass)} passed, ${String(counts.fail)} failed, ${String(counts.not_applicable)} not applicable`;
  return [
    ...checks.flatMap((check) => [
      `${PAINTED[check.verdict](shownAs(check).padEnd(VERDICT_WIDTH))}  ${visibleLine(`${check.id}: ${check.invariant}`)}`,
      `${' '.repeat(VERDICT_WIDTH)}  ${paint.dim(visibleLine(check.evidence))}`,
    ]),
    '',
    `${url}: ${summary}, in ${((ended_at - started_at) / 1_000).toFixed(1)} s; tenant ${visibleLine(tenant_id ?? 'none')}`,
    ...(keys === 'published'
      ? ['receipts were verified with the keys that the server publishes: name yours with `--keys FILE`']
      : []),
    ...(missing.length > 0 ? [`obligatory, and not applicable: ${missing.map(({ id }) => id).join(', ')}`] : []),
    healthy ? paint.green('healthy') : paint.red('not healthy'),
  ].join('\n');
}
