// SPDX-License-Identifier: Apache-2.0
import { FakeShells } from './fake-shells.ts';
import { SHELL_PROGRAMS, shellsContract } from './shells.contract.ts';

shellsContract('the fake shells', async () => ({
  shells: new FakeShells(SHELL_PROGRAMS),
  image: 'any',
  close: () => Promise.resolve(),
}));
