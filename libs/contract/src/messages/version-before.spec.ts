// SPDX-License-Identifier: Apache-2.0
// A law for messages between services: two versions run side by side while a deployment is upgraded or rolled back
// (docs/operations/upgrade.md). `members-of-version-before.txt` has the members of each message of the version before
// (3591d597). Whoever changes a message says here why both versions understand each other.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as contract from '../index.ts';

/** Members of messages, by their JSON pointers without indexes, each with the types that it may have. */
type Members = ReadonlyMap<string, ReadonlySet<string>>;

function membersOf(node: object, path = '/', isOptional = false, into = new Map<string, Set<string>>()): Members {
  const schema = node as Record<string, unknown>;
  const say = (type: string) => into.set(path, (into.get(path) ?? new Set()).add(type));
  const within = (name: string): string => (path === '/' ? `/${name}` : `${path}/${name}`);
  const { anyOf, enum: values, type = 'any', properties, patternProperties, items, required = [] } = schema;
  if (isOptional) say('?');
  if (Array.isArray(anyOf)) for (const one of anyOf) membersOf(one as object, path, false, into);
  else if (Array.isArray(values)) for (const value of values) say(`=${String(value)}`);
  else if ('const' in schema) say(`=${String(schema['const'])}`);
  else say(String(type));
  for (const [name, member] of Object.entries(properties ?? {}))
    membersOf(member as object, within(name), !(required as string[]).includes(name), into);
  for (const member of Object.values(patternProperties ?? {})) membersOf(member as object, within('{}'), false, into);
  if (typeof items === 'object' && !Array.isArray(items)) membersOf(items as object, within('*'), false, into);
  return into;
}

function frozenMessages(): ReadonlyMap<string, Members> {
  const text = readFileSync(fileURLToPath(new URL('members-of-version-before.txt', import.meta.url)), 'utf8');
  const messages = new Map<string, Map<string, Set<string>>>();
  let members = new Map<string, Set<string>>();
  for (const line of text.trimEnd().split('\n')) {
    const [path = '', ...types] = line.trim().split(' ');
    if (line.startsWith(' ')) members.set(path, new Set(types));
    else messages.set(line, (members = new Map()));
  }
  return messages;
}

const schemaOf = (name: string): object | undefined => {
  const [whole = '', ...rest] = name.split('.');
  const found = (contract as Record<string, unknown>)[whole];
  return (rest.length === 0 ? found : (found as Record<string, unknown>)[rest.join('.')]) as object | undefined;
};

function differences(): string[] {
  const found: string[] = [];
  for (const [name, before] of frozenMessages()) {
    const schema = schemaOf(name);
    if (schema === undefined) found.push(`${name} is gone`);
    const now = schema === undefined ? before : membersOf(schema);
    for (const path of new Set([...before.keys(), ...now.keys()])) {
      const [old, own] = [before, now].map((members) => [...(members.get(path) ?? [])]) as [string[], string[]];
      const changes = [
        ...old.filter((type) => !own.includes(type)).map((type) => `-${type}`),
        ...own.filter((type) => !old.includes(type)).map((type) => `+${type}`),
      ];
      if (changes.length > 0) found.push(`${name} ${path}: ${changes.join(' ')}`);
    }
  }
  return found;
}

const REFUSED_WITH_ITS_CONDITION = 'a kernel of before refuses it, and nothing is changed without its condition';

/** The beginnings of differences, and why peers of both versions live with them. */
const OF_SEVERAL_NAMES =
  'sent for a person with several names alone, whom a kernel of before lets decide about nothing';

