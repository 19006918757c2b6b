// SPDX-License-Identifier: Apache-2.0

const KUBE = ['-n', '--namespace', '--context', '--kubeconfig', '-l', '--selector', '-o', '--output', '-f', '--filename', '-c', '--container', '--user', '--cluster', '-s', '--server', '--token', '--as', '-k', '--kustomize', '--field-selector', '--type', '-p', '--patch', '--replicas', '--image', '--tail', '--since'];
const DOCKER = ['-H', '--host', '--context', '-f', '--file', '-p', '--project-name', '--project-directory', '--env-file', '--profile', '--filter', '--format', '--name', '-e', '--env', '-v', '--volume', '-w', '--workdir', '-u', '--user', '--network', '-t', '--tag', '--platform', '--since', '--tail', '-l', '--log-level', '--config', '--timeout', '-s', '--signal'];
const AWS = ['--profile', '--region', '--output', '--query', '--endpoint-url', '--ca-bundle', '--cli-read-timeout', '--color'];
const GCLOUD = ['--project', '--format', '--account', '--configuration', '--zone', '--region', '--filter', '--verbosity', '--impersonate-service-account'];
const AZ = ['-g', '--resource-group', '-n', '--name', '--subscription', '-o', '--output', '-l', '--location', '--query', '-s'];

/** Options that take a value, of programs whose words stand behind them: without it the value would pass for a word. */
export const OPTION_VALUES: Readonly<Record<string, readonly string[]>> = {
  kubectl: KUBE, oc: KUBE, k: KUBE, helm: [...KUBE, '--kube-context', '--version', '--set', '--values', '--repo', '--timeout'], helmfile: ['-e', '--environment', '-f', '--file', '-l', '--selector', '-n', '--namespace'],
  argocd: ['--server', '--auth-token', '--grpc-web-root-path'], flux: ['-n', '--namespace'],
  docker: DOCKER, podman: DOCKER, nerdctl: DOCKER, 'docker-compose': DOCKER, 'podman-compose': DOCKER,
  aws: AWS, gcloud: GCLOUD, gsutil: ['-o', '-u'], bq: ['--project_id', '--dataset_id', '--location', '--format'], az: AZ,
  terraform: [], tofu: [], pulumi: ['-s', '--stack', '-C', '--cwd'], ansible: ['-i', '--inventory', '-u', '--user', '-l', '--limit', '-e', '--extra-vars'],
  npm: ['--prefix', '-w', '--workspace', '--registry', '--tag', '--otp', '--access'], pnpm: ['-C', '--dir', '--filter', '-F', '--registry', '--tag', '--otp', '--access'], yarn: ['--cwd', '--registry', '--tag'], bun: ['--cwd', '--registry'],
  cargo: ['-p', '--package', '--manifest-path', '--target', '--features', '-F', '--bin', '--example', '--test', '--registry', '--token', '-j', '-Z', '--color', '--config', '--vers', '--version'],
  make: ['-C', '--directory', '-f', '--file', '--makefile', '-j', '--jobs', '-I', '-o', '-W'], gmake: ['-C', '-f', '-j'], just: ['-f', '--justfile', '-d', '--working-directory', '--set'], task: ['-t', '--taskfile', '-d', '--dir'], rake: ['-f', '--rakefile', '-C'],
  gh: ['-R', '--repo', '--json', '--jq', '-q', '-t', '--title', '-b', '--body', '--label', '-l', '--state', '-s', '--limit', '-L', '--notes', '-n', '--notes-file', '-F', '--hostname', '-H', '--field', '-f', '--raw-field', '--assignee', '--branch', '--search', '-S'],
  glab: ['-R', '--repo', '-t', '--title', '-d', '--description'], heroku: ['-a', '--app', '-r', '--remote', '--confirm'], fly: ['-a', '--app', '-c', '--config'], flyctl: ['-a', '--app', '-c', '--config'], systemctl: ['-t', '--type', '-p', '--property', '-M', '-H', '-n', '-o', '--state'],
  mvn: ['-f', '--file', '-P', '-pl', '--projects', '-s', '--settings', '-T'], gradle: ['-p', '--project-dir', '-b', '--tests', '-x', '-I'], gradlew: ['-p', '--project-dir', '--tests', '-x', '-I'], vault: ['-address', '-namespace', '-field', '-format'], consul: ['-http-addr', '-token'],
  'redis-cli': ['-h', '-p', '-a', '-n', '-u', '--user', '--pass'], 'valkey-cli': ['-h', '-p', '-a', '-n', '-u'], git: ['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path'], nomad: ['-address', '-region', '-namespace'], twine: ['-r', '--repository', '-u', '-p', '--repository-url'],
};
