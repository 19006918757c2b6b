// SPDX-License-Identifier: Apache-2.0
// `npm run sandbox-image -- --base IMAGE --name NAME`: adds this Node and the sandbox agent to a custom image, and
// prints the digest for the configuration.
import { realpathSync } from 'node:fs';
import { buildSandboxImage } from '@writ/sandbox-docker';
import { Command, CommanderError } from 'commander';
import Docker from 'dockerode';
import { npmPackage } from '../parts/npm-package.ts';
import { agentBundle, bundleAgent, interpreterBundle } from '../build/bundle-agent.ts';
import { explain } from '../explain.ts';
import { checkout } from '../setup.ts';
import { SetupError } from '../setup-error.ts';

interface Options {
  readonly base: string;
  readonly name: string;
}

const EXIT = { built: 0, failed: 2 } as const;

async function main(args: readonly string[]): Promise<number> {
  const command = new Command('npm run sandbox-image --')
    .description(
      'Adds Node and the sandbox agent to an image that the engine has, and prints the digest of what came of it. The engine is the one of DOCKER_HOST.',
    )
    .requiredOption('--base <image>', 'any Linux with bash and glibc')
    .requiredOption('--name <name>', 'what to call the result, `acme/sandbox:1` for example')
    .allowExcessArguments(false)
    .exitOverride();
  try {
    const { base, name } = command.parse(args, { from: 'user' }).opts<Options>();
    await bundleAgent(checkout);
    const source = {
      docker: new Docker(),
      base,
      reference: name,
      nodeBinaryPath: realpathSync(process.execPath),
      npmPath: npmPackage(checkout),
      agentBundlePath: agentBundle(checkout),
      interpreterBundlePath: interpreterBundle(checkout),
    };
    // Its errors are for the caller: an engine that doesn't answer, a missing base, a failed step.
    const { digest } = await buildSandboxImage(source).catch((error: Error) => {
      throw new SetupError(`no image was made of \`${base}\`: ${error.message}`, [], error);
    });
    process.stdout.write(`${digest}\n`);
    return EXIT.built;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.built : EXIT.failed;
    explain(error);
    return EXIT.failed;
  }
}

process.exitCode = await main(process.argv.slice(2));
