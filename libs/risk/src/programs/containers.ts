// SPDX-License-Identifier: Apache-2.0
import { field, type Field } from '../shell/field.ts';
import { parseOptions } from '../shell/options.ts';
import type { Reading, Shell } from '../shell/shell.ts';
import { ANYTHING } from '../shell/source.ts';
import { runElsewhere } from './remote.ts';
import { noteRead } from './secrets.ts';
import type { Zone } from '../zones.ts';
import { noteWrite } from './write.ts';

const VALUES = [
  '-e',
  '--env',
  '-v',
  '--volume',
  '-p',
  '--publish',
  '-w',
  '--workdir',
  '-u',
  '--user',
  '--name',
  '--network',
  '--net',
  '--mount',
  '-h',
  '--hostname',
  '-l',
  '--label',
  '--entrypoint',
  '-m',
  '--memory',
  '--cpus',
  '--platform',
  '-n',
  '--namespace',
  '-c',
  '--container',
  '--context',
  '-H',
  '--host',
  '-f',
  '--file',
  '--env-file',
  '--restart',
  '--add-host',
  '--tmpfs',
  '--pid',
  '--ipc',
  '--ulimit',
  '--kubeconfig',
];
/** Host directories that break the isolation of a container. */
const HOST_MOUNT =
  /^(?:\/|~|\/(?:etc|root|home|usr|var|dev|proc|sys|boot))(?:\/?):|source=(?:\/|\/(?:etc|root|home|dev|proc|sys|boot))(?:,|$)|docker\.sock/;
/** Words that may precede the verb. */
const GROUPS = new Set(['compose', 'container']);
const RUNS = new Set(['run', 'exec', 'create', 'debug']);

/** `docker cp container:path path` writes here, whatever directory that is; the other direction reads here. */
function noteCopied(name: string, [from, to]: readonly Field[], shell: Shell): void {
  const isRemote = ({ text }: Field): boolean => /^[\w.-]+(?:\/[\w.-]+)?:/.test(text);
  if (to && !isRemote(to) && to.text !== '-') noteWrite('place', `${name} cp`, to, shell);
  if (from && !isRemote(from)) noteRead(`${name} cp`, [from], shell);
}

const OF_WORKSPACE: ReadonlySet<Zone> = new Set(['workspace', 'inside', 'regenerable', 'history']);
/** The directory of this machine in a volume option; a named volume has none. */
function mountedOf(volume: string): readonly Field[] {
  const source =
    /(?:^|,)(?:source|src)=([^,]*)/.exec(volume)?.[1] ?? (volume.includes('type=') ? '' : volume.replace(/:.*$/s, ''));
  return source === '' || (/^[\w-]+$/.test(source) && !volume.includes('bind')) ? [] : [field(source)];
}

/**
 * `docker run image command`, `docker exec container command`, `kubectl exec pod -- command`: the command is
 * interpreted as if it ran here.
 */
const container: Reading = ({ name, args, stdin }, shell) => {
  const options = parseOptions(args, VALUES, true);
  const words = GROUPS.has(options.operands[0]?.text ?? '')
    ? parseOptions(options.operands.slice(1), VALUES, true).operands
    : options.operands;
  const [verb, ...rest] = words;
  if (verb?.text === 'cp') noteCopied(name, parseOptions(rest, VALUES).operands, shell);
  if (!verb || !RUNS.has(verb.text)) return ANYTHING;
  const inner = parseOptions(rest, VALUES, true);
  const volumes = ['-v', '--volume', '--mount']
    .flatMap((flag) => inner.allValues.get(flag) ?? [])
    .map(({ text }) => text);
  for (const text of volumes) if (HOST_MOUNT.test(text)) shell.act('container_escape', `${name} ${verb.text}`, text);
  const mounts = volumes.flatMap(mountedOf);
  noteRead(`${name} ${verb.text}`, mounts, shell);
  const dashes = rest.findIndex(({ text }) => text === '--');
  const entry = inner.values.get('--entrypoint');
  const command = [
    ...(entry && entry.text !== '' ? [entry] : []),
    ...(dashes >= 0 ? rest.slice(dashes + 1) : inner.operands.slice(1)),
  ];
  if (command.length === 0) return ANYTHING;
  // A deletion there isn't in the workspace, and no rollback undoes it. A container with the workspace mounted may
  // change that too.
  const holdsWorkspace = mounts.some((path) => shell.zones(path).some((zone) => OF_WORKSPACE.has(zone)));
  runElsewhere(shell, () => {
    shell.scope.isElsewhere = !holdsWorkspace;
    shell.invoke(command, stdin);
  });
  return ANYTHING;
};

export const CONTAINERS: Readonly<Record<string, Reading>> = {
  docker: container,
  podman: container,
  nerdctl: container,
  kubectl: container,
  k: container,
  oc: container,
  finch: container,
  'docker-compose': container,
  'podman-compose': container,
};
