// SPDX-License-Identifier: Apache-2.0
// Facts about the machine. Where one is not available, the step succeeds with `unavailable`, which scripts can test.
import { choice, int, optional, path, text } from '../registry/arguments.ts';
import { verbsOf, type CheckArguments, type Verb } from '../registry/verb.ts';
import type { DiskFacts } from '../host/host.ts';
import { isReadableVariable } from '../rules/rules.ts';
import { LOG_SOURCES, type LogSource } from '../run/run-notes.ts';
import type { StepContext } from '../run/step-context.ts';
import { listed, factText as inWords } from './lines.ts';
import { formatBytes, formatDuration } from './formatting.ts';
import { DEFAULT_FORMAT, formatTime } from './time-format.ts';

const verb = verbsOf('system');
const environment = verbsOf('environment');

const answer = async <Fact>(fact: Promise<Fact | null>, words?: (fact: Fact) => string): Promise<string> =>
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
  return answer(system.disk(await files.real(folder, 'read')), diskWords);
}

/**
 * The services of a container: the processes that run in it, each name once. A container has no service manager, and
 * whatever runs in it is what it serves.
 */
async function services({ system }: StepContext): Promise<ReadonlyMap<string, readonly number[]> | null> {
  const running = await system.processes();
  if (running === null) return null;
  const byName = new Map<string, readonly number[]>();
  for (const { pid, name } of running) byName.set(name, [...(byName.get(name) ?? []), pid]);
  return byName;
}

async function serviceList([filter = '']: readonly string[], context: StepContext): Promise<string> {
  return answer(services(context), (byName) =>
    listed(
      [...byName]
        .filter(([name]) => holding(filter)({ name }))
        .map(([name, pids]) => `${name}: running (${pids.join(', ')})`),
    ),
  );
}

async function serviceStatus([name = '']: readonly string[], context: StepContext): Promise<string> {
  return answer(services(context), (byName) =>
    [...byName.keys()].some((one) => one.toLowerCase() === name.toLowerCase()) ? 'running' : 'not found',
  );
}

const processes = async (filter: string, { system }: StepContext): Promise<string> =>
  answer(system.processes(), (list) => listed(list.filter(holding(filter)).map(({ pid, name }) => `${pid}\t${name}`)));

const unreadable: CheckArguments = ([name = ''], { rules, env }) => {
  const upper = name.toUpperCase();
  return isReadableVariable(rules, upper, env.has(upper))
    ? null
    : { place: 0, message: `\`${name.slice(0, 64)}\` may not be read; EnvList says which may` };
};

function variable([name = '']: readonly string[], { sandbox: { env }, env: machine }: StepContext): string {
  const upper = name.toUpperCase();
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
    { check: unreadable },
  ),
  environment('EnvList', 'reads', 'all variables that may be read', [], [], (_, context) => variables(context)),
  verb('SysWhoAmI', 'reads', 'the user', [], [], (_, { sandbox }) => sandbox.user),
  verb('SysPwd', 'reads', 'the working directory', [], [], (_, { sandbox: { root, cwd } }) =>
    cwd === '' ? root : `${root}/${cwd}`,
  ),
  verb('SysHostname', 'reads', "the machine's name", [], [], (_, { system }) => answer(system.hostname())),
  verb('SysUptime', 'reads', 'how long the machine has been running', [], [], (_, { system }) =>
    answer(system.uptimeSeconds(), formatDuration),
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
  verb('SysOsInfo', 'reads', 'the operating system', [], [], (_, { system }) => answer(system.osInfo())),
  verb('SysCpuCount', 'reads', 'how many processors there are', [], [], (_, { system }) => answer(system.cpuCount())),
  verb('SysTempDir', 'reads', 'where temporary files are', [], [], (_, { system }) => answer(system.tempDirectory())),
  verb(
    'SysDiskUsage',
    'reads',
    'the disk that a path is on, the workspace by default',
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
    answer(
      system.memory(),
      ({ totalBytes, freeBytes }) =>
        `total ${formatBytes(totalBytes)}  used ${formatBytes(totalBytes - freeBytes)}  free ${formatBytes(freeBytes)}`,
    ),
  ),
  verb('SysProcessList', 'reads', 'processes, one a line with its number', [], [], (_, context) =>
    processes('', context),
  ),
  verb('SysDriveList', 'reads', 'disks, one a line', [], [], (_, { system }) =>
    answer(system.drives(), (drives) => listed(drives.map(diskWords))),
  ),
  verb('SysNetInfo', 'reads', 'networks that the machine is in', [], [], (_, { system }) =>
    answer(system.interfaces(), (list) =>
      listed(list.map(({ name, addresses }) => `${name}: ${addresses.join(', ')}`)),
    ),
  ),
  verb(
    'SysLogRead',
    'reads',
    "the newest lines of a log of the script's run, 50 by default; a filter narrows them",
    [choice('source', ...LOG_SOURCES), optional(int('lines', 1, 500)), optional(text('filter'))],
    ['script', '2'],
    ([source = '', lines = '50', filter = ''], { notes }) =>
      listed(notes.linesOf(source.toLowerCase() as LogSource, Number(lines), filter)),
  ),
  verb(
    'SysLogSources',
    'reads',
    'logs that SysLogRead reads: of the steps, and of the programs of this run',
    [],
    [],
    () => listed(LOG_SOURCES),
  ),
  verb(
    'SysServiceList',
    'reads',
    "services of the script's container, which are its processes; a filter narrows their names",
    [optional(text('filter'))],
    ['d'],
    serviceList,
  ),
  verb(
    'SysServiceStatus',
    'reads',
    "`running` for a service of the script's container, else `not found`",
    [text('name')],
    ['sshd'],
    serviceStatus,
  ),
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
    'none',
    "puts a text into the `clipboard` of the script's result; the last one counts",
    [text('text')],
    ['copied'],
    ([content = ''], { notes }) => {
      notes.clipboard = content;
      return `put ${[...content].length} characters into the result's \`clipboard\``;
    },
  ),
];
