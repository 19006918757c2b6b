// SPDX-License-Identifier: Apache-2.0
import { resolve } from 'node:path';
import { SandboxWhole } from '@writ/contract';
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

/** `writ sandbox sign`. The private key is read here and leaves this process in no form. */
export function signCommand(context: Context): Command {
  const command = new Command('sign')
    .description('signs it as it stands, with its environment; the private key stays here')
    .argument('<sandbox>')
    .option('--env <file>', 'lines `KEY=VALUE`, `#` begins a comment; an empty environment unless said')
    .requiredOption('--key <file>', "the registrar's private key, of `writ sandbox key new`");
  return command.action(async (name: string) => {
    const { env, key, ...common } = command.optsWithGlobals<SignOptions>();
    const signer = readRegistrarKey(resolve(context.cwd, key));
    const environment = env === undefined ? '' : readNamedText(resolve(context.cwd, env), '--env');
    const { client } = connect(context, common, 'admin');
    const standing = await client.read(SandboxWhole, pathOf(name));
    const statement = {
      v: 1 as const,
      tenant_id: standing.tenant_id,
      sandbox: name,
      definition_digest: digestOf(standing),
      environment,
      signed_at: Math.max(Date.now(), (standing.signed_at ?? 0) + 1),
    };
    const signed = await client.read(SandboxWhole, pathOf(name, '/signature'), {
      method: 'PUT',
      body: { envelope: envelopeOf(() => signSandbox(statement, signer)) },
    });
    show(context, common, signed, () => describeSandbox(signed));
  });
}

/** Computed here from what is shown: a digest that the server says is not what one signs. */
function digestOf({ definition: sent, definition_digest }: SandboxWhole): string {
  const { definition } = readDefinition(sent);
  const digest = definition === null ? null : sandboxDefinitionDigest(definitionBytes(definition));
  if (digest !== definition_digest)
    throw new CliError(
      'sandbox.unverified',
      'the sandbox is not what its digest says, so it is not signed: register it anew',
    );
  return digest;
}

function envelopeOf<T>(sign: () => T): T {
  try {
    return sign();
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    throw usage(`\`--env\`: ${error.message}`);
  }
}
