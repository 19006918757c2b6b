// SPDX-License-Identifier: Apache-2.0
// How a recipe is built, as data: programs with their arguments, which no shell reads.
// INVARIANT (registries alone): the hosts of a plan are those that the operator configured.
import type { ImageRecipe } from '@writ/contract';

/** The package registries that builds may reach, as the operator configured them. */
export interface PackageRegistries {
  readonly debian?: {
    readonly url: string;
    readonly suites: readonly string[];
    readonly components: readonly string[];
  };
  readonly npm?: { readonly url: string };
  readonly pip?: { readonly url: string };
  /** further hosts that these registries send their files from */
  readonly hosts?: readonly string[];
}

export interface BuildStep {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface BuildPlan {
  readonly steps: readonly BuildStep[];
  /** files of the build's folder, by name */
  readonly files: Readonly<Record<string, string>>;
  /** the hosts that the steps reach */
  readonly hosts: readonly string[];
}

/** The operator configured no registry for a kind of packages. */
export class NothingToBuild extends Error {
  constructor(kind: string) {
    super(`this installation builds nothing with packages of \`${kind}\`: its operator configured no such registry`);
    this.name = 'NothingToBuild';
  }
}

/** Where the files of a plan are while it runs. */
const FOLDER = '/workspace';
const AT = (name: string): string => `${FOLDER}/${name}`;
/** Tries of a download; a registry that fails as often is down. */
const RETRIES = '3';

/** @param hasCa whether the folder has `ca.pem`, with the certificates of the registries */
export function buildPlan(recipe: ImageRecipe, registries: PackageRegistries, hasCa: boolean): BuildPlan {
  const { debian = [], npm = [], pip = [] } = recipe;
  const plans = [
    debian.length > 0 ? debianPlan(debian, registries, hasCa) : null,
    pip.length > 0 ? pipPlan(pip, registries, hasCa) : null,
    npm.length > 0 ? npmPlan(npm, registries, hasCa) : null,
  ].filter((plan) => plan !== null);
  return {
    steps: plans.flatMap(({ steps }) => steps),
    files: Object.assign({}, ...plans.map(({ files }) => files)) as Record<string, string>,
    hosts: [...new Set([...plans.flatMap(({ hosts }) => hosts), ...(registries.hosts ?? [])])],
  };
}

type Packages = readonly { readonly name: string; readonly version: string }[];
/** With its port, where that isn't the usual one. */
const hostOf = (url: string): string => new URL(url).host;

function debianPlan(packages: Packages, { debian }: PackageRegistries, hasCa: boolean): BuildPlan {
  if (debian === undefined) throw new NothingToBuild('debian');
  const options = [
    ['Dir::Etc::SourceList', AT('sources.list')],
    ['Dir::Etc::SourceParts', '/dev/null'],
    // The build runs as the only user that its container lets change owners.
    ['APT::Sandbox::User', 'root'],
    ['Acquire::Retries', RETRIES],
    ...(hasCa ? [['Acquire::https::CAInfo', AT('ca.pem')]] : []),
  ].flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const named = packages.map(({ name, version }) => `${name}=${version}`);
  return {
    steps: [
      { argv: ['apt-get', ...options, 'update'], env },
      { argv: ['apt-get', ...options, 'install', '--yes', '--no-install-recommends', '--', ...named], env },
      { argv: ['apt-get', ...options, 'clean'], env },
      { argv: ['rm', '-rf', '/var/lib/apt/lists'], env },
    ],
    files: {
      'sources.list': debian.suites
        .map((suite) => `deb ${debian.url} ${suite} ${debian.components.join(' ')}\n`)
        .join(''),
    },
    hosts: [hostOf(debian.url)],
  };
}

function pipPlan(packages: Packages, { pip }: PackageRegistries, hasCa: boolean): BuildPlan {
  if (pip === undefined) throw new NothingToBuild('pip');
  const env = {
    PIP_CONFIG_FILE: '/dev/null',
    PIP_INDEX_URL: pip.url,
    PIP_NO_INPUT: '1',
    PIP_NO_CACHE_DIR: '1',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    PIP_ROOT_USER_ACTION: 'ignore',
    // Debian's Python asks for it; others don't know it.
    PIP_BREAK_SYSTEM_PACKAGES: '1',
    PIP_RETRIES: RETRIES,
    ...(hasCa ? { PIP_CERT: AT('ca.pem') } : {}),
  };
  const named = packages.map(({ name, version }) => `${name}==${version}`);
  return {
    steps: [{ argv: ['python3', '-m', 'pip', 'install', '--', ...named], env }],
    files: {},
    hosts: [hostOf(pip.url)],
  };
}

function npmPlan(packages: Packages, { npm }: PackageRegistries, hasCa: boolean): BuildPlan {
  if (npm === undefined) throw new NothingToBuild('npm');
  const env = {
    NPM_CONFIG_USERCONFIG: '/dev/null',
    NPM_CONFIG_REGISTRY: npm.url,
    NPM_CONFIG_CACHE: '/tmp/npm',
    NPM_CONFIG_AUDIT: 'false',
    NPM_CONFIG_FUND: 'false',
    NPM_CONFIG_UPDATE_NOTIFIER: 'false',
    NPM_CONFIG_FETCH_RETRIES: RETRIES,
    NPM_CONFIG_PREFIX: '/usr/local',
    ...(hasCa ? { NODE_EXTRA_CA_CERTS: AT('ca.pem'), NPM_CONFIG_CAFILE: AT('ca.pem') } : {}),
  };
  const named = packages.map(({ name, version }) => `${name}@${version}`);
  return {
    steps: [{ argv: ['npm', 'install', '--global', '--', ...named], env }],
    files: {},
    hosts: [hostOf(npm.url)],
  };
}
