// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argumentFaults, TOOLS } from '@writ/contract';
import { checkout } from '../setup.ts';
import { readTranscript } from './models/choose.ts';

const transcript = readTranscript(join(checkout, 'examples', 'duration.transcript.json'));
const calls = transcript.turns.flatMap((turn) => turn.calls);

test('every call of the recorded run is valid for its tool', () => {
  for (const { tool_id, args } of calls)
    expect({ tool_id, faults: argumentFaults(TOOLS.get(tool_id)!, args) }).toEqual({ tool_id, faults: [] });
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
  expect(transcript.turns.at(-1)).toMatchObject({ calls: [], stop: 'end' });
});

describe('on the example', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'writ-example-'));
    cpSync(join(checkout, 'examples', 'duration'), dir, { recursive: true });
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  // A nested test runner reports to the outer one unless this variable is removed.
  const suite = (): number | null =>
    spawnSync(process.execPath, ['--test'], { cwd: dir, env: { PATH: process.env['PATH'] } }).status;
  const applyEdit = (path: string): void => {
    const { args } = calls.find((call) => call.tool_id === 'fs.edit' && call.args['path'] === path)!;
    const [{ find, replace }] = args['edits'] as [{ find: string; replace: string }];
    const before = readFileSync(join(dir, path), 'utf8');
    expect(before.split(find)).toHaveLength(2);
    writeFileSync(
      join(dir, path),
      before.replace(find, () => replace),
    );
  };

  it('the suite fails, and the recorded edit fixes it', () => {
    expect(suite()).not.toBe(0);
    applyEdit('src/parse.js');
    expect(suite()).toBe(0);
  });

  it('the edit out of scope would apply without the limit of the scope', () => {
    applyEdit('package.json');
  });

  it('the command that fails half-way writes first', () => {
    const { args } = calls.find(({ args: { command } }) => String(command).includes('sha256sum'))!;
    const { status, stdout } = spawnSync('bash', ['-c', String(args['command'])], {
      cwd: dir,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });
    expect(status).not.toBe(0);
    expect(stdout).toMatch(/^[0-9a-f]{64} {2}src\/read\.js$/m);
  });
});