const EXPLAINED: Readonly<Record<string, string>> = {
  'LimitsChanged /items/*/closed: +? +boolean': 'orchestrators of before read this reply with unknown members',
  'AssignedEvent /redemption/acts_for: +? +string': 'sent to executors that know it alone: REDEMPTION_MEMBERS',
  'AssignedEvent /redemption/session: +? +string': 'sent to executors that know it alone: REDEMPTION_MEMBERS',
  'AssignedEvent /redemption/cli_tool/asks': 'of servers that may ask: set once all services have this version',
  'RedeemRequest /knows': 'a kernel of before refuses it, and the executor redeems without',
  'SlotsEvent /assignable/knows': 'kernels read this event with unknown members',
  'ApprovalView /groups': 'orchestrators of before read this reply with unknown members',
  'ApprovalView /escalated_to': 'orchestrators of before read this reply with unknown members',
  'ApprovalView /escalates_at: +? +integer': 'orchestrators of before read this reply with unknown members',
  'ApprovalView /unreadable: +? +=true': 'orchestrators of before read this reply with unknown members',
  'ApprovalView /started_by': 'orchestrators of before read this reply with unknown members',
  'ApprovalView /you': 'orchestrators of before read this reply with unknown members',
  'KERNEL_REQUESTS.approval.read /other_names': 'a kernel of before refuses it, and it goes without',
  'Simulation /approvers/groups': 'orchestrators of before read this reply with unknown members',
  'KERNEL_REQUESTS.approval.list /mine: +? +=true':
    'sent where a caller asks for it alone; a kernel of before refuses it',
  'KERNEL_REQUESTS.approval.list /filter': 'sent where a caller asks for it alone; a kernel of before refuses it',
  'KERNEL_REQUESTS.approval.list /order': 'sent where a caller asks for it alone; a kernel of before refuses it',
  'KERNEL_REQUESTS.call_settings.set /if_match': REFUSED_WITH_ITS_CONDITION,
  'KERNEL_REQUESTS.resource.remove /if_match': REFUSED_WITH_ITS_CONDITION,
  'KERNEL_REQUESTS.resource.update /if_match': REFUSED_WITH_ITS_CONDITION,
  'KERNEL_REQUESTS.retention.set /if_match': REFUSED_WITH_ITS_CONDITION,
  'KERNEL_REQUESTS.profile.remove /if_match': REFUSED_WITH_ITS_CONDITION,
  'KERNEL_REQUESTS.resource_grant.remove /if_match': REFUSED_WITH_ITS_CONDITION,
  'KERNEL_REQUESTS.resource_grant.set /if_match': REFUSED_WITH_ITS_CONDITION,
  'KERNEL_REQUESTS.sandbox.put /if_match': REFUSED_WITH_ITS_CONDITION,
  'KERNEL_REQUESTS.sandbox.remove /if_match': REFUSED_WITH_ITS_CONDITION,
  'KERNEL_REQUESTS.sandbox.sign /if_match': REFUSED_WITH_ITS_CONDITION,
  'KERNEL_REQUESTS.secret.remove /if_match': REFUSED_WITH_ITS_CONDITION,
  'KERNEL_REQUESTS.secret.set /if_match': REFUSED_WITH_ITS_CONDITION,
  'KERNEL_REQUESTS.skill.put /if_match': REFUSED_WITH_ITS_CONDITION,
  'KERNEL_REQUESTS.skill.remove /if_match': REFUSED_WITH_ITS_CONDITION,
  'KERNEL_REQUESTS.token.revoke /if_match': REFUSED_WITH_ITS_CONDITION,
  'KERNEL_REQUESTS.workspace.change /if_match': REFUSED_WITH_ITS_CONDITION,
  'KERNEL_REQUESTS.workspace.change /if_absent': REFUSED_WITH_ITS_CONDITION,
  'KERNEL_REQUESTS.approval.decide /other_names': OF_SEVERAL_NAMES,
  'KERNEL_REQUESTS.approval.edit /other_names': OF_SEVERAL_NAMES,
  'KERNEL_REQUESTS.approval.give /other_names': OF_SEVERAL_NAMES,
  'KERNEL_REQUESTS.operation.resolve /other_names': OF_SEVERAL_NAMES,
  'KERNEL_REQUESTS.change.record /subject_hash: +? +string': 'a kernel of before refuses it, and it goes without',
  'KERNEL_REQUESTS.token.draw /cost': 'a kernel of before refuses it, and it goes without',
  'KERNEL_REQUESTS.mcp_server.list /every_kind: +? +=true': 'a kernel of before refuses it, and it goes without',
  'KERNEL_REQUESTS.mcp_server.read /every_kind: +? +=true': 'a kernel of before refuses it, and it goes without',
  'KERNEL_REQUESTS.mcp_server.refresh /every_kind: +? +=true': 'a kernel of before refuses it, and it goes without',
  'McpClaimRequest /transports': 'a kernel of before refuses it, and it goes without',
  'McpClaimReply /claim/image': 'of programs, which are given to executors that name their transports alone',
  'McpReportRequest /authorization': 'of servers with the rights of persons; a kernel of before refuses it',
  'McpReportRequest /problem/code: +=': 'executors report none of the API, and its servers of persons are new',
  'McpServerView /': 'servers over HTTP as before; others for orchestrators that read every kind alone',
  'TenantToolView /tool/asks': 'of servers that may ask: set once all services have this version',
  'NoticesRequest /mcp_servers: +? +=true': 'a kernel of before refuses it, and it goes without',
  'NoticesReply /notices/*/mcp_server': 'sent to orchestrators that ask for them alone',
};

it('every difference of a message to the version before is one that both versions live with', () => {
  const found = differences();
  const isExplained = (difference: string) => Object.keys(EXPLAINED).some((begins) => difference.startsWith(begins));
  expect(found.filter((difference) => !isExplained(difference))).toEqual([]);
  const unused = Object.keys(EXPLAINED).filter((begins) => !found.some((difference) => difference.startsWith(begins)));
  expect(unused).toEqual([]);
});

it('a redemption has members beyond the version before that executors name, and no others', () => {
  const before = frozenMessages().get('AssignedEvent') as Members;
  const added = Object.keys(contract.Redemption.properties).filter((name) => !before.has(`/redemption/${name}`));
  expect(added).toEqual(contract.REDEMPTION_MEMBERS);
});

it('no message demands a member that the version before does not send', () => {
  const demanded = [...frozenMessages()].flatMap(([name, before]) =>
    [...membersOf(schemaOf(name) ?? {})]
      .filter(([path, types]) => !before.has(path) && !types.has('?') && !/\/[*{][^/]*$/.test(path))
      .filter(([path]) => before.has(path.slice(0, path.lastIndexOf('/')) || '/'))
      .map(([path]) => `${name} ${path}`),
  );
  // The orchestrator reads a server without the first two as one over HTTP, and the last is one of two kinds.
  const read = ['McpServerView /transport', 'McpServerView /command', 'NoticesReply /notices/*/mcp_server'];
  expect(demanded).toEqual(read);
});
