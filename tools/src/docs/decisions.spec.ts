// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout } from '../setup.ts';
import { decisionFaults } from './decisions.ts';

test('every decision record has a title, a valid status, and one line in the index', () => {
  expect(decisionFaults(checkout)).toEqual([]);
});

describe('a folder of decision records', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'writ-decisions-'));
    mkdirSync(join(root, 'docs/adr'), { recursive: true });
    write('0001-bus-a-port.md', '# 0001. Bus: a port\n\nStatus: superseded by [0002](0002-bus-no-port.md)\n');
    write('0002-bus-no-port.md', '# 0002. Bus: no port\n\nStatus: accepted\n');
    write(
      'README.md',
      '# Records\n\n- [0001. Bus: a port](0001-bus-a-port.md): superseded by [0002](0002-bus-no-port.md)\n- [0002. Bus: no port](0002-bus-no-port.md): accepted\n',
    );
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });
  const write = (name: string, text: string): void => {
    writeFileSync(join(root, 'docs/adr', name), text);
  };

  test('in the right form has no faults', () => {
    expect(decisionFaults(root)).toEqual([]);
  });

  test.each([
    ['a title without a subject', '# 0002. No port\n\nStatus: accepted\n', 'the title is not'],
    ['a title that is not the name of its file', '# 0002. Bus: gone\n\nStatus: accepted\n', '0002-bus-gone.md'],
    ['a status beyond the list', '# 0002. Bus: no port\n\nStatus: proposed\n', 'unknown status `proposed`'],
    ['no status', '# 0002. Bus: no port\n', 'unknown status ``'],
    [
      'a successor that is not there',
      '# 0002. Bus: no port\n\nStatus: superseded by [0003](0003-bus-gone.md)\n',
      'no later record 0003-bus-gone.md',
    ],
    [
      'a successor that came before',
      '# 0002. Bus: no port\n\nStatus: superseded by [0001](0001-bus-a-port.md)\n',
      'no later record 0001-bus-a-port.md',
    ],
  ])('%s is found', (_, text, fault) => {
    write('0002-bus-no-port.md', text);
    expect(decisionFaults(root).join('\n')).toContain(fault);
  });

  test('a record missing in the index, a duplicate number and a stray file are found', () => {
    write('0002-bus-other.md', '# 0002. Bus: other\n\nStatus: accepted\n');
    write('notes.md', '');
    expect(decisionFaults(root)).toEqual([
      'notes.md: not a name of a record',
      '0002: used twice',
      'README.md: not there exactly once: - [0002. Bus: other](0002-bus-other.md): accepted',
    ]);
  });

  test('a line of the index without its record, or with another status, is found', () => {
    write('README.md', '- [0001. Bus: a port](0001-bus-a-port.md): accepted\n');
    expect(decisionFaults(root)).toContain(
      'README.md: leads to no record: - [0001. Bus: a port](0001-bus-a-port.md): accepted',
    );
  });
});
