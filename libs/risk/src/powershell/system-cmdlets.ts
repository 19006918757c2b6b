// SPDX-License-Identifier: Apache-2.0
import type { ActKind } from '../act.ts';
import type { Argument } from './arguments.ts';
import type { Cmdlet } from './session.ts';
import { NO_VALUE } from './values.ts';

const RUNS_ONLY = /^what?i?f?$/;
const isRehearsed = (args: readonly Argument[]): boolean =>
  args.some(
    ({ parameter, value }) =>
      parameter !== undefined &&
      (parameter === 'whatif' || parameter === 'wi' || RUNS_ONLY.test(parameter)) &&
      value === undefined,
  );
const subject = (args: readonly Argument[]): string => args.map(({ word }) => word.text).join(' ');

/** Its effect, whatever its target. */
const does =
  (kind: ActKind): Cmdlet =>
  (args, _input, { shell }, name) => {
    if (!isRehearsed(args)) shell.act(kind, name, subject(args));
    return NO_VALUE;
  };
const nothing: Cmdlet = () => NO_VALUE;

/**
 * A name or a number means the caller's own processes, as for `kill`; a pattern, or the items of a pipeline, may mean
 * others.
 */
const stopProcess: Cmdlet = (args, input, { shell }, name) => {
  const isWide =
    input.fields.length > 0 || args.some(({ value }) => value?.fields.some(({ text }) => /[*?\uE000]/.test(text)));
  if (isWide && !isRehearsed(args)) shell.act('process_kill', name, subject(args));
  return NO_VALUE;
};

/** It affects only this process: how its own scripts are accepted. */
const executionPolicy: Cmdlet = (args, _input, { shell }, name) => {
  const ofProcess = args.some(
    ({ parameter, value }, index) =>
      /^s(?:c|co|cop|cope)?$/.test(parameter ?? '') &&
      /^process$/i.test((value ?? args[index + 1]?.value)?.fields[0]?.text ?? ''),
  );
  if (!ofProcess) shell.act('system_change', name, subject(args));
  return NO_VALUE;
};

export const SYSTEM_CMDLETS: Readonly<Record<string, Cmdlet>> = {
  'format-volume': does('format'),
  'clear-disk': does('format'),
  'initialize-disk': does('format'),
  'remove-partition': does('format'),
  'set-disk': does('format'),
  'new-partition': does('format'),
  'resize-partition': does('format'),
  'remove-virtualdisk': does('format'),
  'remove-storagepool': does('format'),
  'reset-physicaldisk': does('format'),
  'repair-volume': does('format'),
  'stop-computer': does('power'),
  'restart-computer': does('power'),
  'stop-process': stopProcess,
  'stop-service': does('system_change'),
  'remove-service': does('system_change'),
  'set-service': does('system_change'),
  'suspend-service': does('system_change'),
  'restart-service': does('system_change'),
  'start-service': nothing,
  'new-service': does('persistence'),
  'register-scheduledtask': does('persistence'),
  'register-scheduledjob': does('persistence'),
  'set-scheduledtask': does('persistence'),
  'new-jobtrigger': nothing,
  'register-wmievent': does('persistence'),
  'register-cimindicationevent': does('persistence'),
  'set-wmiinstance': does('persistence'),
  'unregister-scheduledtask': does('system_change'),
  'new-localuser': does('access_change'),
  'set-localuser': does('access_change'),
  'remove-localuser': does('access_change'),
  'enable-localuser': does('access_change'),
  'add-localgroupmember': does('access_change'),
  'remove-localgroupmember': does('access_change'),
  'set-acl': does('access_change'),
  'set-adaccountpassword': does('access_change'),
  'add-adgroupmember': does('access_change'),
  'set-executionpolicy': executionPolicy,
  'set-mppreference': does('system_change'),
  'add-mppreference': does('system_change'),
  'remove-mppreference': does('system_change'),
  'set-date': does('system_change'),
  'set-timezone': does('system_change'),
  'rename-computer': does('system_change'),
  'add-computer': does('system_change'),
  'remove-computer': does('system_change'),
  'enable-psremoting': does('remote_shell'),
  'clear-eventlog': does('trace_removal'),
  'remove-eventlog': does('trace_removal'),
  'limit-eventlog': does('trace_removal'),
  wevtutil: does('trace_removal'),
  'clear-history': does('trace_removal'),
  'clear-recyclebin': does('work_loss'),
  'checkpoint-computer': nothing,
  'restore-computer': does('system_change'),
  'disable-computerrestore': does('system_change'),
  'get-credential': does('credential_read'),
  'get-secret': does('credential_read'),
  'export-pfxcertificate': does('credential_read'),
  'enter-pssession': does('remote_shell'),
  'send-mailmessage': does('network'),
  'invoke-sqlcmd': (args, _input, session, name) => {
    for (const { word } of args)
      session.shell.invoke([{ text: 'sqlcmd', glob: false }, { text: '-Q', glob: false }, word], { kind: 'nothing' });
    void name;
    return NO_VALUE;
  },
  'remove-variable': nothing,
  'clear-variable': nothing,
  'remove-alias': nothing,
  'remove-module': nothing,
  'remove-job': nothing,
  'stop-job': nothing,
  'remove-event': nothing,
  'unregister-event': nothing,
  'remove-psdrive': nothing,
  'remove-pssession': nothing,
  'disconnect-pssession': nothing,
  'remove-typedata': nothing,
  'remove-psbreakpoint': nothing,
  'disable-psbreakpoint': nothing,
  'clear-host': nothing,
  'clear-clipboard': nothing,
  'stop-transcript': nothing,
  'set-strictmode': nothing,
  'set-psdebug': nothing,
  'set-psreadlineoption': nothing,
  'set-clipboard': nothing,
  'update-formatdata': nothing,
  'update-typedata': nothing,
  'add-member': (_args, input) => input,
};
