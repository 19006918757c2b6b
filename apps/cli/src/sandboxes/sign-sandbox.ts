// SPDX-License-Identifier: Apache-2.0
import { resolve } from 'node:path';
import { SandboxDetails } from '@writ/contract';
import {
  definitionBytes,
  EnvironmentError,
  readDefinition,
  sandboxDefinitionDigest,
  signSandbox,
} from '@writ/mk8-shell';
import { Command } from 'commander';
import { CliError, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { readNamedText } from '../read-named-file.ts';
import { describeSandbox, pathOf } from './describe-sandbox.ts';
import { readRegistrarKey } from './registrar-keys.ts';

interface SignOptions extends CommonOptions {
  readonly env?: string;
  readonly key: string;
}

/** `writ sandbox sign`. The private key is read here and never leaves this process. */
export function signCommand(context: Context): Command {
  const command = new Command('sign')
    .description('signs a sandbox with its environment; the private key stays on this machine')
    .argument('<sandbox>')
    .option('--env <file>', 'lines `KEY=VALUE`, `#` begins a comment; an empty environment by default')
    .requiredOption('--key <file>', "the registrar's private key, of `writ sandbox key new`");
  return command.action(async (name: string) => {
    const { env, key, ...common } = command.optsWithGlobals<SignOptions>();
    const signer = readRegistrarKey(resolve(context.cwd, key));
    const environment = env === undefined ? '' : readNamedText(resolve(context.cwd, env), '--env');
    const { client } = connect(context, common, 'admin');
    const current = await client.read(SandboxDetails, pathOf(name));
    const statement = {
      v: 1 as const,
      tenant_id: current.tenant_id,
      sandbox: name,
      definition_digest: digestOf(current),
      environment,
      signed_at: Math.max(Date.now(), (current.signed_at ?? 0) + 1),
    };
    const signed = await client.read(SandboxDetails, pathOf(name, '/signature'), {
      method: 'PUT',
      body: { envelope: withUsageErrors(() => signSandbox(statement, signer)) },
    });
    show(context, common, signed, () => describeSandbox(signed));
  });
}

/** Computes the digest from the definition. A registrar never signs a digest that only the server states. */
function digestOf({ definition: sent, definition_digest }: SandboxDetails): string {
  const { definition } = readDefinition(sent);
  const digest = definition === null ? null : sandboxDefinitionDigest(definitionBytes(definition));
  if (digest !== definition_digest)
    throw new CliError(
      'sandbox.unverified',
      'the sandbox is not what its digest says, so it is not signed: register it again',
    );
  return digest;
}

function withUsageErrors<T>(sign: () => T): T {
  try {
    return sign();
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    throw usage(`\`--env\`: ${error.message}`);
  }
}
