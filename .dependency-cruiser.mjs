// SPDX-License-Identifier: Apache-2.0
// What Nx can't see: the inside of a project. The canary (tools/src/canary) proves that each rule fires.

/**
 * The modules of each service, from below. A module is a folder that imports only what stands before it, types
 * included. A new module needs its place in this order.
 */
export const MODULES = {
  kernel: ['foundation', 'evidence', 'judging', 'execution', 'admission', 'management'],
  orchestrator: ['store', 'edge', 'calls', 'runs', 'delivery', 'api'],
  executor: ['foundation', 'redaction', 'calls', 'egress', 'images', 'outputs', 'runners', 'sessions', 'attempts'],
  ledger: ['foundation', 'signing', 'log', 'append', 'record-index', 'witnesses'],
};

/** Folders beside the modules: the fixtures of specs, and what a program generates. */
const NO_MODULE = ['specs', 'generated'];
const SPECS = '\\.(?:spec|contract)\\.ts$|/specs/';
const folderOf = (app, names) => `^apps/${app}/src/(?:${names.join('|')})/`;
/** Of the files beside the modules only the configuration is below them. */
const besideModules = (app) => `^apps/${app}/src/(?!config\\.env)[^/]+\\.ts$`;

const modulesInOrder = Object.entries(MODULES).flatMap(([app, modules]) =>
  modules.map((module, place) => ({
    name: `modules-in-order: ${app}/${module}`,
    comment: `${modules.join(' < ')}: what both need belongs into the one that stands before`,
    severity: 'error',
    from: { path: folderOf(app, [module]), pathNot: SPECS },
    to: { path: [besideModules(app), ...modules.slice(place + 1).map((above) => folderOf(app, [above]))] },
  })),
);

const everyFolderIsAModule = Object.entries(MODULES).map(([app, modules]) => ({
  name: `every-folder-is-a-module: ${app}`,
  severity: 'error',
  from: { path: `^apps/${app}/src/[^/]+/`, pathNot: folderOf(app, [...modules, ...NO_MODULE]) },
  to: {},
}));

export default {
  forbidden: [
    { name: 'no-cycles', comment: 'types included', severity: 'error', from: {}, to: { circular: true } },
    ...modulesInOrder,
    ...everyFolderIsAModule,
    {
      name: 'resources-of-the-api-stand-alone',
      comment:
        'adding a resource touches its folder and the lists beside it; what two share belongs into edge or calls',
      severity: 'error',
      from: { path: '^apps/orchestrator/src/api/([^/]+)/', pathNot: SPECS },
      to: { path: '^apps/orchestrator/src/api/', pathNot: '^apps/orchestrator/src/api/$1/' },
    },
    {
      name: 'only-the-module-binds-adapters',
      comment:
        'everything else gets a port; `open-x.ts` is what a module opens, and the table of SQL functions names those of all schemas',
      severity: 'error',
      from: {
        path: '^apps/',
        pathNot:
          '\\.module\\.ts$|main\\.ts$|\\.spec\\.ts$|/specs/|/open-[a-z-]+\\.ts$|foundation/database/functions/index\\.ts$',
      },
      to: {
        path: '^libs/(?:audio-pg|bus-nats|blobs-pg|info-store-pg|embedding-onnx|transcription-local|sandbox-docker|sandbox-k8s|model-http)/',
      },
    },
    {
      name: 'specs-stay-out-of-production',
      severity: 'error',
      from: { pathNot: '\\.(?:spec|contract)\\.ts$|/specs/|^libs/testing/' },
      to: { path: '\\.spec\\.ts$|^libs/testing/|/specs/' },
    },
    { name: 'everything-resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/|/generated/' },
    tsPreCompilationDeps: true,
    moduleSystems: ['es6'],
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@writ/source', 'import', 'node', 'default', 'types'],
      mainFields: ['main', 'types'],
    },
  },
};
