// SPDX-License-Identifier: Apache-2.0
// What examples show, by the name of a member. Of texts the first one is taken that the schema accepts. A name with a
// dot is that of a member within another one.

const HOUR_MS = 3_600_000;
/** 2026-12-01T09:00:00Z. */
export const MOMENT = 1_796_115_600_000;
const LATER = MOMENT + HOUR_MS;
/** A digest, and the hash of a policy set. */
export const EXAMPLE_HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const HASH = EXAMPLE_HASH;
/** Base64 of `{}`. */
const PAYLOAD = 'e30=';
const THUMBPRINT = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';

/** Members that are null in the usual case: something that hasn't happened, or that most things don't have. */
export const MAY_BE_NULL =
  /^(?:(?:closed|ended|revoked|removed|lifted|resolved|former|old)_(?:at|by|until)|next_cursor|cursor|next|error|last_error|problem|fault|fault_code|hint|help|resolution|comment|close_reason|disabled_reason|failing_since|forked_from|spawned_by|parent_id|job_id|(?:tenant|agent|person|groups)_claim|tenant_value|stop|why_not|why_no_text|approval_id|decided_at|decided_by|delegation_id|rotated_at|csrf_token|exit_code)$/;

export const TRUE: ReadonlySet<string> = new Set([
  'valid',
  'ready',
  'durable',
  'forgotten',
  'own',
  'shipped',
  'stands',
]);

export const NUMBERS: Readonly<Record<string, number>> = {
  ...{ expires_at: LATER, due_at: LATER, next_at: LATER, lease_until: LATER, resets_at: LATER },
  ...{ from: MOMENT - 24 * HOUR_MS, since: MOMENT - 24 * HOUR_MS, to: MOMENT, now: MOMENT, until: LATER, at: MOMENT },
  ...{ expires_in: 600, interval: 5, lease_ms: 30_000, timeout_ms: 30_000, wall_ms: 60_000, command_ms: 600_000 },
  ...{ bytes: 1_024, size: 1_024, output_bytes: 65_536, memory_bytes: 268_435_456, buffer_bytes: 8_388_608 },
  ...{ risk_score: 0.1, last_status: 200, status: 200, leaf_index: 41, tree_size: 42, limit: 1_000, weight: 1 },
  ...{ input_tokens: 1_200, output_tokens: 80, cached_tokens: 1_000, context_tokens_max: 200_000 },
};

const PEOPLE = ['ann'];
const TIMES = ['2026-12-01T09:00:00.000Z'];
const STATES = [
  'committed',
  'active',
  'ended',
  'open',
  'pending',
  'ready',
  'connected',
  'accepted',
  'done',
  'delivered',
];

