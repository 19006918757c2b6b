// SPDX-License-Identifier: Apache-2.0
import { membersContract } from '../store/members/members.contract.ts';
import { FakeApiKeys } from './fake-api-keys.ts';
import { FakeIdentities } from './fake-identities.ts';
import { FakeMembers } from './fake-members.ts';

describe('the fake store of members', () =>
  membersContract(() => {
    const keys = new FakeApiKeys();
    const identities = new FakeIdentities(keys);
    return { keys, identities, members: new FakeMembers(keys, identities) };
  }));
