// SPDX-License-Identifier: Apache-2.0
import { field, type Field } from '../shell/field.ts';
import { takeOptions } from '../shell/options.ts';
import type { Reading, Shell } from '../shell/shell.ts';
import { ANYTHING } from '../shell/source.ts';
import { noteRead } from './secrets.ts';
import { noteWrite } from './write.ts';

const VALUES = [
  '-e', '--env', '-v', '--volume', '-p', '--publish', '-w', '--workdir', '-u', '--user', '--name', '--network', '--net', '--mount', '-h', '--hostname', '-l', '--label', '--entrypoint', '-m', '--memory',
  '--cpus', '--platform', '-n', '--namespace', '-c', '--container', '--context', '-H', '--host', '-f', '--file', '--env-file', '--restart', '--add-host', '--tmpfs', '--pid', '--ipc', '--ulimit', '--kubeconfig',
];
/** Host directories that give a container what it is meant to be kept from. */
const HOST_MOUNT = /^(?:\/|~|\/(?:etc|root|home|usr|var|dev|proc|sys|boot))(?:\/?):|source=(?:\/|\/(?:etc|root|home|dev|proc|sys|boot))(?:,|$)|docker\.sock/;
const RUNS = new Set(['run', 'exec', 'create', 'debug']);

/** `docker cp container:path path` writes here, whatever directory that is; the other way it reads here. */
function noteCopied(name: string, [from, to]: readonly Field[], shell: Shell): void {
  const isRemote = ({ text }: Field): boolean => /^[\w.-]+(?:\/[\w.-]+)?:/.test(text);
  if (to && !isRemote(to) && to.text !== '-') noteWrite('place', `${name} cp`, to, shell);
  if (from && !isRemote(from)) noteRead(`${name} cp`, [from], shell);
}

/** `docker run image command`, `docker exec container command`, `kubectl exec pod -- command`: the command is followed as if it ran here. */
const container: Reading = ({ name, args, stdin }, shell) => {
  const options = takeOptions(args, VALUES, true);
  const words = options.operands[0]?.text === 'compose' ? options.operands.slice(1) : options.operands;
  const [verb, ...rest] = words;
  if (verb?.text === 'cp') noteCopied(name, takeOptions(rest, VALUES).operands, shell);
  if (!verb || !RUNS.has(verb.text)) return ANYTHING;
  const inner = takeOptions(rest, VALUES, true);
  for (const flag of ['-v', '--volume', '--mount']) {
    for (const { text } of inner.allValues.get(flag) ?? []) {
      if (HOST_MOUNT.test(text)) shell.act('container_escape', `${name} ${verb.text}`, text);
      noteRead(`${name} ${verb.text}`, [field(text.replace(/^.*source=([^,]*).*$/, '$1').replace(/:.*$/, ''))], shell);
    }
  }
  const dashes = rest.findIndex(({ text }) => text === '--');
  const command = dashes >= 0 ? rest.slice(dashes + 1) : inner.operands.slice(1);
  if (command.length === 0) return ANYTHING;
  const before = shell.scope.cwds;
  // What is deleted there isn't here; where it would be is the container's business, so nothing counts as inside the workspace.
  shell.scope.cwds = [undefined];
  shell.invoke(command, stdin);
  shell.scope.cwds = before;
  return ANYTHING;
};

export const CONTAINERS: Readonly<Record<string, Reading>> = { docker: container, podman: container, nerdctl: container, kubectl: container, oc: container, 'docker-compose': container, 'podman-compose': container };
