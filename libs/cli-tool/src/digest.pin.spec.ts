// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { definitionForDigest } from '@writ/contract';
import { cliDefinition } from './definition.ts';
import { KUBECTL_GET, stored } from './sample.contract.ts';

test('the digest does not depend on the order of keys, which no store keeps', () => {
  const [one, other] = [
    { to: { type: 'string' as const }, from: { type: 'string' as const } },
    { from: { type: 'string' as const }, to: { type: 'string' as const } },
  ].map((parameters) =>
    JSON.stringify(definitionForDigest(cliDefinition({ ...stored(KUBECTL_GET), parameters }))['parameters']),
  );
  expect(one).toBe(other);
});

test('the digest of a tool: if it changes, every tool of every tenant has to be applied again', () => {
  const definition = definitionForDigest(cliDefinition(stored(KUBECTL_GET)));
  expect(createHash('sha256').update(JSON.stringify(definition)).digest('hex')).toBe(
    'ac5e3e2592a35c2ddfd8e7dd1381f4a4e2333ddca6363da5d8a115694c12eea4',
  );
});
