// SPDX-License-Identifier: Apache-2.0
import type { TableRow } from './program-form.ts';

/** Flags with which a tool only shows what it would do. */
const SHOWS = [
  '--dry-run',
  '--dryrun',
  '--noop',
  '--preview',
  '--preview-only',
  '--plan',
  '--what-if',
  '--whatif',
  '--diff',
  '--validate-only',
  '--no-execute-changeset',
  '--help',
  '-h',
  '--version',
];
/** Words that only show something, at any position among the first ones. */
const LOOKS = [
  'list',
  'ls',
  'describe',
  'show',
  'get',
  'status',
  'info',
  'logs',
  'log',
  'export',
  'diff',
  'plan',
  'preview',
  'validate',
  'synth',
  'render',
  'get-iam-policy',
  'history',
  'inspect',
  'template',
  'outputs',
  'output',
  'list-*',
  'show-*',
  'describe-*',
  'get-*',
];

const changes = (programs: readonly string[], words: readonly string[], more: Partial<TableRow> = {}): TableRow => ({
  programs,
  words,
  first: true,
  unless: SHOWS,
  kind: 'infrastructure_change',
  ...more,
});
const loses = (programs: readonly string[], words: readonly string[], more: Partial<TableRow> = {}): TableRow => ({
  programs,
  words,
  first: true,
  unless: SHOWS,
  kind: 'infrastructure_loss',
  ...more,
});

/** Commands that release a version to users, or change where it runs: as far-reaching as `helm upgrade`. */
const CLOUDS: readonly TableRow[] = [
  changes(['gcloud'], ['deploy'], { first: false, without: LOOKS }),
  changes(['gcloud'], ['run', 'services|jobs|worker-pools', 'replace|update-traffic|execute|update'], { first: false }),
  changes(['gcloud'], ['app', 'services|versions', 'set-traffic|migrate|start|stop'], { first: false }),
  changes(['gcloud'], ['deploy', 'releases|rollouts', 'promote|approve|rollback|advance|create'], { first: false }),
  changes(
    ['az'],
    ['webapp|functionapp|containerapp|spring|staticwebapp|appservice', 'up|deploy|deployment|swap|revision|slot'],
    { without: LOOKS },
  ),
  changes(['az'], ['deployment|stack', 'sub|group|mg|tenant', 'create'], {}),
  changes(['azd'], ['up|deploy|provision|publish'], {}),
  loses(['azd'], ['down'], {}),
  changes(['func'], ['azure', 'functionapp|containerapp', 'publish|deploy'], {}),
  changes(['swa'], ['deploy'], {}),
  changes(['aws'], ['cloudformation', 'deploy|execute-change-set'], {}),
  changes(['aws'], ['lightsail|deploy|codedeploy', 'push-container-image|push'], {}),
  changes(['sam'], ['deploy|sync|publish'], {}),
  changes(['cdk', 'cdktf'], ['deploy|bootstrap|import|rollback|watch'], {}),
  changes(['copilot'], ['deploy|svc|job|env|app|pipeline', '*'], { without: LOOKS }),
  changes(['eb'], ['deploy|create|setenv|scale|swap|restart|upgrade|clone|restore'], {}),
  loses(['eb'], ['terminate|abort'], {}),
  changes(['ecs-cli'], ['compose|up|scale', '*'], { without: [...LOOKS, 'ps', 'create'] }),
  changes(
    ['cf'],
    ['push|scale|restage|restart|set-env|map-route|unmap-route|create-service|bind-service|rollback|deploy|bg-deploy'],
    {},
  ),
  changes(['ibmcloud'], ['ce|cf|code-engine|fn|ks', '*', 'update|create|push|deploy'], { without: LOOKS }),
  changes(['doctl'], ['apps', 'update|create-deployment'], {}),
];

