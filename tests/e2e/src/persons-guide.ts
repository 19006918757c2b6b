// SPDX-License-Identifier: Apache-2.0
// Runs docs/how-to/mcp-persons.md in a tenant of its own, with a program in the place of each person's browser.
import { Api, type JsonValue, type SharedStack } from '@writ/stack';
import { SIGN_IN_CLIENT_ID, type AuthorizationServer } from './authorization-server.ts';
import { GuideFolder } from './guide.ts';
import type { OauthClient } from './oauth-client.ts';
import { UPSTREAM_CLIENT_ID, type UpstreamAuthorization } from './upstream-authorization.ts';

export interface PersonsGuide {
  readonly stack: SharedStack;
  /** signs people in at the identity provider, which MUST be registered for no other tenant */
  readonly client: OauthClient;
  readonly provider: AuthorizationServer;
  /** the authorization server of the MCP server */
  readonly upstream: UpstreamAuthorization;
  /** the address of the MCP server */
  readonly server: string;
  /** of the definition of `create_issue`, which a reader copies from the screen */
  readonly digest: string;
  /** goes through a link as the person */
  readonly consent: (person: string, link: string) => Promise<unknown>;
}

/** Returns what the commands print. Root is the administrator, and Ann the person. */
export async function runPersonsGuide(guide: PersonsGuide): Promise<string> {
  const { stack, client, provider, upstream, server, digest, consent } = guide;
  const folder = await GuideFolder.open(stack);
  try {
    const admin = new Api(stack.url, folder.variables.WRIT_API_KEY);
    const ADMIN_TOKEN = await client.signIn('root', 'writ:admin');
    const corp = await admin.must('/v1/identity-providers', {
      name: 'corp',
      issuer: provider.issuer,
      agent_id: folder.variables.AGENT,
      sign_in: { client_id: SIGN_IN_CLIENT_ID },
      access_token: ADMIN_TOKEN,
    });
    provider.redirectUris.add(corp.redirect_uri as string);
    const links: string[] = [];
    const follow = async (link: string): Promise<void> => {
      const { body } = await admin.get('/v1/mcp-servers/tracker');
      upstream.redirectUris.add((body.oauth as JsonValue).redirect_uri as string);
      await consent(links.push(link) === 1 ? 'root' : 'ann', link);
    };
    const variables = {
      SERVER: server,
      HOST: new URL(server).host,
      CLIENT_ID: UPSTREAM_CLIENT_ID,
      ADMIN_TOKEN,
      ACCESS_TOKEN: await client.signIn('ann', 'writ:agent'),
      CREATE_ISSUE: digest,
    };
    return await folder.run('how-to/mcp-persons.md', variables, (line) => {
      if (line.startsWith(`${stack.url}/connect/`)) void follow(line);
    });
  } finally {
    folder.remove();
  }
}
