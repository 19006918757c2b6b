// SPDX-License-Identifier: Apache-2.0

export interface NatsServer {
  readonly port: number;
  readonly storeDir: string;
  readonly users: readonly { readonly user: string; readonly password: string }[];
}

/** Configuration text of a nats-server with JetStream on loopback; each user has an inbox of its own. */
export const natsServerConfig = async ({ port, storeDir, users }: NatsServer): Promise<string> => `\
host: 127.0.0.1
port: ${port}
max_payload: 1MB
jetstream { store_dir: ${JSON.stringify(storeDir)} }
authorization {
  users: [
${users.map(({ user, password }) => `    { user: ${user}, password: ${JSON.stringify(password)} }`).join('\n')}
  ]
}
`;
