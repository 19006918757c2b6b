// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { parseMessage, Receipt } from '@writ/contract';
import { ReceiptError } from '@writ/receipt';
import { VERSION } from '@writ/nest-kit/version';
import { CliError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { readCheckpoint } from '../log/read-checkpoint.ts';
import { momentOf } from '../terminal.ts';
import type { Trust } from '../trust.ts';
import { certificateEnd } from './certificate-end.ts';
import { CHECKS } from './checks.ts';
import { SECRET } from './checks/sandboxes.ts';
import { DoctorApi, itemsOf, numberIn, objectOf, textIn } from './doctor-api.ts';
import { countsOf, examine, isHealthy, unmade, type CheckResult } from './examine.ts';
import { closeDigestOf, closeReasonOf, reportFile, verifyRecorded, type Report } from './report.ts';
import type { KeptLog } from './state-file.ts';
import { closeLeftTenants, RunTenants, type LeftTenants } from './tenants.ts';
import { World, type Surroundings } from './world.ts';

/** The time of all checks; closing what they made has its own, so that all of it takes a minute. */
const EXAMINATION_MS = 48_000;
const CLOSING_MS = 10_000;

export interface DoctorInput {
  readonly context: Pick<Context, 'onInterrupt' | 'showProgress'>;
  readonly kept: KeptLog | null;
  readonly trust: Trust;
  readonly keys: Report['keys'];
}

export interface DoctorRun {
  readonly report: Report;
  /** of the record that names the report; null where the log gave none that verifies */
  readonly receipt: Receipt | null;
  /** of the log of the run's tenant; null where none could be read that verifies */
  readonly checkpoint: string | null;
  /** tenants of earlier runs */
  readonly left: LeftTenants;
  /** tenants of this run that could not be closed */
  readonly open: readonly string[];
  /** whether the secret of the examination was removed before its tenant was closed */
  readonly isSecretGone: boolean;
  readonly isInterrupted: boolean;
}

/** Examines an installation. What it makes is closed at the end, also after an interruption. */
export async function runDoctor(client: Client, input: DoctorInput): Promise<DoctorRun> {
  const over = new AbortController();
  await demandAccess(client);
  const removeHandler = input.context.onInterrupt(() => over.abort());
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(EXAMINATION_MS)]);
  const platform = new DoctorApi(client, signal);
  const tenants = new RunTenants(platform);
  const started_at = Date.now();
  try {
    const left = await closeLeftTenants(platform);
    const { world, results } = await examineAll({ ...input, platform }, tenants, signal, input.context.showProgress);
    const report: Report = {
      v: 1,
      url: client.url,
      version: VERSION,
      started_at,
      ended_at: Date.now(),
      tenant_id: world?.tenantId ?? null,
      keys: input.keys,
      healthy: isHealthy(results),
      counts: countsOf(results),
      checks: results,
    };
    return {
      report,
      left,
      isInterrupted: over.signal.aborted,
      ...(await conclude(client, tenants, { world, report, trust: input.trust })),
    };
  } finally {
    input.context.showProgress?.('');
    removeHandler();
    await tenants.close(platform.until(AbortSignal.timeout(CLOSING_MS)), 'the examination of the doctor failed');
  }
}

/** A key that may not do this, and a certificate that is over, are told at once, before anything is made. */
async function demandAccess(client: Client): Promise<void> {
  try {
    await client.request('/v1/system');
  } catch (error) {
    const url = new URL(client.url);
    if (!(error instanceof CliError) || error.code !== 'http' || url.protocol !== 'https:') throw error;
    const end = await certificateEnd(url).catch(() => null);
    if (end === null || end > Date.now()) throw error;
    throw new CliError(
      'certificate',
      `the certificate of ${client.url} is over since ${momentOf(end)}: renew it, and examine again`,
      error.exit,
      { cause: error },
    );
  }
}

