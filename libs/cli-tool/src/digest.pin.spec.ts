// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { definitionForDigest } from '@writ/contract';
import { cliDefinition } from './definition.ts';
import { KUBECTL_GET, stored } from './sample.contract.ts';

test('what the digest of a tool is of: where this changes, every tool of every tenant has to be applied anew', () => {
  const definition = definitionForDigest(cliDefinition(stored(KUBECTL_GET)));
  expect(createHash('sha256').update(JSON.stringify(definition)).digest('hex')).toBe('0ddf4afa4b42fedd7cf9bee551dd6a4d760666362d8e292059b0be8797f59b51');
});
