// SPDX-License-Identifier: Apache-2.0
import { FS_READ, MK8_RUN, SHELL_DANGEROUS, SHELL_RUN, SHELL_SESSION, type CallSettings } from '@writ/contract';
import { decideTime } from './decide-time.ts';

const HOUR = 3_600_000;
const NOW = 1_000_000;
type Settings = Pick<CallSettings, 'command_ms' | 'tool_command_ms'>;
const decide = (
  tool: Parameters<typeof decideTime>[0],
  asked: number | null,
  settings: Settings = {},
  lives: readonly number[] = [100 * HOUR],
) => {
  const chain = lives.map((ms) => ({ token: { grant: { expires_at: NOW + ms } } }));
  const decided = decideTime(tool, { value: asked === null ? {} : { timeout_ms: asked } }, {
    chain,
    rules: { settings },
    now: NOW,
  } as unknown as Parameters<typeof decideTime>[2]);
  return decided.effect === 'allow'
    ? [decided.limits.wall_ms, decided.limits.cpu_ms, decided.isLong]
    : [decided.code, decided.message];
};
const profile = (ms: number) => ({ ...SHELL_DANGEROUS, limits: { ...SHELL_DANGEROUS.limits, wall_ms: ms } });
const program = (ms: number) => ({ ...SHELL_RUN, tool_id: 'make.all', limits: { ...SHELL_RUN.limits, wall_ms: ms } });
const TOO_LONG = ['command.too_long', expect.any(String)];

describe('the time of a command', () => {
  it('is two minutes for a command and as before for a script, unless the tenant sets another', () => {
    expect(decide(SHELL_RUN, null)).toEqual([120_000, 240_000, false]);
    expect(decide(SHELL_RUN, 5_000)).toEqual([120_000, 240_000, false]);
    expect(decide(MK8_RUN, null)).toEqual([630_000, 240_000, false]);
    expect(decide(SHELL_RUN, 120_001)).toEqual(TOO_LONG);
    expect(decide(SHELL_RUN, null, { command_ms: HOUR })).toEqual([120_000, 240_000, false]);
    expect(decide(SHELL_RUN, null, { command_ms: 10_000 })).toEqual([10_000, 240_000, false]);
    expect(decide(SHELL_RUN, 10_001, { command_ms: 10_000 })).toEqual(TOO_LONG);
  });

  it('is what the call asks for, up to the setting for its tool, else for all; processor time follows', () => {
    expect(decide(SHELL_RUN, 2 * HOUR, { command_ms: 2 * HOUR })).toEqual([2 * HOUR, 4 * HOUR, true]);
    expect(decide(SHELL_RUN, 2 * HOUR, { command_ms: HOUR })).toEqual(TOO_LONG);
    const own = { command_ms: HOUR, tool_command_ms: { 'shell.run': 3 * HOUR } };
    expect(decide(SHELL_RUN, 3 * HOUR, own)).toEqual([3 * HOUR, 6 * HOUR, true]);
    expect(decide(MK8_RUN, 3 * HOUR, own)).toEqual(TOO_LONG);
    expect(decide(MK8_RUN, HOUR, own)).toEqual([HOUR, 2 * HOUR, true]);
  });

  it('of a profile or of a tenant’s program is its own, and a setting of the tenant only shortens it', () => {
    for (const tool of [profile(2 * HOUR), program(2 * HOUR)]) {
      expect(decide(tool, null)).toEqual([2 * HOUR, 4 * HOUR, true]);
      expect(decide(tool, null, { command_ms: HOUR })).toEqual([HOUR, 2 * HOUR, true]);
      expect(decide(tool, null, { command_ms: 5 * HOUR })).toEqual([2 * HOUR, 4 * HOUR, true]);
      expect(decide(tool, null, { tool_command_ms: { [tool.tool_id]: 1_000 } })).toEqual([1_000, 240_000, false]);
    }
    expect(decide(profile(HOUR), HOUR + 1, { command_ms: 5 * HOUR })).toEqual([
      'command.too_long',
      expect.stringContaining('its execution profile'),
    ]);
    expect(decide(profile(2 * HOUR), HOUR, {}, [HOUR])).toEqual([HOUR, 2 * HOUR, true]);
    // A parameter of a tenant's program is not the time of its call.
    expect(decide(program(60_000), 5 * HOUR)).toEqual([60_000, 240_000, false]);
  });

  it('ends within the life of every token of the chain, if it is longer than usual', () => {
    const open = { command_ms: 12 * HOUR };
    expect(decide(SHELL_RUN, HOUR, open, [2 * HOUR, HOUR])).toEqual([HOUR, 2 * HOUR, true]);
    expect(decide(SHELL_RUN, HOUR, open, [2 * HOUR, HOUR - 1])).toEqual([
      'command.too_long',
      expect.stringContaining('its capability token ends in 3599999 ms'),
    ]);
    expect(decide(SHELL_RUN, null, open, [1_000])).toEqual([120_000, 240_000, false]);
  });

  it('of other tools is theirs', () => {
    for (const tool of [FS_READ, SHELL_SESSION])
      expect(decide(tool, HOUR, { command_ms: 1_000 })).toEqual([tool.limits.wall_ms, tool.limits.cpu_ms, false]);
  });
});
