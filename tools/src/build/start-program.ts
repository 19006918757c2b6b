// SPDX-License-Identifier: Apache-2.0

/** The first release line of Node.js that the services run on: esbuild compiles for it. */
export const NODE_MAJOR_MIN = 24;

/** The file that holds a service, beside the `main.js` that it is started by. */
export const SERVICE_FILE = 'service.js';

/**
 * The text of a service's `main.js`: refuses a Node.js that is too old, and else loads the service. Node.js links all
 * modules of a program before it runs the first line of any, and an old one may lack what they import: so the service
 * is imported once the version is known. Plain JavaScript that Node.js 16 reads.
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
