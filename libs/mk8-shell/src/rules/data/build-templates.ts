// SPDX-License-Identifier: Apache-2.0
//
// make and test runners of Python. They run code of the workspace, as `npm test` does, and no code of the script:
// makefiles and `.py` files are blocked from being written. No slot of theirs takes an option that names code.
import type { CommandTemplate, TemplatePart } from '../schema.ts';
import { row } from './template-parts.ts';

const flags = (...of: string[]): TemplatePart => ({ slot: 'choice', of, optional: true, most: 4 });
const TESTS: TemplatePart = { slot: 'path', access: 'read', optional: true, most: 16 };

const MAKE: readonly CommandTemplate[] = [
  row('make.default', 'make', [], 'write', "makes the makefile's first target"),
  row('make.target', 'make', [{ slot: 'word', list: 'make-targets' }], 'write', 'makes a target that checks or builds'),
];

const PYTEST_FLAGS = flags('-q', '-v', '-vv', '-x', '-s', '-l', '--lf', '--ff', '--tb=short', '--tb=line', '--tb=no');
const pytest = (id: string, binary: string, words: readonly string[]): readonly CommandTemplate[] => [
  row(id, binary, [...words, PYTEST_FLAGS, TESTS], 'write', 'runs tests of Python'),
  row(
    `${id}_named`,
    binary,
    [...words, PYTEST_FLAGS, '-k', { slot: 'name' }, TESTS],
    'write',
    'runs tests of Python whose names hold a word',
  ),
];

const UNITTEST_FLAGS = flags('-q', '-v', '-f', '-b');
const PYTHON: readonly CommandTemplate[] = [
  ...pytest('pytest.run', 'pytest', []),
  ...pytest('python.pytest', 'python3', ['-m', 'pytest']),
  row(
    'python.unittest_discover',
    'python3',
    ['-m', 'unittest', 'discover', UNITTEST_FLAGS, { slot: 'path', access: 'read', optional: true }],
    'write',
    'finds and runs tests of Python',
  ),
  row(
    'python.unittest',
    'python3',
    ['-m', 'unittest', UNITTEST_FLAGS, { slot: 'name', optional: true, most: 16 }],
    'write',
    'runs tests of Python, those of the named modules if there are any',
  ),
];

export const BUILD_TEMPLATES: readonly CommandTemplate[] = [...MAKE, ...PYTHON];
