// SPDX-License-Identifier: Apache-2.0
import type { ProgramForm } from './program-form.ts';

/** A form of a program that passes a command to another machine, a container or a device. */
export interface RemoteForm extends ProgramForm {
  /** options whose value is the command */
  readonly options?: readonly string[];
  /** whether such an option takes every word up to the next option, one command each */
  readonly many?: boolean;
  /** the command follows this many operands after the words of the form; the machine's name is one of them */
  readonly behind?: number;
  /** the command follows `--` */
  readonly dashes?: boolean;
  /** the words are the command's own, as `exec` takes them; otherwise a shell gets them as one text */
  readonly asWords?: boolean;
  /** option values that are PowerShell, by the word that occurs somewhere in the command line */
  readonly powershell?: string;
}

const SSH = ['ssh', 'ssh-direct'];

/** Programs that start a command elsewhere. `ssh` and container engines have their own readings. */
export const REMOTE_FORMS: readonly RemoteForm[] = [
  { programs: ['gcloud'], words: ['ssh'], options: ['--command'], dashes: true },
  {
    programs: ['az'],
    words: ['run-command', 'invoke|create|update'],
    options: ['--scripts', '--script', '--run-command'],
    many: true,
    powershell: 'RunPowerShellScript',
  },
  { programs: ['az'], words: ['aks', 'command', 'invoke'], options: ['--command', '-c'] },
  { programs: ['az'], words: ['container|containerapp', 'exec'], options: ['--exec-command', '--command'] },
  { programs: ['az'], words: ['ssh', 'vm|arc'], dashes: true },
  { programs: ['aws'], words: ['ecs', 'execute-command'], options: ['--command'] },
  { programs: ['fly', 'flyctl'], words: ['ssh', 'console'], options: ['-C', '--command'] },
  { programs: ['fly', 'flyctl'], words: ['console'], first: true, options: ['-C', '--command'] },
  { programs: ['fly', 'flyctl'], words: ['machine|machines|m', 'exec'], first: true, behind: 1 },
  { programs: ['heroku'], words: ['run|run:detached|run:inside'], first: true, behind: 0, dashes: true, asWords: true },
  { programs: ['heroku'], words: ['ps:exec'], first: true, options: ['-c', '--command'], dashes: true },
  { programs: ['doctl'], words: ['compute', SSH.join('|')], options: ['--ssh-command'], dashes: true },
  { programs: ['eb'], words: ['ssh'], first: true, options: ['-c', '--command'] },
  { programs: ['cf'], words: ['ssh'], first: true, options: ['-c', '--command'] },
  { programs: ['cf'], words: ['run-task'], first: true, options: ['-c', '--command'] },
  { programs: ['railway', 'scalingo'], words: ['ssh|run'], first: true, behind: 0, dashes: true },
  {
    programs: ['dokku', 'hcloud', 'scw', 'coder', 'render'],
    words: ['ssh|run|enter'],
    behind: 1,
    dashes: true,
    options: ['--command'],
  },
  { programs: ['gh'], words: ['codespace|cs', 'ssh'], first: true, dashes: true },
  {
    programs: ['devpod', 'tsh', 'teleport'],
    words: ['ssh'],
    first: true,
    behind: 1,
    dashes: true,
    options: ['--command'],
  },
  { programs: ['tailscale'], words: ['ssh'], first: true, behind: 1 },
  { programs: ['vagrant'], words: ['ssh'], first: true, options: ['-c', '--command'], dashes: true },
  { programs: ['vagrant'], words: ['winrm'], first: true, options: ['-c', '--command'], powershell: 'winrm' },
  { programs: ['adb'], words: ['shell|exec-out|exec-in'], first: true, behind: 0 },
  { programs: ['minikube', 'colima'], words: ['ssh'], first: true, behind: 0, dashes: true },
  { programs: ['docker-machine'], words: ['ssh'], first: true, behind: 1 },
  { programs: ['multipass', 'lxc', 'incus'], words: ['exec'], first: true, behind: 1, dashes: true, asWords: true },
  { programs: ['limactl'], words: ['shell'], first: true, behind: 1, dashes: true, asWords: true },
  { programs: ['lima', 'orb', 'orbctl'], behind: 0, asWords: true },
  {
    programs: ['crictl', 'buildah', 'apptainer', 'singularity', 'balena'],
    words: ['exec|run|ssh'],
    first: true,
    behind: 1,
    dashes: true,
    asWords: true,
  },
  { programs: ['nomad'], words: ['alloc', 'exec'], first: true, behind: 1, asWords: true },
  { programs: ['nomad'], words: ['exec'], first: true, behind: 1, asWords: true },
  { programs: ['oc'], words: ['rsh'], first: true, behind: 1, asWords: true },
  { programs: ['virtctl'], words: ['ssh'], first: true, options: ['-c', '--command'] },
  { programs: ['machinectl'], words: ['shell'], first: true, behind: 1, asWords: true },
  { programs: ['systemd-nspawn'], behind: 0, asWords: true },
  { programs: ['mosh'], dashes: true, asWords: true },
  { programs: ['rsh', 'plink', 'remsh'], behind: 1 },
  { programs: ['pdsh', 'dsh', 'clush', 'pssh', 'parallel-ssh'], behind: 0 },
  { programs: ['knife'], words: ['ssh'], first: true, behind: 1 },
  { programs: ['salt', 'salt-call', 'salt-ssh'], words: ['cmd.run|cmd.shell|cmd.run_all'], behind: 0 },
  { programs: ['kamal'], words: ['app', 'exec'], first: true, behind: 0 },
  { programs: ['wsl', 'wsl.exe'], options: ['-e', '--exec'], behind: 0, dashes: true },
];

