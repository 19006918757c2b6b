// SPDX-License-Identifier: Apache-2.0
// What the machine says. Where it can't say, the step succeeds with `unavailable`: scripts can ask for that.
import { int, optional, path, text } from '../registry/arguments.ts';
import { verbsOf, type Verb } from '../registry/verb.ts';
import type { DiskFacts } from '../host/host.ts';
import { isReadableVariable } from '../rules/rules.ts';
import type { StepContext } from '../run/step-context.ts';
import { refused } from '../run/step-error.ts';
import { listed, said as inWords, UNAVAILABLE } from './lines.ts';
import { formatBytes, formatDuration } from './formatting.ts';
import { DEFAULT_FORMAT, formatTime } from './time-format.ts';

const verb = verbsOf('system');
const environment = verbsOf('environment');

const said = async <Fact>(fact: Promise<Fact | null>, words?: (fact: Fact) => string): Promise<string> =>
  inWords(await fact, words);

const diskWords = ({ name, totalBytes, freeBytes }: DiskFacts): string =>
  `${name}  total ${formatBytes(totalBytes)}  used ${formatBytes(totalBytes - freeBytes)}  free ${formatBytes(freeBytes)}`;
const holding =
  (filter: string) =>
  ({ name }: { readonly name: string }): boolean =>
    name.toLowerCase().includes(filter.toLowerCase());

async function sizeOf(folder: string, { files }: StepContext): Promise<string> {
  let total = 0;
  for await (const { path: file, kind } of files.tree(folder, 64))
    if (kind === 'file') total += (await files.stat(file))?.size ?? 0;
  return `${total} bytes (${formatBytes(total)})`;
}

async function disk([folder = '']: readonly string[], { files, system }: StepContext): Promise<string> {
  return said(system.disk(await files.real(folder, 'read')), diskWords);
}

async function service([name = '']: readonly string[], { system }: StepContext): Promise<string> {
  return said(
    system.services(),
    (services) => services.find((one) => one.name.toLowerCase() === name.toLowerCase())?.status ?? 'not found',
  );
}

const processes = async (filter: string, { system }: StepContext): Promise<string> =>
  said(system.processes(), (list) => listed(list.filter(holding(filter)).map(({ pid, name }) => `${pid}\t${name}`)));

function variable([name = '']: readonly string[], { sandbox: { rules, env }, env: machine }: StepContext): string {
  const upper = name.toUpperCase();
  if (!isReadableVariable(rules, upper, env.has(upper)))
    throw refused(`\`${name.slice(0, 64)}\` may not be read; EnvList says which may`);
  return env.get(upper) ?? machine.get(upper) ?? '';
}

function variables({ sandbox: { rules, env }, env: machine }: StepContext): string {
  const names = new Set([...env.keys(), ...rules.set.environment.allowed]);
  return listed(
    [...names]
      .filter(
        (name) => isReadableVariable(rules, name, env.has(name)) && (env.has(name) || machine.get(name) !== undefined),
      )
      .sort()
      .map((name) => `${name}=${env.get(name) ?? machine.get(name) ?? ''}`),
  );
}

