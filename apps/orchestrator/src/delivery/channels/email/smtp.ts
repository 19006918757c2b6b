// SPDX-License-Identifier: Apache-2.0
// Hands one mail to an SMTP server. The server is attacker-controlled, because a tenant chooses it. INVARIANT (no
// credential in the clear): TLS is required, also before the password is sent, but for hosts that the operator allowed.
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { DeliveryError } from '../../../edge/outbound/delivery-error.ts';
import { dial } from '../../../edge/outbound/dial.ts';
import type { EgressGate } from '../../../edge/outbound/egress-gate.ts';
import { timedOut } from '../../../edge/outbound/timed-out.ts';
import { bareHost } from '../../../edge/outbound/webhook-url.ts';
import type { KindSettings } from '../../../store/channels/channels.ts';

/** Most bytes of one reply of the server. */
const REPLY_BYTES_MAX = 16 * 1_024;

export interface SmtpMail {
  readonly settings: KindSettings['email'];
  readonly password: string;
  /** what this client calls itself */
  readonly name: string;
  /** the message, with its headers */
  readonly bytes: Buffer;
}

/** A refusal of the server, by its code of three digits. Its text is not kept: the server chooses it. */
export class SmtpRefusal extends Error {
  readonly code: number;

  constructor(code: number, options?: ErrorOptions) {
    super(`the server answered ${code}`, options);
    this.name = 'SmtpRefusal';
    this.code = code;
  }
}

/**
 * Resolves once the server has taken the mail for at least one of the addresses.
 * @throws SmtpRefusal where the server refuses it
 * @throws DeliveryError where no connection is made or it breaks, also for a wrong certificate
 */
export async function sendBySmtp(gate: EgressGate, mail: SmtpMail, timeoutMs: number): Promise<void> {
  const { host, port, tls } = mail.settings;
  const signal = AbortSignal.timeout(timeoutMs);
  // A lookup can't be aborted; its result is ignored.
  const target = await Promise.race([gate.pinHost(host, port), timedOut(signal)]);
  if (tls === 'none' && !gate.allows(target.url)) throw new DeliveryError('url.refused');
  const socket = await dial(target, port, signal);
  // Errors come through the connection; one that comes after its end must not be uncaught.
  socket.on('error', () => undefined);
  const connection = new SMTPConnection({
    ...{ connection: socket, host: bareHost(target.url), port, name: mail.name },
    ...{ secure: tls === 'implicit', requireTLS: tls === 'starttls', ignoreTLS: tls === 'none' },
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
    ...{ maxResponseSize: REPLY_BYTES_MAX, logger: false },
    tls: { rejectUnauthorized: true },
  });
  try {
    await Promise.race([converse(connection, mail), timedOut(signal)]);
  } catch (error) {
    throw failureOf(error);
  } finally {
    connection.close();
    socket.destroySoon();
  }
}

/** Resolves once the mail is taken. A connection that ends before rejects. */
function converse(connection: SMTPConnection, { settings, password, bytes }: SmtpMail): Promise<void> {
  const { username, from, to } = settings;
  return new Promise((resolve, reject) => {
    connection.on('error', reject);
    connection.once('end', () => reject(new DeliveryError('connect.failed')));
    const send = (): void =>
      void connection.send({ from, to: [...to] }, bytes, (error) => {
        if (error) return reject(error);
        connection.quit();
        resolve();
      });
    connection.connect((error) => {
      if (error) return reject(error);
      if (username === null) return send();
      connection.login({ credentials: { user: username, pass: password } }, (refused) => {
        if (refused) return reject(refused);
        send();
      });
    });
  });
}

function failureOf(error: unknown): Error {
  if (error instanceof DeliveryError) return error;
  const { responseCode, code } = error as { readonly responseCode?: unknown; readonly code?: unknown };
  if (typeof responseCode === 'number' && responseCode >= 400 && responseCode < 600)
    return new SmtpRefusal(responseCode, { cause: error });
  return new DeliveryError(code === 'ETIMEDOUT' ? 'timeout' : 'connect.failed', { cause: error });
}
