// SPDX-License-Identifier: Apache-2.0
import type { ReportRequest, ToolClass } from '@writ/contract';
import { reportedFault } from './reported-fault.ts';

const faultOf = (
  report: Pick<ReportRequest, 'ended'> & Partial<ReportRequest>,
  args = {},
  toolClass: ToolClass = 'inline',
  image: string | null = null,
) =>
  reportedFault(
    { exit_code: null, error: null, usage: {}, ...report } as ReportRequest,
    { tool_id: 'shell.run', class: toolClass },
    args,
    image,
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
  // A code that only the kernel may use would appear in a signed record as the kernel's.
  ['effect.invalid', { ended: 'failed' as const, error: { code: 'approval.denied', message: 'no', hint: null } }, {}],
  ['effect.invalid', { ended: 'failed' as const, error: { code: 'token.revoked', message: 'no', hint: null } }, {}],
])('%s rolls back', (code, report, args) => {
  expect(faultOf(report, args)).toMatchObject({ code });
});

test.each<[ToolClass, string | null, string | null]>([
  ['sandboxed', 'sha256:ab', null],
  ['inline', null, 'effect.invalid'],
  ['broker', null, 'effect.invalid'],
  ['broker', 'sha256:ab', null],
])('usage counted in a sandbox is accepted only for a call that ran in one: %s, %s', (toolClass, image, code) => {
  const usage = {
    wall_ms: 1,
    cpu_ms: 1,
    memory_peak_bytes: 1,
    disk_write_bytes: 1,
    output_bytes: 1,
    counted_by: 'host' as const,
  };
  expect(faultOf({ ended: 'exited', exit_code: 0, usage }, {}, toolClass, image)?.code ?? null).toBe(code);
});

test('the message of a tool is cut, and has no NUL, which the database could not store', () => {
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

test.each([
  ['calendar.find', 'calendar.refused', 'calendar.refused'],
  ['calendar.find', 'mailbox.refused', 'effect.invalid'],
  ['email.find', 'mailbox.folder_unknown', 'mailbox.folder_unknown'],
  ['email.draft', 'mailbox.refused', 'mailbox.refused'],
  ['email.draft', 'egress.failed', 'egress.failed'],
  ['email.draft', 'calendar.refused', 'effect.invalid'],
  ['web.fetch', 'mailbox.refused', 'effect.invalid'],
])('a call of %s that reports `%s` ends as `%s`', (tool_id, code, ended) => {
  const report = { ended: 'failed', exit_code: null, error: { code, message: 'no', hint: null }, usage: {} };
  expect(reportedFault(report as unknown as ReportRequest, { tool_id, class: 'broker' }, {}, null)?.code).toBe(ended);
});