export const SYSTEM_VERBS: readonly Verb[] = [
  environment(
    'EnvGet',
    'reads',
    "a variable that may be read; nothing where it isn't set",
    [text('name')],
    ['LANG'],
    variable,
  ),
  environment('EnvList', 'reads', 'all variables that may be read', [], [], (_, context) => variables(context)),
  verb('SysWhoAmI', 'reads', 'the user', [], [], (_, { sandbox }) => sandbox.user),
  verb('SysPwd', 'reads', 'the working directory', [], [], (_, { sandbox: { root, cwd } }) =>
    cwd === '' ? root : `${root}/${cwd}`,
  ),
  verb('SysHostname', 'reads', "the machine's name", [], [], (_, { system }) => said(system.hostname())),
  verb('SysUptime', 'reads', 'how long the machine has been running', [], [], (_, { system }) =>
    said(system.uptimeSeconds(), formatDuration),
  ),
  verb('SysDate', 'reads', 'the time in UTC', [], [], (_, { clock }) => formatTime(clock.now())),
  verb(
    'SysDateFormat',
    'reads',
    'the time in UTC, in a format',
    [optional(text('format'))],
    ['yyyy-MM-dd'],
    ([format = DEFAULT_FORMAT], { clock }) => formatTime(clock.now(), format),
  ),
  verb('SysTimestamp', 'reads', 'seconds since 1970', [], [], (_, { clock }) => String(Math.floor(clock.now() / 1000))),
  verb('SysOsInfo', 'reads', 'the operating system', [], [], (_, { system }) => said(system.osInfo())),
  verb('SysCpuCount', 'reads', 'how many processors there are', [], [], (_, { system }) => said(system.cpuCount())),
  verb('SysTempDir', 'reads', 'where temporary files are', [], [], (_, { system }) => said(system.tempDirectory())),
  verb(
    'SysDiskUsage',
    'reads',
    'the disk that a path is on, the workspace unless said',
    [optional(path('path'))],
    ['$WORKSPACE'],
    disk,
  ),
  verb(
    'SysDirSize',
    'reads',
    'how many bytes the files below a directory have',
    [path('path')],
    ['$WORKSPACE/src'],
    ([folder = ''], context) => sizeOf(folder, context),
  ),
  verb('SysMemory', 'reads', 'memory, all and free', [], [], (_, { system }) =>
    said(
      system.memory(),
      ({ totalBytes, freeBytes }) =>
        `total ${formatBytes(totalBytes)}  used ${formatBytes(totalBytes - freeBytes)}  free ${formatBytes(freeBytes)}`,
    ),
  ),
  verb('SysProcessList', 'reads', 'processes, one a line with its number', [], [], (_, context) =>
    processes('', context),
  ),
  verb('SysDriveList', 'reads', 'disks, one a line', [], [], (_, { system }) =>
    said(system.drives(), (drives) => listed(drives.map(diskWords))),
  ),
  verb('SysNetInfo', 'reads', 'networks that the machine is in', [], [], (_, { system }) =>
    said(system.interfaces(), (list) => listed(list.map(({ name, addresses }) => `${name}: ${addresses.join(', ')}`))),
  ),
  verb(
    'SysLogRead',
    'reads',
    'the newest lines of a log, 50 unless said; a filter narrows them',
    [text('source'), optional(int('lines', 1, 500)), optional(text('filter'))],
    ['system', '2'],
    ([source = '', lines = '50', filter = ''], { system }) =>
      said(system.logLines(source, Number(lines), filter), listed),
  ),
  verb('SysLogSources', 'reads', 'logs that there are', [], [], (_, { system }) => said(system.logSources(), listed)),
  verb(
    'SysServiceList',
    'reads',
    'services and their states; a filter narrows their names',
    [optional(text('filter'))],
    ['d'],
    ([filter = ''], { system }) =>
      said(system.services(), (services) =>
        listed(services.filter(holding(filter)).map(({ name, status }) => `${name}: ${status}`)),
      ),
  ),
  verb('SysServiceStatus', 'reads', 'the state of a service, or `not found`', [text('name')], ['sshd'], service),
  verbsOf('process')(
    'ProcessFind',
    'reads',
    'processes whose names hold a text',
    [text('name substring')],
    ['init'],
    ([part = ''], context) => processes(part, context),
  ),
  verbsOf('clipboard')(
    'ClipboardSet',
    'writes',
    'puts a text on the clipboard, where there is one',
    [text('text')],
    ['copied'],
    async ([content = ''], { system }) =>
      (await system.setClipboard(content)) ? `put ${[...content].length} characters on the clipboard` : UNAVAILABLE,
  ),
];
