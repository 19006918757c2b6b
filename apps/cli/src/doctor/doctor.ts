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
import type { Verdict } from './check.ts';
import { reportFile, type Report } from './report.ts';
import { runDoctor } from './run-doctor.ts';
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
  const { report, receipt, checkpoint, left, open, isInterrupted } = await runDoctor(client, {
    context,
    kept: statePath === null ? null : readKept(statePath, client.url),
    trust: isGiven ? readTrusted(options) : await publishedTrust(client),
    keys: isGiven ? 'given' : 'published',
  });
  if (statePath !== null && report.tenant_id !== null && checkpoint !== null && open.length === 0)
    keepLog(statePath, { url: client.url, tenant_id: report.tenant_id, checkpoint });
  if (options.report !== undefined) {
    const path = resolve(context.cwd, options.report);
    writeWhole(path, `${JSON.stringify(reportFile(report, receipt, signer), null, 2)}\n`);
  }
  if (left > 0) context.writeError(`note: closed ${String(left)} tenants that an earlier run had left open\n`);
  if (open.length > 0)
    context.writeError(
      `note: ${open.join(' and ')} could not be closed: a later run closes them, or \`writ tenant close\` does\n`,
    );
  if (receipt === null && report.tenant_id !== null)
    context.writeError('note: the log gave no receipt that verifies: it did not record the report\n');
  show(context, options, report, () => textOf(report));
  if (isInterrupted) throw new CliError('interrupted', 'interrupted: what the examination had made is closed');
  if (!report.healthy || receipt === null || open.length > 0) context.setExit(EXIT.failed);
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
    `${url}: ${summary}, in ${((ended_at - started_at) / 1_000).toFixed(1)} s; tenant ${tenant_id ?? 'none'}`,
    ...(keys === 'published'
      ? ['receipts were verified with the keys that the server publishes: name yours with `--keys FILE`']
      : []),
    ...(missing.length > 0 ? [`obligatory, and not applicable: ${missing.map(({ id }) => id).join(', ')}`] : []),
    healthy ? paint.green('healthy') : paint.red('not healthy'),
  ].join('\n');
}
