// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RuleSet, ScriptSchema } from '@writ/mk8-shell';
import { TrustPolicyFile } from '@writ/receipt';
import { replaceBlock } from './blocks.ts';
import { configurationPage } from './configuration-page.ts';
import { faultBlock, faultPagePath, pagedCodes } from './fault-pages.ts';
import { mk8BlacklistTable, mk8LimitsTable, mk8TemplatesTable, mk8VerbsTables } from './mk8-tables.ts';
import {
  defaultRulesTable,
  historyFieldsTable,
  policyContextTable,
  policyDefaultsTable,
  policySchemaText,
  policyTemplatesTable,
  strictRulesTable,
} from './policy-tables.ts';
import { metricsReference } from './metrics-page.ts';
import { moduleDiagram } from './module-diagram.ts';
import { objectivesTable } from './objectives.ts';
import { riskRulesTable } from './risk-tables.ts';
import { coverageBlock } from './seed-coverage.ts';
import { code, table } from './table.ts';
import { connectionsTable, costsTable, examplesTable } from './sizing.ts';
import {
  eventsList,
  faultsTable,
  limitsTable,
  noticesTable,
  otherRoutesTable,
  permissionsList,
  requestsList,
  rolesTable,
  toolsTable,
  type RouteFacts,
} from './tables.ts';

type Blocks = Readonly<Record<string, (routes: readonly RouteFacts[], checkout: string) => string | Promise<string>>>;

/** The generated blocks of each document. */
const GENERATED: Readonly<Record<string, Blocks>> = {
  'docs/architecture/modules.md': {
    'kernel modules': (_routes, checkout) => moduleDiagram('kernel', checkout),
    'orchestrator modules': (_routes, checkout) => moduleDiagram('orchestrator', checkout),
    'executor modules': (_routes, checkout) => moduleDiagram('executor', checkout),
    'ledger modules': (_routes, checkout) => moduleDiagram('ledger', checkout),
  },
  'docs/architecture/bus.md': { requests: requestsList, events: eventsList, permissions: permissionsList },
  'docs/reference/mk8-shell.md': {
    'mk8 verbs': mk8VerbsTables,
    'mk8 templates': mk8TemplatesTable,
    'mk8 blacklist': mk8BlacklistTable,
    'mk8 limits': mk8LimitsTable,
  },
  'docs/tutorials/first-call.md': { tools: toolsTable },
  'docs/reference/limits-and-faults.md': { limits: limitsTable, faults: faultsTable },
  'docs/reference/seed-coverage.md': { 'seed coverage': (_routes, checkout) => coverageBlock(checkout) },
  'docs/reference/policy-sets.md': {
    'policy defaults': policyDefaultsTable,
    'policy context': policyContextTable,
    'policy rules default': defaultRulesTable,
    'policy rules strict': strictRulesTable,
    'policy history': historyFieldsTable,
    'policy templates': policyTemplatesTable,
    'policy schema': policySchemaText,
  },
  'docs/reference/configuration.md': { configuration: (_routes, checkout) => configurationPage(checkout) },
  'docs/operations/metrics.md': { metrics: metricsReference },
  'docs/operations/slo.md': { objectives: objectivesTable },
  'docs/operations/sizing.md': {
    costs: costsTable,
    connections: (_routes, checkout) => connectionsTable(checkout),
    examples: (_routes, checkout) => examplesTable(checkout),
  },
  'docs/explanation/risk.md': { 'risk rules': riskRulesTable },
  'docs/how-to/webhooks.md': { notices: noticesTable },
  'docs/reference/api-versions.md': { 'api versions': (_routes, checkout) => versionsTable(checkout) },
  'docs/reference/roles.md': { roles: rolesTable, 'other routes': otherRoutesTable },
};

/** Files that are generated completely: schemas of files that people write. */
const SCHEMAS: Readonly<Record<string, object>> = Object.fromEntries(
  Object.entries({ 'trust.v1': TrustPolicyFile, 'mk8-script.v1': ScriptSchema, 'mk8-rules.v1': RuleSet }).map(
    ([name, schema]) => [
      `docs/schemas/${name}.json`,
      { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema },
    ],
  ),
);

/** A document's present and up-to-date content. */
export interface Document {
  readonly path: string;
  readonly text: string;
  readonly made: string;
}

/** Every document with generated content. @throws Error where markers are missing */
export async function documentsOf(checkout: string): Promise<Document[]> {
  const routes = await routesOf(checkout);
  const pages = Object.fromEntries(
    pagedCodes(checkout).map((code) => [faultPagePath(code), { fault: () => faultBlock(code) }]),
  );
  const blocks = await Promise.all(
    Object.entries<Blocks>({ ...GENERATED, ...pages }).map(async ([path, blocksOf]) => {
      const text = readFileSync(join(checkout, path), 'utf8');
      let made = text;
      for (const [name, make] of Object.entries(blocksOf))
        made = replaceBlock(made, name, await make(routes, checkout));
      return { path, text, made };
    }),
  );
  return [...blocks, ...Object.entries(SCHEMAS).map(([path, schema]) => schemaDocument(checkout, path, schema))];
}

function schemaDocument(checkout: string, path: string, schema: object): Document {
  const file = join(checkout, path);
  return {
    path,
    text: existsSync(file) ? readFileSync(file, 'utf8') : '',
    made: `${JSON.stringify(schema, null, 2)}\n`,
  };
}

/**
 * The route table, which guard and OpenAPI use too. Imported by path: no tool depends on an app, and this only reads
 * its data.
 */
async function routesOf(checkout: string): Promise<readonly RouteFacts[]> {
  const { ROUTES } = (await import(join(checkout, 'apps/orchestrator/src/api/routes.ts'))) as {
    ROUTES: readonly RouteFacts[];
  };
  return ROUTES;
}

/** The versions of the API, imported as the routes are. */
async function versionsTable(checkout: string): Promise<string> {
  const { API_VERSIONS } = (await import(join(checkout, 'apps/orchestrator/src/edge/versions/versions.ts'))) as {
    API_VERSIONS: readonly { readonly date: string; readonly note: string }[];
  };
  return table(
    ['version', 'what changed'],
    API_VERSIONS.map(({ date, note }) => [code(date), note]),
  );
}
