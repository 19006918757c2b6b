// SPDX-License-Identifier: Apache-2.0
import { readReferences, replaceReferences } from '@writ/contract';
import type { EgressTarget } from '@writ/egress';
import type { Headers } from '../egress/call-gate.ts';
import { GateRefusal } from '../egress/gate-refusal.ts';
import type { Call } from '../calls/runner.ts';
import { FIELD_VALUE } from './resource-secret.ts';

/** A header as a call writes it; its value may name secrets. */
export interface WrittenHeader {
  readonly name: string;
  readonly value: string;
}

/**
 * The headers of the call, with the values of the secrets that they name. A default header is added unless the call
 * sets it itself. INVARIANT (never in clear): a secret value in a header leaves over TLS only.
 * @throws GateRefusal `egress.refused` for a secret that would leave in clear, and for a value that a header can't hold
 */
export function headersOfCall(
  { secrets }: Pick<Call, 'secrets'>,
  written: readonly WrittenHeader[],
  { scheme }: EgressTarget,
  defaults: Headers,
): Headers {
  const resolved = written.map(({ name, value }) => {
    const named = readReferences(value).filter(({ literal }) => !literal);
    if (named.length > 0 && scheme !== 'https')
      throw new GateRefusal(
        'egress.refused',
        `the header \`${name}\` names a secret, and \`http\` would show it to everybody on the way`,
        'use `https`',
      );
    const text = replaceReferences(value, (reference) =>
      reference.literal ? reference.text.slice(1) : (secrets[reference.name ?? ''] ?? ''),
    );
    if (!FIELD_VALUE.test(text))
      throw new GateRefusal('egress.refused', `the value that the header \`${name}\` names can't stand in a header`);
    return [name, text] as const;
  });
  return [...defaults.filter(([name]) => !resolved.some(([other]) => other === name)), ...resolved];
}