/** Options that take a value, for programs without an entry in the table of rows. */
export const REMOTE_VALUES: Readonly<Record<string, readonly string[]>> = {
  gcloud: [
    '--tunnel-through-iap-port',
    '--ssh-key-file',
    '--ssh-flag',
    '--worker',
    '--node',
    '--cluster',
    '--config',
    '--port',
  ],
  fly: [
    '-r',
    '--region',
    '-u',
    '--user',
    '-o',
    '--org',
    '-s',
    '--machine',
    '-A',
    '--address',
    '--pty',
    '-g',
    '--process-group',
  ],
  heroku: ['-s', '--size', '-e', '--env', '--type', '-d', '--dyno'],
  adb: ['-s', '-t', '-H', '-P', '-L'],
  pdsh: ['-w', '-x', '-g', '-l', '-u', '-t', '-f', '-R'],
  dsh: ['-m', '-g', '-f', '-r'],
  clush: ['-w', '-x', '-g', '-l', '-f', '-t', '-u', '-o'],
  pssh: ['-h', '-H', '-l', '-p', '-o', '-e', '-t', '-O', '-x'],
  'parallel-ssh': ['-h', '-H', '-l', '-p', '-o', '-e', '-t', '-O', '-x'],
  plink: ['-l', '-P', '-pw', '-i', '-m', '-hostkey', '-load'],
  rsh: ['-l'],
  remsh: ['-l'],
  oc: ['--shell'],
  nomad: ['-task', '-job', '-i', '-t'],
  machinectl: ['--uid', '-E', '--setenv', '-M'],
  'systemd-nspawn': ['-D', '--directory', '-M', '--machine', '-u', '--user', '--bind', '--bind-ro', '-E'],
  wsl: ['-d', '--distribution', '-u', '--user', '--cd'],
  'wsl.exe': ['-d', '--distribution', '-u', '--user', '--cd'],
  multipass: ['-d', '--working-directory'],
  limactl: ['--workdir', '--shell'],
  lxc: ['--env', '--user', '--group', '--cwd'],
  incus: ['--env', '--user', '--group', '--cwd'],
  cf: ['-i', '-L', '-m', '-k', '--name'],
  eb: ['-n', '-e', '--number'],
  orb: ['-m', '-u', '-w'],
  kamal: ['-d', '--destination', '-c', '--config-file', '-r', '--roles', '-h', '--hosts', '-e', '--env'],
};