const PLATFORMS: readonly TableRow[] = [
  changes(['fly', 'flyctl'], ['deploy|launch|import'], {}),
  changes(['fly', 'flyctl'], ['scale', 'count|vm|memory'], {}),
  changes(['fly', 'flyctl'], ['secrets|config|certs|ips', 'set|unset|import|deploy|add|remove|allocate-*'], {}),
  changes(
    ['fly', 'flyctl'],
    ['machine|machines|m|apps|app', 'run|update|start|stop|restart|cordon|uncordon|clone|suspend'],
    { without: LOOKS },
  ),
  changes(['vercel', 'now'], [], {
    first: false,
    flags: ['--prod', '--production', '--target=production'],
    without: [...LOOKS, 'build', 'pull', 'env', 'dev', 'link'],
  }),
  changes(['vercel'], ['promote|rollback|redeploy|alias|rolling-release'], { without: LOOKS }),
  changes(['vercel'], ['env|domains|dns|certs|secrets', 'add|update|rm|remove|issue|buy|move|transfer-in|import'], {}),
  changes(['netlify', 'ntl'], [], {
    first: false,
    flags: ['--prod', '--production', '--prod-if-unlocked'],
    without: [...LOOKS, 'build', 'dev', 'link', 'env:*'],
  }),
  changes(['netlify', 'ntl'], ['deploy'], { flags: ['-p'] }),
  changes(['netlify', 'ntl'], ['env:set|env:unset|env:import|env:clone|link:prod'], {}),
  changes(
    ['firebase'],
    [
      'deploy|hosting:clone|functions:config:set|functions:secrets:set|database:set|database:push|' +
        'database:update|remoteconfig:rollback|ext:install|ext:update|appdistribution:distribute',
    ],
    {},
  ),
  loses(
    ['firebase'],
    [
      'functions:delete|firestore:delete|database:remove|hosting:disable|hosting:sites:delete|apps:delete|' +
        'hosting:channel:delete',
    ],
    {},
  ),
  changes(['wrangler'], ['deploy|publish|rollback|triggers|secret|secret:bulk'], { without: LOOKS }),
  changes(
    ['wrangler'],
    ['pages|versions|queues|d1|dispatch-namespace|hyperdrive|r2|kv', 'deploy|create|publish|update|secret'],
    { without: LOOKS },
  ),
  changes(['wrangler'], ['kv|r2', 'key|object|bulk', 'put'], {}),
  changes(
    ['heroku'],
    [
      'container:release|releases:rollback|rollback|ps:scale|ps:restart|restart|config:set|pipelines:promote|' +
        'addons:create|addons:upgrade|addons:attach|pg:promote|pg:upgrade|maintenance:on|maintenance:off|' +
        'domains:add|features:enable|dyno:scale|dyno:restart|scale',
    ],
    {},
  ),
  changes(['railway'], ['up|redeploy|deploy|restart|variables'], { without: LOOKS }),
  changes(['render'], ['deploys', 'create|cancel'], {}),
  changes(['supabase'], ['functions|secrets|config|domains', 'deploy|set|unset|push|activate'], {}),
  changes(['amplify'], ['push|publish|deploy'], {}),
  changes(
    [
      'sst',
      'serverless',
      'sls',
      'chalice',
      'zappa',
      'claudia',
      'arc',
      'deployctl',
      'modal',
      'convox',
      'bosh',
      'dokku',
      'okteto',
      'acorn',
      'porter',
      'koyeb',
      'clever',
      'scalingo',
      'gigalixir',
      'stormkit',
      'encore',
      'vapor',
      'ampt',
    ],
    ['deploy|deploy:*|release|promote|rollback|redeploy|update|apps:*'],
    { without: LOOKS },
  ),
  changes(['kamal', 'mrsk'], ['deploy|redeploy|setup|rollback|env|server|accessory|proxy|traefik'], {
    without: [...LOOKS, 'details', 'audit'],
  }),
  loses(['kamal', 'mrsk'], ['remove'], {}),
  changes(['cap'], ['*', 'deploy|deploy:*'], {}),
  changes(['dep'], ['deploy|rollback'], {}),
  changes(['surge'], [], { first: false, without: [...LOOKS, 'whoami', 'login', 'token'] }),
  changes(['shopify'], ['theme|app', 'push|publish|deploy|release'], {}),
  changes(['clasp'], ['push|deploy|redeploy'], {}),
  changes(['hexo', 'mkdocs', 'mike', 'quarto', 'docusaurus'], ['deploy|gh-deploy|publish'], {}),
  changes(['eas', 'expo'], ['update|submit|publish|deploy'], {}),
  changes(['ko'], ['apply|resolve|create|run'], {}),
];