async function examineAll(
  around: Surroundings,
  tenants: RunTenants,
  signal: AbortSignal,
  showProgress: Context['showProgress'],
): Promise<{ world: World | null; results: CheckResult[] }> {
  let world: World;
  try {
    world = await World.make(around, () => tenants.make());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { world: null, results: unmade(CHECKS, `no tenant could be made for the examination: ${reason}`) };
  }
  let done = 0;
  const results = await examine(CHECKS, world, signal, () => {
    done += 1;
    showProgress?.(`${String(done)} of ${String(CHECKS.length)} checks`);
  });
  return { world, results };
}

interface Examined {
  readonly world: World | null;
  readonly report: Report;
  readonly trust: Trust;
}

/** Closes the tenants. The record of that names the report. */
async function conclude(
  client: Client,
  tenants: RunTenants,
  { world, report, trust }: Examined,
): Promise<Pick<DoctorRun, 'receipt' | 'checkpoint' | 'open' | 'isSecretGone'>> {
  const signal = AbortSignal.timeout(CLOSING_MS);
  const platform = new DoctorApi(client, signal);
  const note = await world?.admin
    .until(signal)
    .get('/v1/log/checkpoint')
    .catch(() => null);
  const checkpoint = note?.status === 200 && isTrusted(note.text, trust) ? note.text : null;
  const isSecretGone = world === null || (await removeSecret(world.admin.until(signal)));
  const open = await tenants.close(platform, closeReasonOf(report));
  const receipt = open.length > 0 || world === null ? null : await closingReceipt(platform, report, trust);
  return { receipt, checkpoint, open, isSecretGone };
}

/** A closed tenant would keep it. Resolves with whether it isn't there. */
async function removeSecret(admin: DoctorApi): Promise<boolean> {
  const answer = await admin.ask('DELETE', `/v1/secrets/${SECRET}`).catch(() => null);
  return answer !== null && (answer.status === 200 || answer.code === 'not_found');
}

/** What is kept has to verify at the next run. */
function isTrusted(note: string, trust: Trust): boolean {
  try {
    readCheckpoint(note, trust, 'the newest checkpoint');
    return true;
  } catch (error) {
    if (error instanceof CliError) return false;
    throw error;
  }
}

const TRIES = 20;
const PAUSE_MS = 150;
/** Records of the closing are the last of the log: each revoked key and each ended call has one. */
const LAST_RECORDS = 100;

/** The receipt of the record `tenant_closed`; null where none comes that verifies. */
async function closingReceipt(platform: DoctorApi, report: Report, trust: Trust): Promise<Receipt | null> {
  const path = `/v1/tenants/${report.tenant_id ?? ''}/records`;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const receipts = await lastReceipts(platform, path).catch(() => []);
    const receipt = receipts.find((each) => isOfReport(report, each, trust));
    if (receipt !== undefined) return receipt;
    await sleep(PAUSE_MS);
  }
  return null;
}

/** Receipts of the last changes. */
async function lastReceipts(platform: DoctorApi, path: string): Promise<Receipt[]> {
  const list = await platform.must('GET', `${path}?limit=${String(LAST_RECORDS)}`);
  const receipts: Receipt[] = [];
  for (const record of itemsOf(list)) {
    if (textIn(record, 'type') !== 'change') continue;
    const answer = await platform.get(`${path}/${String(numberIn(record, 'leaf_index'))}/receipt`);
    if (answer.status === 200) receipts.push(parseMessage(Receipt, objectOf(answer)));
  }
  return receipts;
}

/** INVARIANT (what it gives verifies): a report is given with a receipt that the same keys verify, or with none. */
function isOfReport(report: Report, receipt: Receipt, trust: Trust): boolean {
  if (!Buffer.from(receipt.envelope.payload, 'base64').includes(closeDigestOf(report))) return false;
  try {
    verifyRecorded(reportFile(report, receipt, null), trust);
    return true;
  } catch (error) {
    if (error instanceof ReceiptError || error instanceof CliError) return false;
    throw error;
  }
}
