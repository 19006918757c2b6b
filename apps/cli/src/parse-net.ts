// SPDX-License-Identifier: Apache-2.0
import { PORT_MAX, type Grant } from '@writ/contract';
import { usage } from './cli-error.ts';

/** A host with the methods of requests to it, and ports where it names them: `mail.example.org:143,993=TCP,TLS`. */
export function parseNet(text: string): Grant['net'][number] {
  const [, domain, written, methods] = /^([^=:\s]+)(?::([0-9]+(?:,[0-9]+)*))?=([A-Z]+(?:,[A-Z]+)*)$/.exec(text) ?? [];
  if (domain === undefined || methods === undefined)
    throw usage(
      `\`--net ${text}\` is no host with methods: write api.example.org=GET,POST or mail.example.org:993=TLS`,
    );
  const ports = written?.split(',').map(Number);
  if (ports?.some((port) => port < 1 || port > PORT_MAX))
    throw usage(`\`--net ${text}\` has a port that is not from 1 to ${String(PORT_MAX)}`);
  return { domain, methods: methods.split(','), ...(ports === undefined ? {} : { ports }) };
}

/** The same for a person to read. */
export const describeNet = ({ domain, methods, ports }: Grant['net'][number]): string =>
  `${methods.join(',')} ${domain}${ports === undefined ? '' : `:${ports.join(',')}`}`;
