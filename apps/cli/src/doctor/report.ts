// SPDX-License-Identifier: Apache-2.0
//
// The report of an examination. INVARIANT (signed as it is read): every signature is over the canonical text of the
// member `report`, which is what people read in the file.
import { Receipt, parseMessage } from '@writ/contract';
import { canonicalBytes, parseIJson, sha256Hex } from '@writ/digest';
import { verifyReceipt, type Expectation } from '@writ/receipt';
import { sealEnvelope, verifyEnvelope, type Signer, type Verifier } from '@writ/signing';
import { Type, type Static } from 'typebox';
import { CliError } from '../cli-error.ts';
import type { Trust } from '../trust.ts';

export const REPORT_MEDIA_TYPE = 'application/vnd.writ.doctor-report.v1+json';
const REPORT_BYTES_MAX = 1024 * 1024;

const closed = { additionalProperties: false } as const;
const Count = Type.Integer({ minimum: 0 });
const Verdicts = Type.Union([Type.Literal('pass'), Type.Literal('fail'), Type.Literal('not_applicable')]);

export const Report = Type.Object(
  {
    v: Type.Literal(1),
    url: Type.String(),
    /** of the program that examined */
    version: Type.String(),
    /** milliseconds since the epoch, by the clock of the machine that examined */
    started_at: Count,
    ended_at: Count,
    tenant_id: Type.Union([Type.String(), Type.Null()]),
    /** whether the keys that receipts were verified with came from the reader, or from the server itself */
    keys: Type.Union([Type.Literal('given'), Type.Literal('published')]),
    healthy: Type.Boolean(),
    counts: Type.Object({ pass: Count, fail: Count, not_applicable: Count }, closed),
    checks: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          invariant: Type.String(),
          obligatory: Type.Boolean(),
          verdict: Verdicts,
          /** false: it failed because it could not be made */
          made: Type.Boolean(),
          evidence: Type.String(),
          ms: Count,
        },
        closed,
      ),
    ),
  },
  closed,
);
export type Report = Static<typeof Report>;

const ReportFile = Type.Object(
  {
    media_type: Type.Literal(REPORT_MEDIA_TYPE),
    report: Report,
    /** of the record `tenant_closed`, which names the digest of the report; null where the log gave none */
    receipt: Type.Union([Receipt, Type.Null()]),
    /** the DSSE signature of the operator; null without `--sign-key` */
    signature: Type.Union([Type.Object({ keyid: Type.String(), sig: Type.String() }, closed), Type.Null()]),
  },
  closed,
);
export type ReportFile = Static<typeof ReportFile>;

/** The reason for which the tenant of a run is closed: the record of that names the report. */
export const closeReasonOf = (report: Report): string => `doctor report sha256:${sha256Hex(canonicalBytes(report))}`;

/** The digest by which the record `tenant_closed` refers to the report. */
export const closeDigestOf = (report: Report): string =>
  sha256Hex(canonicalBytes({ tenant_id: report.tenant_id, reason: closeReasonOf(report) }));

/** The file of a report. */
export function reportFile(report: Report, receipt: Receipt | null, signer: Signer | null): ReportFile {
  const [signature = null] =
    signer === null ? [] : sealEnvelope(REPORT_MEDIA_TYPE, canonicalBytes(report), signer).signatures;
  return { media_type: REPORT_MEDIA_TYPE, report, receipt, signature };
}

/** Parses an attacker-controlled file. @throws CliError `report` */
export function parseReportFile(bytes: Uint8Array): ReportFile {
  try {
    return parseMessage(ReportFile, parseIJson(bytes, { depthMax: 8, bytesMax: REPORT_BYTES_MAX }));
  } catch (cause) {
    throw new CliError('report', 'the file is no report of `writ doctor`', undefined, { cause });
  }
}

/**
 * Verifies that the log has recorded this report.
 * @throws ReceiptError for a receipt that does not verify; CliError `report` where it is none of this report
 */
export function verifyRecorded({ report, receipt }: ReportFile, trust: Trust, expected: Expectation = {}): string {
  if (receipt === null) throw new CliError('report', 'the file has no receipt: the log did not record this report');
  const { keys, witnessing } = trust.termsOf(receipt.inclusion.checkpoint);
  const { record } = verifyReceipt(receipt, keys, expected, witnessing);
  const { change } = record;
  const isOfReport =
    change?.verb === 'tenant_closed' && change.subject === report.tenant_id && change.digest === closeDigestOf(report);
  if (!isOfReport) throw new CliError('report', 'its receipt is of another report: the content was changed');
  return record.record_id;
}

/** Verifies the operator's signature. @throws SignatureError; CliError `report` without one */
export function verifySigned({ report, signature }: ReportFile, verifier: Verifier): string {
  if (signature === null) throw new CliError('report', 'the file has no signature of an operator');
  const payload = Buffer.from(canonicalBytes(report)).toString('base64');
  verifyEnvelope(
    { payloadType: REPORT_MEDIA_TYPE, payload, signatures: [signature] },
    new Map([[verifier.keyid, verifier]]),
    REPORT_MEDIA_TYPE,
  );
  return verifier.keyid;
}