export const TEXTS: Readonly<Record<string, readonly string[]>> = {
  ...{ from: ['ann', '2026-11-01', ...TIMES], to: ['ben', '2026-12-01', ...TIMES], day: ['2026-12-01'] },
  ...{ email: ['ann@example.org'] },
  ...{ principal: PEOPLE, person: PEOPLE, member: PEOPLE, decided_by: PEOPLE, subject: ['ann-1'], timestamp: TIMES },
  ...{ name: ['reviewer', 'REVIEWER'], description: ['Reviews changes'], title: ['Shop'], label: ['reviewer'] },
  ...{ note: ['after a look at the diff'], reason: ['nightly maintenance'], reason_code: ['asked'], comment: ['fine'] },
  ...{
    message: ['the rule `own-files` permits it'],
    summary: ['read a file'],
    text: ['It is done.'],
    input: ['Fix the tests'],
  },
  ...{ system: ['You repair tests.'], output: ['ok\n'], log: ['ok\n'], tool_id: ['fs.read'], tool: ['fs.read'] },
  ...{
    tool_name: ['fs.read'],
    remote_name: ['look'],
    code: ['policy.permitted', 'not_found'],
    fault: ['unavailable'],
    call_id: ['a'],
  },
  ...{ state: STATES, outcome: ['committed', 'done'], tx_outcome: ['committed'], verdict: ['admitted'] },
  ...{ standing: ['completed'], dialect: ['native', 'blocks'], model: ['recorded'], task_class: ['general'] },
  ...{ domain: ['api.example.org'], method: ['GET'], address: ['192.0.2.1'], target: ['api.example.org:443'] },
  ...{
    url: ['https://example.org/hooks'],
    href: ['/v1/operations/op_01kbc5yyg0f8xrrqbefy092ahv/receipts/outcome'],
    issuer: ['https://login.example.org'],
  },
  ...{ audience: ['https://writ.example.org'], resource: ['https://writ.example.org'], resource_name: ['Writ'] },
  ...{ redirect_uri: ['https://writ.example.org/connect/done'], verification_uri: ['https://writ.example.org/device'] },
  ...{ session_redirect_uri: ['https://writ.example.org/sign-in/done'], client_id: ['writ'], client: ['cli'] },
  ...{ verification_uri_complete: ['https://writ.example.org/device?code=BCDF-GHJK'], user_code: ['BCDF-GHJK'] },
  ...{
    device_code: ['device-code'],
    access_token: ['writ_x_secret'],
    api_key: ['writ_key_secret'],
    provider: ['people'],
  },
  ...{
    scope: ['calls:write', 'writ:agent'],
    scopes_supported: ['writ:agent'],
    group: ['finance'],
    cron: ['0 3 * * *'],
  },
  ...{ time_zone: ['Europe/Berlin'], currency: ['EUR'], path: ['src/a.txt'], allowed_path: ['src'], kind: ['file'] },
  ...{ denied_path: ['**/.ssh'], denied_tool: ['shell.dangerous'], secret: ['NPM_TOKEN'], event: ['approval.pending'] },
  ...{
    version: ['1', 'v1', '0.1.0'],
    protocol: ['2025-06-18'],
    turn_id: ['t1'],
    session_id: ['ses-1'],
    by: ['person'],
  },
  ...{ reference: [`registry.example.org/tools/base@sha256:${HASH}`], ref: ['deployment:shop'], server: ['issues'] },
  ...{ image_digest: [`sha256:${HASH}`], digest: [HASH, `sha256:${HASH}`], keyid: [THUMBPRINT], x: [THUMBPRINT] },
  ...{
    sig: ['AAAA'],
    payload: [PAYLOAD],
    payloadType: ['application/vnd.in-toto+json'],
    hash: ['AAAA'],
    hashe: ['AAAA'],
  },
  ...{ checkpoint: ['writ.example.org/log\n42\nAAAA\n'], log_key: ['writ.example.org+00000000+AAAA'] },
  ...{ rule_id: ['own-files'], cedar: ['namespace Writ {}'], policy: ['our-team', HASH], schema: ['kernel'] },
  ...{ removed: ['reviewer'], placed_by: PEOPLE, id: ['reviewer'], pointer: ['/command'], purpose: ['fetch'] },
  ...{ snapshot_id: [`snap_${HASH}`], head_snapshot_id: [`snap_${HASH}`], parent_snapshot_id: [`snap_${HASH}`] },
  ...{ shell: ['Bash'], command: ['ls'], effect: ['permit', 'effect.lost_many'], image: ['tools'], type: ['call'] },
  ...{
    operation: ['listOrders'],
    risk_basi: ['fs.read'],
    what: ['shell.run'],
    why: ['a rule holds it'],
    with: ['approval'],
  },
  ...{ capability_token_id: ['cap_01kbc5yyg0f8xrrqbefy092ahv'], cast_as: PEOPLE, base: [`snap_${HASH}`] },
  // What a text of any other name may be.
  '': [
    ...['example', 'EXAMPLE', '1', 'a', HASH, `snap_${HASH}`, `delta_${HASH}`, THUMBPRINT, 'AAAA', ...TIMES],
    ...['https://example.org', 'example.org', 'fs.read', HASH.slice(0, 32), '2026-12-01', 'EUR', 'GET'],
  ],
};

/** What a text of that name may be, the likeliest first. */
export function textsFor(name: string): readonly string[] {
  const bySuffix = SUFFIXES.filter(([suffix]) => name.endsWith(suffix)).map(([, text]) => text);
  return [...(TEXTS[name] ?? []), ...bySuffix];
}

const SUFFIXES: readonly (readonly [string, string])[] = [
  ['_digest', HASH],
  ['_hash', HASH],
  ['_snapshot_id', `snap_${HASH}`],
  ['_delta_id', `delta_${HASH}`],
  ['_token_id', 'cap_01kbc5yyg0f8xrrqbefy092ahv'],
  ['_by', 'key_01kbc5yyg0f8xrrqbefy092ahv'],
  ['_uri', 'https://writ.example.org'],
];
