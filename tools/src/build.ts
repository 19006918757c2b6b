// SPDX-License-Identifier: Apache-2.0
// `npm run build`, and the step with that name in `npm start` and `npm test`.
import { bundleAgent } from './build/bundle-agent.ts';
import { bundleClient } from './build/bundle-client.ts';
import { bundleCli } from './build/bundle-cli.ts';
import { bundleConsole } from './build/bundle-console.ts';
import { bundleReceiptPage } from './build/bundle-page.ts';
import { bundleServices } from './build/bundle-services.ts';
import { compile } from './build/compile.ts';
import { findSchemas, generateClient } from './build/generate.ts';
import { checkout } from './setup.ts';
import { buildSite } from './site/build-site.ts';
import { explain } from './explain.ts';

/** Generates and compiles everything that is older than its sources. */
export const build = async (
  env: Readonly<Record<string, string | undefined>>,
  onLine: (line: string) => void,
): Promise<void> => {
  for (const schema of findSchemas(checkout)) await generateClient(checkout, schema, env);
  await compile(checkout, env, onLine);
  await bundleServices(checkout);
  await bundleCli(checkout);
  await bundleAgent(checkout);
  await bundleReceiptPage(checkout);
  await bundleConsole(checkout);
  await bundleClient(checkout);
  await buildSite(checkout, env);
};

if (import.meta.main) {
  try {
    await build(process.env, (line) => process.stdout.write(`${line}\n`));
  } catch (error) {
    explain(error);
    process.exitCode = 1;
  }
  process.disconnect?.();
}
