// SPDX-License-Identifier: Apache-2.0

/** The first release line of Node.js that the services run on: esbuild compiles for it. */
export const NODE_MAJOR_MIN = 24;

/** The file with a service's bundle, beside the `main.js` that starts it. */
export const SERVICE_FILE = 'service.js';

/**
 * The text of a service's `main.js`: it refuses a Node.js that is too old, and otherwise loads the service. Node.js
 * links all modules of a program before it runs the first line, and an old one may lack what they import. So the
 * service is imported after the check. Plain JavaScript for Node.js 16.
 */
export const startProgram = (): string => `// SPDX-License-Identifier: Apache-2.0
// Made by \`npm run build\` (tools/src/build/start-program.ts).
if (Number(process.versions.node.split('.')[0]) < ${NODE_MAJOR_MIN}) {
  process.stderr.write('Node.js ${NODE_MAJOR_MIN} or later is needed, and ' + process.execPath + ' is ' + process.version
    + ': nothing was started. \`npm install\` in the checkout puts one at node_modules/.bin/node.\\n');
  process.exitCode = 1;
} else {
  await import('./${SERVICE_FILE}');
}
`;
