// SPDX-License-Identifier: Apache-2.0
export { AttenuateToken } from './attenuate-token.ts';
export { CallDefaults } from './call-defaults.ts';
export { DerivedTokensController } from './derived-tokens.controller.ts';
export { ChargeModelTokens } from './charge-model-tokens.ts';
export { BoundCredentialGuard } from './bound-credential.guard.ts';
export { endSessionGrants } from './end-session-grants.ts';
export { ExchangeToken } from './exchange-token.ts';
export { IssueToken } from './issue-token.ts';
export { ListForJob } from './list-for-job.ts';
export { RevokeToken } from './revoke-token.ts';
export { SpawnToken } from './spawn-token.ts';
export { Tokens } from './tokens.ts';
export { TokensController } from './tokens.controller.ts';
