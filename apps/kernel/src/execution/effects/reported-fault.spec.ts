// SPDX-License-Identifier: Apache-2.0
import type { ReportRequest, ToolClass } from '@writ/contract';
import { reportedFault } from './reported-fault.ts';

const faultOf = (
  report: Pick<ReportRequest, 'ended'> & Partial<ReportRequest>,
  args = {},
  toolClass: ToolClass = 'inline',
) =>
  reportedFault(
    { exit_code: null, error: null, usage: {}, ...report } as ReportRequest,
    { tool_id: 'shell.run', class: toolClass },
    args,
  );

test.each([
  ['an inline tool that ended by itself', { ended: 'exited' as const }, {}],
  ['a command that exited with 0', { ended: 'exited' as const, exit_code: 0 }, {}],
  [
    'a failed command whose changes were to be kept',
    { ended: 'exited' as const, exit_code: 3 },
    { on_failure: 'keep' },
  ],
])('%s may commit', (_what, report, args) => {
  expect(faultOf(report, args)).toBeNull();
});

test.each([
  ['command.failed', { ended: 'exited' as const, exit_code: 3 }, {}],
  ['command.failed', { ended: 'exited' as const, exit_code: 3 }, { on_failure: 'rollback' }],
  ['command.timeout', { ended: 'timeout' as const }, { on_failure: 'keep' }],
  ['command.killed', { ended: 'killed' as const, exit_code: 0 }, { on_failure: 'keep' }],
  ['limit.exceeded', { ended: 'limit' as const }, { on_failure: 'keep' }],
  ['effect.invalid', { ended: 'invalid' as const }, {}],
  ['edit.no_match', { ended: 'failed' as const, error: { code: 'edit.no_match', message: 'no', hint: null } }, {}],
  ['effect.invalid', { ended: 'failed' as const, error: { code: 'made.up', message: 'no', hint: null } }, {}],
  ['effect.invalid', { ended: 'failed' as const, error: { code: 'toString', message: 'no', hint: null } }, {}],
  ['effect.invalid', { ended: 'failed' as const }, {}],
  // What only the kernel says would be read in a signed record as the kernel's word.
  ['effect.invalid', { ended: 'failed' as const, error: { code: 'approval.denied', message: 'no', hint: null } }, {}],
  ['effect.invalid', { ended: 'failed' as const, error: { code: 'token.revoked', message: 'no', hint: null } }, {}],
])('%s rolls back', (code, report, args) => {
  expect(faultOf(report, args)).toMatchObject({ code });
});

test.each<[ToolClass, string | null]>([
  ['sandboxed', null],
  ['inline', 'effect.invalid'],
  ['broker', 'effect.invalid'],
])('usage counted in a sandbox is believed of a call that ran in one: %s', (toolClass, code) => {
  const usage = {
    wall_ms: 1,
    cpu_ms: 1,
    memory_peak_bytes: 1,
    disk_write_bytes: 1,
    output_bytes: 1,
    counted_by: 'host' as const,
  };
  expect(faultOf({ ended: 'exited', exit_code: 0, usage }, {}, toolClass)?.code ?? null).toBe(code);
});

test('what a tool says is cut, and holds no NUL that the database could not store', () => {
  const fault = faultOf({
    ended: 'failed',
    error: { code: 'file.not_found', message: `a\0b${'x'.repeat(5000)}`, hint: '' },
  });
  expect(fault?.message.startsWith('abx')).toBe(true);
  expect(fault?.message).toHaveLength(2048);
  expect(fault?.hint).toBeNull();
});

test('a command without an exit status was ended by a signal, and a tool of files never has one', () => {
  expect(faultOf({ ended: 'exited', exit_code: null }, { on_failure: 'keep' }, 'sandboxed')).toMatchObject({
    code: 'command.killed',
  });
  expect(faultOf({ ended: 'exited', exit_code: 0 }, {}, 'sandboxed')).toBeNull();
  expect(faultOf({ ended: 'exited', exit_code: null }, {}, 'inline')).toBeNull();
});