const CLUSTERS: readonly TableRow[] = [
  changes(['pulumi'], ['up|update|watch|cancel'], {}),
  changes(['terraform', 'tofu', 'terragrunt'], ['apply|import|taint|untaint|refresh'], { first: false }),
  changes(['skaffold'], ['run|deploy|dev|apply'], {}),
  loses(['skaffold'], ['delete'], {}),
  changes(['tilt', 'devspace', 'garden'], ['deploy|dev|up|purge'], { without: LOOKS }),
  changes(['werf', 'kapp', 'kbld', 'kctrl'], ['converge|deploy|package|app'], { without: LOOKS }),
  loses(['werf', 'kapp'], ['dismiss|delete|cleanup'], {}),
  changes(['kn'], ['service|source|trigger|broker', 'create|update|apply|import'], {}),
  changes(['istioctl', 'cilium', 'linkerd', 'consul-k8s'], ['install|upgrade|apply'], { without: LOOKS }),
  changes(['flux'], ['reconcile|suspend|resume|bootstrap|install|create'], { without: LOOKS }),
  changes(['argocd'], ['app|appset', 'sync|rollback|set|patch|unset|create|terminate-op|actions'], { without: LOOKS }),
  loses(['argocd'], ['app|appset|proj|cluster|repo', 'delete|rm'], {}),
  changes(['kubectl'], ['argo', 'rollouts', 'promote|abort|restart|retry|set|undo'], {}),
  changes(['docker'], ['stack', 'deploy|up'], {}),
  changes(['docker'], ['service', 'update|scale|create|rollback'], {}),
  changes(['nomad'], ['job|deployment', 'run|promote|scale|revert|dispatch'], { without: LOOKS }),
  changes(['nomad'], ['run'], {}),
  changes(['oc'], ['new-app|start-build|rollout|rollback|expose|deploy|idle', '*'], { without: [...LOOKS, 'status'] }),
  changes(['nixos-rebuild'], ['switch|boot|test'], { without: ['dry-build', 'dry-activate'] }),
  changes(['colmena', 'morph', 'nixops'], ['apply|deploy'], {}),
  changes(['waypoint'], ['up|deploy|release'], {}),
];

/** A version that only people with its address can see. */
const PREVIEWS: readonly TableRow[] = [
  {
    programs: ['vercel', 'now'],
    words: ['deploy'],
    first: true,
    unless: [...SHOWS, '--prod', '--production', '--target=production'],
    kind: 'remote_change',
  },
  {
    programs: ['netlify', 'ntl'],
    words: ['deploy'],
    first: true,
    unless: [...SHOWS, '--prod', '--production', '--prod-if-unlocked', '-p'],
    kind: 'remote_change',
  },
  { programs: ['firebase'], words: ['hosting:channel:deploy'], first: true, unless: SHOWS, kind: 'remote_change' },
  { programs: ['wrangler'], words: ['versions', 'upload'], first: true, unless: SHOWS, kind: 'remote_change' },
  { programs: ['gcloud'], words: ['builds', 'submit'], unless: SHOWS, kind: 'remote_change' },
  { programs: ['heroku'], words: ['container:push|builds:create'], first: true, unless: SHOWS, kind: 'remote_change' },
];

const REGISTRIES: readonly TableRow[] = [
  {
    programs: ['ko'],
    words: ['build|publish'],
    first: true,
    unless: [...SHOWS, '--local', '--push=false', '-L'],
    kind: 'publication',
  },
  {
    programs: ['buildah', 'img', 'nerdctl', 'finch', 'depot'],
    words: ['push'],
    first: true,
    unless: SHOWS,
    kind: 'publication',
  },
  { programs: ['nx'], words: ['release|publish'], first: true, unless: [...SHOWS, '-d'], kind: 'publication' },
  { programs: ['deno'], words: ['publish'], first: true, unless: SHOWS, kind: 'publication' },
  { programs: ['helm'], words: ['push|cm-push|s3'], first: true, unless: SHOWS, kind: 'publication' },
];

/** Programs that deploy, publish and promote. */
export const DEPLOYMENTS: readonly TableRow[] = [...CLOUDS, ...PLATFORMS, ...CLUSTERS, ...PREVIEWS, ...REGISTRIES];
