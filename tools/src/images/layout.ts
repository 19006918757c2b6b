// SPDX-License-Identifier: Apache-2.0
//
// What lies where in the image of the services.
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findSchemas } from '@writ/database';
import { PROGRAMS, serviceProgram } from '../build/bundle-services.ts';
import { siteFolder } from '../site/build-site.ts';
import { licencesOf } from './licences.ts';
import { isKept, runtimePackages } from './runtime-packages.ts';
import { Tree, type Owner } from './tree.ts';

/** Whom the services run as. Nothing that they run belongs to it. */
export const WRIT_USER: Owner = { uid: 10_001, gid: 10_001 };

const HOME = 'opt/writ';

/** What volumes are mounted at. A new volume of Docker takes owner and mode of the folder below it. */
const WRITABLE = [
  'var/cache/writ',
  'var/lib/writ/ledger',
  'var/lib/writ/nats',
  'var/lib/writ/postgres',
  ...[
    'kernel',
    'ledger',
    'executor',
    'platform-key',
    'orchestrator',
    'migrate',
    'ca-key',
    'nats-server',
    'postgres-server',
  ].map((set) => `var/lib/writ/keys/${set}`),
];
/** The same, for what everybody may read. */
const OPEN = ['ca', 'public-keys'].map((set) => `var/lib/writ/keys/${set}`);

/** Files that the build leaves beside the bundles and no program reads. */
const NOT_RUN = new Set(['inputs.json', 'packages.json']);

/** The application: the bundles, the packages beside them, the SQL of the schemas, the documentation. */
export const applicationTree = async (checkout: string): Promise<Tree> => {
  const tree = new Tree();
  for (const program of PROGRAMS) {
    tree.copy(
      join(HOME, 'services', program),
      dirname(serviceProgram(checkout, program)),
      (path) => !NOT_RUN.has(path),
    );
  }
  for (const { folder, name } of runtimePackages(checkout)) {
    // What lies in its own node_modules is a package of its own.
    tree.copy(
      join(HOME, folder),
      realpathSync(join(checkout, folder)),
      (path) => !path.startsWith('node_modules/') && isKept(name, path),
    );
  }
  // Where the orchestrator looks for it: apps/orchestrator/src/api/docs.
  tree.copy(join(HOME, 'docs'), siteFolder(checkout), () => true);
  for (const { schema, dir } of await findSchemas(checkout))
    tree.copy(join(HOME, 'schemas', schema), dir, (path) => path.endsWith('.sql'));
  tree.text(join(HOME, 'package.json'), '{"type":"module"}\n');
  tree.file(join(HOME, 'LICENSE'), join(checkout, 'LICENSE'));
  tree.text(join(HOME, 'THIRD-PARTY-LICENCES.txt'), licencesOf(checkout));
  for (const path of WRITABLE) tree.folder(path, 0o700, WRIT_USER);
  for (const path of OPEN) tree.folder(path, 0o755, WRIT_USER);
  tree.folder('var/lib/writ/keys', 0o755, WRIT_USER);
  return tree;
};

/** Node.js, in a layer of its own: it changes less often than the application. */
export const nodeTree = (node: string): Tree => {
  const tree = new Tree();
  tree.file('usr/local/bin/node', realpathSync(node));
  return tree;
};
