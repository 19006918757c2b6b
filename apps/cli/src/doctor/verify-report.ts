// SPDX-License-Identifier: Apache-2.0
import { ReceiptError } from '@writ/receipt';
import { parseVerifier, SignatureError, type Verifier } from '@writ/signing';
import { createPublicKey } from 'node:crypto';
import { Command } from 'commander';
import { CliError, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { readNamedFile, readNamedText } from '../read-named-file.ts';
import { fieldsOf, momentOf } from '../terminal.ts';
import { readTrust, withTrust, type TrustOptions } from '../trust.ts';
import { parseReportFile, verifyRecorded, verifySigned } from './report.ts';

interface VerifyReportOptions extends CommonOptions, TrustOptions {
  readonly signer?: string;
}

/** `writ doctor verify REPORT`. Needs no connection. */
export function verifyReportCommand(context: Context): Command {
  const command = withTrust(new Command('verify'))
    .description('verify a report offline: that the log recorded it, or that an operator signed it')
    .argument('<report>')
    .option('--signer <file>', 'the public key of the operator (SPKI PEM)');
  return command.action((path: string) => {
    const options = command.optsWithGlobals<VerifyReportOptions>();
    const hasKeys = options.keys !== undefined || options.trust !== undefined;
    if (!hasKeys && options.signer === undefined)
      throw usage('name whom you trust: `--keys FILE` or `--trust FILE` for the log, `--signer FILE` for the operator');
    const file = parseReportFile(readNamedFile(path, 'report'));
    const recorded = hasKeys ? judged(() => verifyRecorded(file, readTrust(options, Date.now()))) : null;
    const signed =
      options.signer === undefined ? null : judged(() => verifySigned(file, verifierIn(options.signer ?? '')));
    const { url, healthy, started_at, counts } = file.report;
    const verified = { ok: true, url, healthy, started_at, counts, recorded_as: recorded, signed_by: signed };
    show(context, options, verified, () =>
      fieldsOf({
        'report of': url,
        'examined at': momentOf(started_at),
        result: healthy ? 'healthy' : 'not healthy',
        'recorded as': recorded,
        'signed by': signed,
      }),
    );
  });
}

function judged(verify: () => string): string {
  try {
    return verify();
  } catch (error) {
    if (error instanceof ReceiptError) throw new CliError(`verify.${error.check}`, error.message);
    if (error instanceof SignatureError)
      throw new CliError('verify.signature', `the report is not signed by that key (${error.message})`);
    throw error;
  }
}

/** @throws CliError `usage` for a file that is no public key */
function verifierIn(path: string): Verifier {
  try {
    return parseVerifier(createPublicKey(readNamedText(path, '--signer')).export({ format: 'jwk' }));
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw usage(`\`${path}\` is no public Ed25519 key in PEM: \`openssl pkey -in KEY -pubout\` prints one`);
  }
}
