// SPDX-License-Identifier: Apache-2.0
import { missingPackages } from '../install-state.mjs';

const lock = {
  packages: {
    '': { version: '0.1.0' },
    'libs/a': { version: '0.1.0' },
    'node_modules/@writ/a': { link: true, resolved: 'libs/a' },
    'node_modules/x': { version: '1.0.0', integrity: 'sha512-x' },
    'node_modules/x/node_modules/y': { version: '2.0.0', integrity: 'sha512-y' },
    'node_modules/other-platform': { version: '1.0.0', integrity: 'sha512-o', optional: true },
  },
};
const { 'node_modules/other-platform': _absent, '': _root, ...installed } = lock.packages;

test('an installation that matches the lockfile needs nothing; binaries of other platforms may be absent', () => {
  expect(missingPackages(lock, { packages: installed })).toEqual([]);
});

test('without a record of an install everything is missing', () => {
  expect(missingPackages(lock, undefined)).toEqual([
    'node_modules/@writ/a',
    'node_modules/x',
    'node_modules/x/node_modules/y',
  ]);
});

test.each([
  ['another version', { version: '1.0.1', integrity: 'sha512-x' }],
  ['other bytes', { version: '1.0.0', integrity: 'sha512-z' }],
])('%s is installed again', (_, found) => {
  expect(missingPackages(lock, { packages: { ...installed, 'node_modules/x': found } })).toEqual(['node_modules/x']);
});
