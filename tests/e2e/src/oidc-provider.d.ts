// The part of `oidc-provider`, which has no types of its own, that tests use.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  /** A token or a grant that the provider stores. */
  interface Stored {
    scope?: string;
    resourceServer?: unknown;
    save(): Promise<string>;
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    rejectResourceScope(resource: string, scope: string): void;
  }
  interface TokenKind {
    new (of: object): Stored;
    find(value: string): Promise<{ readonly accountId: string } | undefined>;
    revokeByGrantId(grantId: string): Promise<void>;
  }
  /** The context of a request to the provider. */
  export interface ProviderContext {
    body: unknown;
    readonly oidc: {
      readonly client: { readonly clientId: string };
      readonly session: { readonly accountId: string };
      readonly params: Readonly<Record<string, string | undefined>>;
    };
  }
  export class Provider {
    constructor(issuer: string, configuration: object);
    readonly Grant: new (of: object) => Stored;
    readonly Client: { readonly prototype: { redirectUriAllowed(uri: string): boolean } };
    readonly AccessToken: TokenKind;
    readonly RefreshToken: TokenKind;
    proxy: boolean;
    readonly ResourceServer: new (resource: string, info: object) => unknown;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ readonly params: Readonly<Record<string, string>> }>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
    registerGrantType(
      name: string,
      handler: (context: ProviderContext) => Promise<void>,
      parameters: readonly string[],
    ): void;
  }
}
