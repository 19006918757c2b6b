// SPDX-License-Identifier: Apache-2.0
//
// The files of the services' image.
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findSchemas } from '@writ/database';
import { MODEL_FILES } from '@writ/transcription-local';
import { PROGRAMS, serviceProgram } from '../build/bundle-services.ts';
import { builtConsole } from '../build/bundle-console.ts';
import { siteFolder } from '../site/build-site.ts';
import { licencesOf } from './licences.ts';
import { isKept, runtimePackages } from './runtime-packages.ts';
import { Tree, type Owner } from './tree.ts';

/** The user of the services, which owns none of the files that they run. */
export const WRIT_USER: Owner = { uid: 10_001, gid: 10_001 };

const HOME = 'opt/writ';

/** Mount points of volumes. A new Docker volume gets owner and mode of the folder below it. */
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
/** The same, for files that every user may read. */
const OPEN = ['ca', 'public-keys'].map((set) => `var/lib/writ/keys/${set}`);

/** Build outputs beside the bundles that no program reads. */
const NOT_RUN = new Set(['inputs.json', 'packages.json']);

/** The folder of the model of embeddings, as the Dockerfile names it to executors. */
const EMBEDDING_MODEL = join(HOME, 'models', 'embedding');

/** The folders of models that an image has; one that is absent, the image lacks. */
export interface ModelFolders {
  readonly embedding?: string | undefined;
  readonly speech?: string | undefined;
}

/** The application: the bundles, their packages, the SQL of the schemas, the documentation, the console, the models. */
export const applicationTree = async (checkout: string, models: ModelFolders = {}): Promise<Tree> => {
  const tree = new Tree();
  if (models.embedding !== undefined) tree.copy(EMBEDDING_MODEL, models.embedding);
  for (const program of PROGRAMS) {
    tree.copy(
      join(HOME, 'services', program),
      dirname(serviceProgram(checkout, program)),
      (path) => !NOT_RUN.has(path),
    );
  }
  for (const { folder, name } of runtimePackages(checkout)) {
    // Packages in a nested node_modules are listed separately.
    tree.copy(
      join(HOME, folder),
      realpathSync(join(checkout, folder)),
      (path) => !path.startsWith('node_modules/') && isKept(name, path),
    );
  }
  // The path that the orchestrator reads: apps/orchestrator/src/api/docs.
  tree.copy(join(HOME, 'docs'), siteFolder(checkout), () => true);
  // The same: apps/orchestrator/src/api/console.
  const built = builtConsole(checkout);
  if (built !== null) tree.copy(join(HOME, 'console'), built, () => true);
  // Where the executor looks, above its bundle: apps/executor/src/executor.module.ts.
  if (models.speech !== undefined)
    for (const { name } of Object.values(MODEL_FILES))
      tree.file(join(HOME, 'speech-model', name), join(models.speech, name));
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

/** Node.js in its own layer, which changes less often than the application. */
export const nodeTree = (node: string): Tree => {
  const tree = new Tree();
  tree.file('usr/local/bin/node', realpathSync(node));
  return tree;
};
