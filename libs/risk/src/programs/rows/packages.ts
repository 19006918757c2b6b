// SPDX-License-Identifier: Apache-2.0
import type { TableRow } from './program-form.ts';
import { SHOWS } from './shows.ts';

/** Publishing packages, and installing them from other sources than their registry. */
export const PACKAGES: readonly TableRow[] = [
  {
    first: true,
    programs: [
      'npm',
      'pnpm',
      'yarn',
      'bun',
      'cargo',
      'poetry',
      'uv',
      'hatch',
      'flit',
      'lerna',
      'gem',
      'vsce',
      'ovsx',
      'jsr',
      'changeset',
      'mix',
    ],
    words: ['publish|push|hex.publish'],
    unless: ['--dry-run', '--dryrun', '-n'],
    kind: 'publication',
  },
  {
    first: true,
    programs: ['yarn', 'dart', 'flutter', 'dotnet', 'pod'],
    words: ['npm|pub|nuget|trunk', 'publish|push'],
    unless: ['--dry-run', '-n'],
    kind: 'publication',
  },
  {
    programs: ['mvn', 'mvnw', 'gradle', 'gradlew', 'sbt'],
    words: ['deploy|publish|publishSigned|release:perform'],
    unless: ['--dry-run'],
    kind: 'publication',
  },
  {
    first: true,
    programs: ['npm', 'pnpm', 'yarn', 'cargo', 'gem'],
    words: ['unpublish|yank|deprecate|owner'],
    kind: 'publication',
  },
  { programs: ['twine'], words: ['upload'], kind: 'publication' },
  {
    programs: ['npm', 'pnpm', 'yarn'],
    words: [
      'dist-tag|tag|access|team|org|token|hook|star',
      'add|rm|set|grant|revoke|create|delete|public|restricted|remove',
    ],
    first: true,
    kind: 'publication',
  },
  { programs: ['yarn'], words: ['npm', 'tag|publish'], first: true, kind: 'publication' },
  {
    programs: ['semantic-release', 'np', 'release-it', 'auto', 'goreleaser', 'gh-pages', 'bumpp'],
    unless: ['--dry-run', '--snapshot', '--skip-publish', '-d', 'check', ...SHOWS],
    kind: 'publication',
  },
  {
    programs: ['cargo'],
    words: ['release|workspaces'],
    first: true,
    unless: ['--dry-run', '--help'],
    flags: ['-x', '--execute', 'publish'],
    kind: 'publication',
  },
  { programs: ['setup', 'setup.py'], words: ['upload|register'], kind: 'publication' },
  { programs: ['python', 'python3'], words: ['setup.py', 'upload|register'], kind: 'publication' },
  { programs: ['maturin', 'flit', 'hatch', 'pdm', 'rye'], words: ['publish|upload'], first: true, kind: 'publication' },
  {
    programs: ['gradle', 'gradlew', 'mvn', 'mvnw', 'sbt', 'mill'],
    words: [
      'publish*|uploadArchives|artifactoryPublish|deploy*|site:deploy|nexus-staging:*|jreleaserFullRelease|bintrayUpload',
    ],
    unless: ['--dry-run', '-m', 'publishToMavenLocal', 'publishLocal'],
    kind: 'publication',
  },
  {
    programs: ['fastlane', 'eas', 'xcrun', 'altool'],
    words: ['deliver|release|upload*|submit|supply|pilot|beta|deploy|upload-app|publish|update'],
    kind: 'publication',
  },
  {
    programs: ['npm', 'pnpm', 'yarn', 'bun', 'pip', 'pip3', 'pipx', 'uv', 'poetry', 'pdm', 'gem', 'cpanm'],
    words: ['install|i|add|exec|x|dlx|create|pip'],
    operand: 'address',
    kind: 'run_downloaded',
  },
  { programs: ['npx', 'pnpx', 'bunx', 'uvx'], operand: 'first_address', kind: 'run_downloaded' },
  { programs: ['cargo'], words: ['install'], first: true, flags: ['--git'], kind: 'run_downloaded' },
  {
    programs: ['pip', 'pip3', 'uv'],
    words: ['install|add|pip'],
    flags: ['--index-url', '-i', '--extra-index-url', '--trusted-host'],
    kind: 'run_downloaded',
  },
  {
    programs: ['npm', 'pnpm', 'yarn', 'bun', 'bundle', 'poetry', 'gem'],
    words: [
      'config|c',
      'set|delete|*',
      'registry*|npmRegistryServer*|npmScopes*|@*|proxy*|https-proxy*|httpProxy*|httpsProxy*|strict-ssl*|enableStrictSsl*|cafile*|ca=*|ignore-scripts*|//*|globalconfig*|userconfig*|prefix*|repositories.*|mirror.*|pypi-token*',
    ],
    first: true,
    unless: ['--get'],
    without: ['get'],
    kind: 'system_change',
  },
  {
    programs: ['npm', 'pnpm', 'yarn', 'pip', 'pip3'],
    words: ['config', 'set', 'script-shell*|node-options*|init-module*|global.index-url|global.trusted-host'],
    kind: 'run_unknown',
  },
  { programs: ['deno', 'bun'], words: ['run'], operand: 'address', kind: 'run_downloaded' },
  { programs: ['msiexec', 'rundll32', 'regsvr32', 'mshta', 'certutil'], kind: 'run_downloaded' },
];
