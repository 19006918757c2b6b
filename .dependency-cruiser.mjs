// SPDX-License-Identifier: Apache-2.0
// What Nx can't see: the inside of a project. The canary (tools/src/canary) proves that each rule fires.

/** Folders of a process that are nouns, shared by its verbs: what a verb may reach besides itself. */
const NOUNS =
  'announce|attempts|changes|effects|egress|endings|generated|held|http|judgement|leases|log|openapi|outputs|payload|policies|ports|proposals|records|redaction|reevaluation|replies|runners|sign|specs|store|support|tasks|tenancy|values|work';

export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'features-do-not-see-each-other',
      comment: 'a verb is one folder; two verbs that need the same thing share a noun',
      severity: 'error',
      from: { path: '^apps/([^/]+)/src/([^/]+)/', pathNot: `^apps/[^/]+/src/(?:${NOUNS})/|\\.spec\\.ts$` },
      to: { path: '^apps/$1/src/[^/]+/', pathNot: [`^apps/$1/src/$2/`, `^apps/$1/src/(?:${NOUNS})/`] },
    },
    {
      name: 'nouns-do-not-see-verbs',
      severity: 'error',
      from: { path: `^apps/([^/]+)/src/(?:${NOUNS})/`, pathNot: '\\.spec\\.ts$|/specs/' },
      to: { path: '^apps/$1/src/[^/]+/', pathNot: `^apps/$1/src/(?:${NOUNS})/` },
    },
    {
      name: 'only-the-module-binds-adapters',
      comment: 'everything else gets a port',
      severity: 'error',
      from: { path: '^apps/', pathNot: '\\.module\\.ts$|main\\.ts$|\\.spec\\.ts$|/specs/' },
      to: { path: '^libs/(?:bus-nats|blobs-pg|sandbox-docker|sandbox-k8s|model-http)/' },
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
