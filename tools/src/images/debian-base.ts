// SPDX-License-Identifier: Apache-2.0
//
// The image's base without a registry: the Debian packages that Node.js needs, and no shell. apt downloads and verifies
// the packages; none of their code is run.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureProgram, runProgram } from '../parts/packages.ts';
import type { Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import { WRIT_USER } from './layout.ts';
import { Tree } from './tree.ts';

/** A Debian package, from its control file. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
}

export interface DebianBase {
  readonly tree: Tree;
  readonly packages: readonly DebianPackage[];
}

/** libatomic1 isn't needed on Writ's processor architectures. */
const PACKAGES = ['libc6', 'libgcc-s1', 'libstdc++6', 'ca-certificates', 'tzdata', 'netbase'];

/** Files for people and package managers only; copyright files stay. */
const LEFT_OUT = [
  /^usr\/share\/(?:doc\/(?!.*\/copyright$)|man\/|locale\/|lintian\/|gdb\/|info\/)/,
  /^usr\/lib\/[^/]+\/gconv\//,
  /^(?:usr\/)?s?bin\//,
  /^etc\/ca-certificates/,
];

const CERTIFICATES = 'usr/share/ca-certificates';
const MACHINE_OWN = ['tmp', 'proc', 'sys', 'dev', 'run', 'root', 'etc', 'var', 'usr', 'opt'];

const must = async (
  setup: Setup,
  what: string,
  command: string,
  args: readonly string[],
  cwd?: string,
): Promise<readonly string[]> => {
  const full = cwd === undefined ? [command, ...args] : ['env', '-C', cwd, command, ...args];
  const lines: string[] = [];
  const { status, tail } = await runProgram(full[0] as string, full.slice(1), setup.env, (line) => lines.push(line));
  if (status !== 0)
    throw new SetupError(`could not ${what} (or name an image by \`--base\`); the end of what ${command} said:`, tail);
  return lines;
};

const fieldsOf = (control: readonly string[]): DebianPackage => {
  const field = (name: string): string =>
    control.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
  return { name: field('Package'), version: field('Version'), architecture: field('Architecture') };
};

/** Files that the packages' configuration scripts would create, which are not run here. */
const configure = (tree: Tree, root: string): void => {
  const certificates = readdirSync(join(root, CERTIFICATES), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.crt'))
    .sort();
  tree.text(
    'etc/ssl/certs/ca-certificates.crt',
    certificates.map((path) => readFileSync(join(root, CERTIFICATES, path), 'utf8')).join(''),
  );
  const { uid, gid } = WRIT_USER;
  tree.text(
    'etc/passwd',
    [
      'root:x:0:0:root:/root:/usr/sbin/nologin',
      `writ:x:${uid}:${gid}:writ:/nonexistent:/usr/sbin/nologin`,
      'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n',
    ].join('\n'),
  );
  tree.text('etc/group', `root:x:0:\nwrit:x:${gid}:\nnogroup:x:65534:\n`);
  tree.text(
    'etc/nsswitch.conf',
    'passwd: files\ngroup: files\nhosts: files dns\nnetworks: files\nprotocols: files\nservices: files\n',
  );
  tree.text('etc/os-release', readFileSync('/etc/os-release', 'utf8'));
  for (const path of MACHINE_OWN) tree.folder(path);
  tree.folder('root', 0o700);
  tree.folder('tmp', 0o1777);
};

/**
 * Makes the base from this machine's Debian release.
 *
 * @throws SetupError where apt can't download, and on other systems than Debian
 */
export const debianBase = async (setup: Setup): Promise<DebianBase> => {
  const why = 'to make the base image of packages (or name an image by `--base`)';
  const [apt, dpkg] = [
    await ensureProgram(setup, 'apt-get', ['apt'], why),
    await ensureProgram(setup, 'dpkg-deb', ['dpkg'], why),
  ];
  const folder = join(setup.cacheDir, `debian-base-${process.arch}`);
  rmSync(folder, { recursive: true, force: true });
  const root = join(folder, 'root');
  mkdirSync(root, { recursive: true });
  await must(setup, 'download the packages of the base image', apt, ['download', '-q', ...PACKAGES], folder);
  const tree = new Tree();
  const packages: DebianPackage[] = [];
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.deb'))
    .sort()) {
    await must(setup, `unpack \`${file}\``, dpkg, ['--extract', join(folder, file), root]);
    const control = await must(setup, `read \`${file}\``, dpkg, ['--field', join(folder, file)]);
    const found = fieldsOf(control);
    packages.push(found);
    // The place where scanners look for the packages of an image without a package manager.
    tree.text(`var/lib/dpkg/status.d/${found.name}`, `${control.join('\n')}\n`);
  }
  tree.copy('', root, (path) => !LEFT_OUT.some((pattern) => pattern.test(path)));
  configure(tree, root);
  return { tree, packages };
};
