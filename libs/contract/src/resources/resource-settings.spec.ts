// SPDX-License-Identifier: Apache-2.0
import { secretsOfSettings } from './resource-settings.ts';

it.each([
  [{}, []],
  [{ secret: 'A' }, ['A']],
  [{ backend: { kind: 'chroma', secret: 'A' }, embedding: { secret: 'B' } }, ['A', 'B']],
  [{ provider: { kind: 'openai', secret: 'A' }, secret: 'A' }, ['A']],
  [{ secret: 7, url: 'secret', list: [{ secret: 'A' }] }, ['A']],
])('the settings %j name the secrets %j', (settings, names) => {
  expect(secretsOfSettings(settings)).toEqual(names);
});
