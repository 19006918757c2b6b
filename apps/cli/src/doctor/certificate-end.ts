// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { NotMade } from './finding.ts';

const ANSWER_MS = 5_000;

/**
 * When the certificate of a server ends, in milliseconds since the epoch. Requests verify who the server is; here only
 * the end counts, and one that is over must be readable.
 * @throws NotMade for a certificate without an end, and the error of a connection that can't be made
 */
export async function certificateEnd({ hostname, port }: Pick<URL, 'hostname' | 'port'>): Promise<number> {
  const host = hostname.replace(/^\[|\]$/g, '');
  // An IP address is not sent as SNI (RFC 6066).
  const named = isIP(host) === 0 ? { servername: host } : {};
  const socket = connect({ host, port: Number(port || 443), ...named, rejectUnauthorized: false });
  socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error('the server does not answer with a certificate')));
  try {
    await once(socket, 'secureConnect');
    const end = Date.parse(socket.getPeerCertificate().valid_to);
    if (Number.isNaN(end)) throw new NotMade('the certificate has no end');
    return end;
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}
