// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import { readTurn } from './read-turn.ts';

const call = (args: unknown): string => `[TOOL_CALL:a] ${JSON.stringify({ action: 'fs.list', args })}`;
const read = (output: string) => readTurn({ dialect: 'blocks', output });

it('an output is parsed by its dialect', () => {
  expect(read(call({ path: 'src' })).calls).toMatchObject([{ tool_id: 'fs.list', args: { path: 'src' } }]);
});

it('calls whose arguments hold too many values are refused together', () => {
  const half = Array.from({ length: LIMITS.bodyValues.max / 2 + 1 }, () => 0);
  expect(read(call({ path: half })).calls).toHaveLength(1);
  expect(() => read(`${call({ path: half })}\n${call({ path: half }).replace(':a]', ':b]')}`)).toThrow(
    expect.objectContaining({ code: 'limit.exceeded' }) as Error,
  );
});
