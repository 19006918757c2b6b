// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import { Type, type Static } from 'typebox';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { fieldsOf, momentOf } from '../terminal.ts';

const Person = Type.Object({ person_id: Type.String(), created_at: Type.Integer() });
const Forgotten = Type.Object({
  person_id: Type.String(),
  forgotten: Type.Boolean(),
  revoked: Type.Array(Type.String()),
  more: Type.Boolean(),
});

interface FindOptions extends CommonOptions {
  readonly principal?: string;
  readonly issuer?: string;
  readonly subject?: string;
}

/** `writ persons`. */
export function personsCommand(context: Context): Command {
  return new Command('person').addCommand(findCommand(context)).addCommand(forgetCommand(context));
}

function findCommand(context: Context): Command {
  const command = new Command('find')
    .description('finds the pseudonym of a person in records and rules')
    .option('--principal <name>', 'the name that API keys or the claim of an issuer have')
    .option('--issuer <url>', 'the issuer of a person without such a name, with --subject')
    .option('--subject <sub>', 'the `sub` of that person');
  return command.action(async () => {
    const { principal, issuer, subject, ...common } = command.optsWithGlobals<FindOptions>();
    const query = new URLSearchParams(
      Object.entries({ principal, issuer, subject }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as [string, string]],
      ),
    );
    if (query.size === 0) throw usage('name `--principal`, or `--issuer` and `--subject`');
    const person = await connect(context, common, 'admin').client.read(Person, `/v1/persons?${query.toString()}`);
    show(context, common, person, () => fieldsOf({ person: person.person_id, since: momentOf(person.created_at) }));
  });
}

function forgetCommand(context: Context): Command {
  const command = new Command('forget')
    .description('unlinks a pseudonym: nobody can tell any more whose calls and records have it')
    .argument('<person>', 'its id');
  return command.action(async (person: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const { client } = connect(context, options, 'admin');
    const revoked: string[] = [];
    let end: Static<typeof Forgotten>;
    // One request revokes a hundred credentials at most.
    do {
      end = await client.read(Forgotten, `/v1/persons/${encodeURIComponent(person)}`, { method: 'DELETE' });
      revoked.push(...end.revoked);
    } while (end.more);
    show(context, options, { ...end, revoked }, () =>
      fieldsOf({ forgotten: end.person_id, credentials: String(revoked.length) }),
    );
  });
}
