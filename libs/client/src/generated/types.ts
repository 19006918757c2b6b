// SPDX-License-Identifier: Apache-2.0
// Generated from the API by `node tools/with-node.mjs tools/src/sdk/main.ts`.

export interface Agent {
  /** the id of an agent: `agt_…` */
  agent_id: string;
  name: string;
  /** milliseconds since the epoch */
  created_at: number;
}

export interface AgentList {
  items: readonly Agent[];
  next_cursor: string | null;
}

export interface ApiKey {
  /** the id of an API key: `key_…` */
  api_key_id: string;
  name: string;
  role: "admin" | "operator" | "agent" | "auditor" | "worker";
  agent_id: string | null;
  principal: string | null;
  tools: readonly string[] | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that created it, or `platform` */
  created_by: string;
  revoked_at: number | null;
}

export interface ApiKeyList {
  items: readonly ApiKey[];
  next_cursor: string | null;
}

export interface Approval {
  /** the id of an approval: `apr_…` */
  approval_id: string;
  /** the id of an operation: `op_…` */
  operation_id: string;
  tool_id: string;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  action_digest: string;
  autonomy_mode: "autopilot" | "soft_gate" | "escalated" | "no_go";
  /** what a person approves: the action, or exactly the effect shown; value: the call waits for one, and a person gives it */
  of: "action" | "effect" | "value";
  state: "pending" | "approved" | "denied" | "expired" | "cancelled" | "superseded";
  /** what an approval binds to; it counts once */
  binding: {
    /** with the snapshot left out */
    action_digest: string;
    effect_digest: string | null;
    policy_hash: string;
    /** milliseconds since the epoch */
    expires_at: number;
  };
  preview: {
    /** ready: the effect is staged, and is what an approval approves; failed: the call would not have committed, or nothing ran it; none: the call has none */
    state: "none" | "waiting" | "running" | "ready" | "failed" | "abandoned";
    why: string | null;
    /** 2 once an effect went stale and was shown anew */
    round: number;
    base_snapshot_id: string | null;
    changes: readonly Change[] | null;
    changes_total: number | null;
    exit_code: number | null;
    /** the tool's result; null where it is too long to show */
    output: unknown;
    /** with any of these the approval is of the action: the preview did not have them, so the effect may differ */
    would_ask_for: readonly ({
      kind: "egress" | "secret";
      what: string;
    })[];
    used: {
      calls?: number;
      cpu_ms?: number;
      wall_ms?: number;
      disk_write_bytes?: number;
      egress_bytes?: number;
      llm_tokens?: number;
    } | null;
  };
  votes: {
    /** distinct persons whose approval is valid */
    given: number;
    /** distinct persons who must approve */
    needed: number;
    /** the lowest role whose approval counts */
    role: "operator" | "admin";
  };
  /** the votes, oldest first */
  voted: readonly ({
    /** the id of a vote: `vot_…` */
    vote_id: string;
    says: "approve" | "deny";
    /** the person whose vote it is */
    principal: string;
    /** the right that was used */
    role: "operator" | "admin";
    /** the API key that gave it */
    cast_by: string;
    /** the person of that key: another than `principal` if the right was delegated */
    cast_as: string;
    delegation_id: string | null;
    effect_digest: string | null;
    /** whether it applies to the current subject of the approval, and its right was not revoked */
    stands: boolean;
    comment: string | null;
    record_id: string | null;
    /** milliseconds since the epoch */
    created_at: number;
  })[];
  reasons: readonly Reason[];
  /** the arguments that would run, for the approver */
  args: unknown;
  /** milliseconds since the epoch */
  created_at: number;
  /** milliseconds since the epoch */
  expires_at: number;
  decided_at: number | null;
  decided_by: string | null;
  comment: string | null;
  session_token_id?: string | null;
}

export interface ApprovalList {
  items: readonly Approval[];
  next_cursor: string | null;
}

export interface Backtest {
  page: BacktestPage;
  envelope: Envelope;
}

export interface BacktestPage {
  v: 1;
  /** the id of a tenant: `ten_…` */
  tenant_id: string;
  kernel_key_id: string;
  candidate: {
    policy_hash: string;
    name: string;
    enforcement: "enforce" | "observe";
  };
  since: number;
  cursor: string | null;
  next_cursor: string | null;
  made_at: number;
  examined: number;
  /** operations that no policy was asked about, or whose arguments or set are gone */
  skipped: number;
  changed: number;
  changes: readonly ({
    from: "autopilot" | "soft_gate" | "escalated" | "no_go";
    to: "autopilot" | "soft_gate" | "escalated" | "no_go";
    tool_id: string;
    count: number;
  })[];
  examples: readonly ({
    /** the id of an operation: `op_…` */
    operation_id: string;
    tool_id: string;
    from: "autopilot" | "soft_gate" | "escalated" | "no_go";
    to: "autopilot" | "soft_gate" | "escalated" | "no_go";
    rule_ids: readonly string[];
  })[];
  redactions?: {
    changed: number;
    examples: readonly {
      /** the id of an operation: `op_…` */
      operation_id: string;
      tool_id: string;
      from: readonly {
        rule: string;
        /** JSON pointers into the result; `*` is every member and every item */
        pointers: readonly string[];
      }[];
      to: readonly {
        rule: string;
        /** JSON pointers into the result; `*` is every member and every item */
        pointers: readonly string[];
      }[];
    }[];
  };
  effects?: {
    /** committed calls with changes about whose effects both sets were asked */
    judged: number;
    /** those about whose effects they were not */
    skipped: number;
    skipped_for: readonly ({
      why: "arguments_erased" | "contents_gone" | "set_unknown" | "beyond_bounds";
      count: number;
    })[];
    /** effects judged alone, since the calls before them could not all be read */
    without_series: number;
    changed: number;
    /** `autopilot`: the effect commits without anybody more than the call had */
    changes: readonly ({
      from: "autopilot" | "soft_gate" | "escalated" | "no_go";
      to: "autopilot" | "soft_gate" | "escalated" | "no_go";
      tool_id: string;
      count: number;
    })[];
    examples: readonly ({
      /** the id of an operation: `op_…` */
      operation_id: string;
      tool_id: string;
      from: "autopilot" | "soft_gate" | "escalated" | "no_go";
      to: "autopilot" | "soft_gate" | "escalated" | "no_go";
      /** what the candidate decides by */
      rule_ids: readonly string[];
      /** rules on effects by which the candidate finds something */
      findings: readonly string[];
      /** the same of the set that was in force */
      findings_then: readonly string[];
      /** what the effect does, as the stricter of both says it first */
      headline: string;
    })[];
  };
}

export interface Change {
  /** relative to the workspace, `/` between segments */
  path: string;
  before: FileState | null;
  after: FileState | null;
}

export interface Delta {
  v: 1;
  base: string;
  changes: readonly Change[];
}

export interface EgressRequest {
  at_ms: number;
  method: string;
  target: string;
  purpose: string;
  outcome: "answered" | "refused" | "failed" | "unreported";
  reason: string | null;
  address: string | null;
  status: number | null;
  sent_bytes: number;
  received_bytes: number;
}

export interface EgressRequestPage {
  items: readonly EgressRequest[];
  next_cursor: string | null;
  total: number;
  hash: string | null;
}

export interface Envelope {
  payloadType: string;
  payload: string;
  signatures: readonly {
    keyid: string;
    sig: string;
  }[];
}

export interface ExecutionProfile {
  /** what may read a command */
  shells: readonly ("Bash" | "PowerShell" | "CommandPrompt" | "Git")[];
  /** the only workspace that it is for; null: any */
  workspace_id: string | null;
  /** variables that commands find; no secrets */
  environment: {
    [name: string]: string;
  };
  /** the user that commands run as, never root; the user `sandbox` (10001) unless set */
  user?: string | {
    uid: number;
    gid: number;
  };
  /** the tenant's image that commands run in; that of the tool unless set */
  image?: string;
  /** hosts that a command may reach at most, where its token reaches them too */
  net: readonly {
    domain: string;
    methods: readonly string[];
    /** the only ports; absent: 80 for http, 443 for https and `CONNECT`, and none for `TCP` and `TLS`, which need them named */
    ports?: readonly number[];
  }[];
  limits: {
    /** the longest that a command may run */
    wall_ms: number;
    memory_bytes: number;
  };
}

export interface FileState {
  kind: "file" | "dir" | "symlink";
  /** files only, else null */
  mode: "644" | "755" | null;
  sha256: string | null;
  size: number;
}

export interface Grant {
  tools: readonly string[];
  fs: readonly {
    path: string;
    read: boolean;
    write: boolean;
    /** nothing at or below it is reached, whatever other roots grant */
    denied?: true;
  }[];
  net: readonly {
    domain: string;
    methods: readonly string[];
    /** the only ports; absent: 80 for http, 443 for https and `CONNECT`, and none for `TCP` and `TLS`, which need them named */
    ports?: readonly number[];
  }[];
  secrets: readonly string[];
  /** execution profiles that raw commands may run under; absent: none */
  profiles?: readonly string[];
  /** registered resources of the kinds that a token must list; absent: none */
  resources?: readonly string[];
  /** rules on effects whose findings need no person under this token; absent: none */
  effects?: readonly ("effect.lost_many" | "effect.lost_series" | "effect.history" | "effect.binary_over_text" | "effect.renamed_many" | "effect.runs_later" | "effect.read_wrote")[];
  budgets: {
    calls?: number;
    cpu_ms?: number;
    wall_ms?: number;
    disk_write_bytes?: number;
    egress_bytes?: number;
    llm_tokens?: number;
  };
  /** milliseconds since the epoch, UTC */
  not_before: number;
  /** milliseconds since the epoch, UTC */
  expires_at: number;
}

export interface Health {
  status: "ok";
}

export interface Inclusion {
  leaf_index: number;
  tree_size: number;
  hashes: readonly string[];
  /** C2SP signed note */
  checkpoint: string;
}

export interface NewApiKey {
  /** the id of an API key: `key_…` */
  api_key_id: string;
  name: string;
  role: "admin" | "operator" | "agent" | "auditor" | "worker";
  agent_id: string | null;
  principal: string | null;
  tools: readonly string[] | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that created it, or `platform` */
  created_by: string;
  revoked_at: number | null;
  /** the key itself: shown once and not stored */
  api_key: string;
}

export interface NewTenant {
  /** the id of a tenant: `ten_…` */
  tenant_id: string;
  name: string;
  /** the id of an API key: `key_…` */
  api_key_id: string;
  /** the key of the first administrator: shown once and not stored */
  api_key: string;
}

export interface Operation {
  /** the id of an operation: `op_…` */
  operation_id: string;
  state: "proposed" | "admitted" | "refused" | "held" | "dispatched" | "performing" | "performed" | "committed" | "rolled_back" | "no_op" | "ambiguous";
  tool_id: string;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  capability_token_id: string;
  workspace_id: string | null;
  session_id: string | null;
  task_class: string;
  /** when it is served among the waiting calls of its tenant */
  scheduling_class?: "interactive" | "background" | "maintenance";
  autonomy_mode: "autopilot" | "soft_gate" | "escalated" | "no_go";
  risk_score: number;
  risk_basis: readonly string[];
  reasons: readonly Reason[];
  provenance: Provenance;
  attempt: number;
  /** this answer is the original outcome of an idempotency key used again */
  replayed: boolean;
  approval_id: string | null;
  /** of a call that is held: how many have approved it */
  votes?: {
    /** distinct persons whose approval is valid */
    given: number;
    /** distinct persons who must approve */
    needed: number;
    /** the lowest role whose approval counts */
    role: "operator" | "admin";
  };
  /** the id of a record: `rec_…` */
  decision_record_id: string;
  outcome_record_id: string | null;
  resolution: Resolution | null;
  /** where its content was erased: when, and by which record */
  erased?: {
    /** milliseconds since the epoch */
    at: number;
    /** the id of an erasure: `ers_…` */
    erasure_id: string;
    /** its record */
    record_id: string;
  };
  /** milliseconds since the epoch */
  created_at: number;
  /** milliseconds since the epoch */
  updated_at: number;
  /** its proposer is to run it: ask for its permit. Absent: somebody else runs it, or it has ended */
  awaits?: "caller";
  /** what rules of the policy redact of its result; absent: nothing */
  redactions?: readonly {
    rule: string;
    /** JSON pointers into the result; `*` is every member and every item */
    pointers: readonly string[];
  }[];
  result: ToolResult | null;
}

export interface OperationExplanation {
  /** the id of an operation: `op_…` */
  operation_id: string;
  policy_hash: string;
  /** whether policy was evaluated at all */
  asked: boolean;
  why_not: string | null;
  then: PolicyExplanation | null;
  now: PolicyExplanation | null;
  alike: boolean | null;
}

export interface OperationList {
  items: readonly Operation[];
  next_cursor: string | null;
}

export interface PolicyActivation {
  policy_hash: string;
  name: string;
  version: number | null;
  enforcement: "enforce" | "observe";
  /** counts the tenant's activations; 0: none yet, so the default set is in force */
  seq: number;
  activated_by: string | null;
  at: number | null;
  note: string | null;
}

export interface PolicyActivationList {
  items: readonly PolicyActivation[];
  next_cursor: string | null;
}

export interface PolicyDiff {
  from: PolicySet;
  to: PolicySet;
  /** of the text, as Cedar */
  rules: readonly ({
    id: string;
    change: "added" | "removed" | "changed";
    before: string | null;
    after: string | null;
  })[];
  history: readonly ({
    id: string;
    change: "added" | "removed" | "changed";
    before: {
      [name: string]: unknown;
    } | null;
    after: {
      [name: string]: unknown;
    } | null;
  })[];
  /** thresholds, quorums, times to live, enforcement, name */
  settings: readonly ({
    pointer: string;
    before: string | number | null;
    after: string | number | null;
  })[];
}

export interface PolicyExplanation {
  policy: {
    policy_hash: string;
    name: string;
    enforcement: "enforce" | "observe";
  };
  mode: "autopilot" | "soft_gate" | "escalated" | "no_go";
  decided: "autopilot" | "soft_gate" | "escalated" | "no_go";
  rule_ids: readonly string[];
  reasons: readonly Reason[];
  /** what would have let it pass with less supervision */
  would_pass: readonly string[];
  /** single changes of the call, each decided anew */
  better_with: readonly ({
    with: string;
    mode: "autopilot" | "soft_gate" | "escalated" | "no_go";
  })[];
  rules: readonly ({
    id: string;
    effect: "permit" | "forbid";
    text: string;
  })[];
  errors: readonly string[];
}

export interface PolicyPage {
  active: PolicyActivation;
  shipped: readonly PolicySet[];
  /** stored by the tenant, newest first */
  items: readonly PolicySet[];
  next_cursor: string | null;
}

export interface PolicyProblem {
  /** JSON pointer of the place in the document; `/cedar` for what is wrong in the rules */
  pointer: string;
  line: number | null;
  column: number | null;
  message: string;
  /** what to do about it; empty where the message says it all */
  help: string;
}

export interface PolicyPut {
  valid: boolean;
  /** everything that is wrong */
  problems: readonly PolicyProblem[];
  /** what is allowed but odd */
  warnings: readonly PolicyProblem[];
  policy: PolicySet | null;
}

export interface PolicySchema {
  /** goes into every policy hash */
  version: number;
  /** the Cedar schema that rules are checked against */
  cedar: string;
  /** JSON Schema of the document */
  document: {
    [name: string]: unknown;
  };
}

export interface PolicySet {
  policy_hash: string;
  name: string;
  version: number | null;
  description: string;
  enforcement: "enforce" | "observe";
  /** whether it is in force now */
  active: boolean;
  /** whether every tenant has it */
  shipped: boolean;
  created_by: string | null;
  created_at: number | null;
}

export interface PolicySetWhole {
  policy_hash: string;
  name: string;
  version: number | null;
  description: string;
  enforcement: "enforce" | "observe";
  /** whether it is in force now */
  active: boolean;
  /** whether every tenant has it */
  shipped: boolean;
  created_by: string | null;
  created_at: number | null;
  document: {
    [name: string]: unknown;
  };
}

export interface PolicyTemplateList {
  items: readonly {
    id: string;
    description: string;
    /** JSON Schema of the parameters */
    parameters: {
      [name: string]: unknown;
    };
  }[];
}

export interface PreconditionRef {
  kind: "snapshot" | "path" | "external_version" | "staged";
  ref: string;
  version: string;
}

export interface Problem {
  /** `https://writ.dev/errors/<code>`; the page is `docs/errors/<code>.md` */
  type: string;
  title: string;
  status: number;
  /** what failed, where, and what to do */
  detail: string;
  /** the fault code */
  code: string;
  /** never: the same request fails again; later: nothing happened, try again; same-key: it may have happened, ask again with the same idempotency key */
  retry: "never" | "later" | "same-key";
  /** this occurrence: `urn:writ:request:<request id>` */
  instance: string;
  /** JSON pointer (RFC 6901) to the place in the body */
  pointer?: string;
  /** for an invalid policy set: all of its errors */
  problems?: readonly PolicyProblem[];
}

export interface CallSettings {
  /** what calls of the tenant may reach, whatever their tokens grant */
  allowed_paths: readonly string[];
  /** what no call of the tenant reaches, whatever is allowed or granted */
  denied_paths: readonly string[];
  /** most bytes of the output of a command in its result; 200000 unless set */
  output_bytes: number;
  command_ms: number | null;
  /** the same for single tools, in place of `command_ms` */
  tool_command_ms: {
    [name: string]: number;
  };
  changed_at: number | null;
}

export interface Provenance {
  source?: string;
  run_id?: string;
  model?: string;
  dialect?: string;
  session_id?: string;
  turn?: string;
  parent_operation_id?: string;
  /** the name of the program that calls, in its own words */
  client?: string;
  /** the model that the caller says it drives */
  claimed_model?: string;
}

export interface PublicKeys {
  record_keys: readonly {
    keyid: string;
    jwk: {
      [name: string]: unknown;
    };
    /** when it was published; default: no lower bound, in milliseconds since the epoch */
    not_before?: number;
    /** the latest time of a record that it signed; default: no upper bound, in milliseconds since the epoch */
    not_after?: number;
    /** from when its signatures are not trusted; only for a revoked key, in milliseconds since the epoch */
    revoked_from?: number;
  }[];
  log_keys: readonly string[];
  revoked_log_keys?: readonly string[];
}

export interface Readiness {
  ready: boolean;
  checks: {
    [name: string]: string;
  };
}

export interface Reason {
  /** a fault code or a rule id */
  code: string;
  message: string;
}

export interface Receipt {
  media_type: "application/vnd.writ.receipt.v1+json";
  envelope: Envelope;
  inclusion: Inclusion;
}

export interface ReceiptState {
  state: "logged" | "pending";
  /** the id of a record: `rec_…` */
  record_id: string;
  /** path of the receipt under the API */
  href: string;
  leaf_index: number | null;
  tree_size: number | null;
}

export interface RecordEntry {
  leaf_index: number;
  /** records of the log, by the checkpoint of its receipt */
  tree_size: number;
  /** the in-toto Statement v1 that was signed; its `predicate` is the record */
  statement: {
    [name: string]: unknown;
  };
  /** where its receipt is */
  receipt: string;
}

export interface RecordPage {
  items: readonly ({
    /** its place in the tenant's log */
    leaf_index: number;
    /** milliseconds since the epoch */
    recorded_at: number;
    record_id: string;
    /** the record's `kind` */
    type: string;
    phase: string | null;
    operation_id: string | null;
    agent_id: string | null;
    tool_id: string | null;
    session_id: string | null;
    verdict: string | null;
    outcome: string | null;
    fault_code: string | null;
    risk_score: number | null;
    /** false for a record of a version that this ledger does not know: what it says is not in the index */
    is_drawn: boolean;
  })[];
  next_cursor: string | null;
  /** records of the log that the index holds: the first so many */
  indexed_to: number;
  /** records of the log, by its newest checkpoint */
  tree_size: number;
}

export interface Resolution {
  /** whether the external effect happened, as the person found */
  outcome: "committed" | "rolled_back";
  /** how they know */
  note: string;
  /** milliseconds since the epoch */
  resolved_at: number;
  /** the API key of that person */
  resolved_by: string;
  /** the id of a record: `rec_…` */
  record_id: string;
}

export type NewResource = {
  kind: "audio_device";
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  name: string;
  settings: AudioDeviceSettings;
} | {
  kind: "calendar";
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  name: string;
  settings: CalendarSettings;
} | {
  kind: "container";
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  name: string;
  settings: ContainerSettings;
} | {
  kind: "info_store";
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  name: string;
  settings: InfoStoreSettings;
} | {
  kind: "mailbox";
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  name: string;
  settings: MailboxSettings;
} | {
  kind: "mcp_server";
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  name: string;
  settings: {
    /** streamable HTTP */
    transport: "http";
    /** the MCP endpoint: `https://host[:port]/path` */
    url: string;
    credential?: {
      /** `authorization` by default */
      header?: string;
      /** before the secret, with its space; `Bearer ` by default */
      prefix?: string;
      /** the name of a tenant's secret */
      secret: string;
    } | {
      /** OAuth 2.1, with authorization code and PKCE */
      oauth: {
        /** the id of the client that Writ is at the authorization server */
        client_id: string;
        /** the name of the tenant's secret that authenticates the client; takes `authorization_server`, and goes there alone */
        client_secret?: string;
        /** the scopes that a person is asked for */
        scopes: readonly string[];
        /** its issuer, `https://host[:port]/path`; by default the one that the server names */
        authorization_server?: string;
      };
    };
    /** calls under way per executor; 8 by default */
    calls_max?: number;
    /** what it may ask of the client that calls it; absent: nothing */
    asks?: readonly ("elicitation" | "elicitation_url" | "sampling" | "roots")[];
  } | {
    /** a program, over its standard input and output */
    transport: "stdio";
    /** the program and its arguments: no shell reads them */
    command: readonly string[];
    /** the name of the tenant's image that has the program; absent: the image of sandboxes */
    image?: string;
    /** variables of the program, beside a few that every program has */
    env?: {
      [name: string]: string | {
        /** the name of a tenant's secret */
        secret: string;
      };
    };
    /** hosts that it may reach during a call whose token grants them, too; absent: none */
    hosts?: readonly string[];
    /** of one process; 1024 by default */
    memory_mb?: number;
    /** calls under way per executor; 8 by default */
    calls_max?: number;
    /** what it may ask of the client that calls it; absent: nothing */
    asks?: readonly ("elicitation" | "elicitation_url" | "sampling" | "roots")[];
  };
} | {
  kind: "model";
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  name: string;
  settings: ModelSettings;
} | {
  kind: "search_engine";
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  name: string;
  settings: SearchEngineSettings;
} | {
  kind: "website";
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  name: string;
  settings: WebsiteSettings;
};

export interface Resource {
  /** the id of a resource: `res_…` */
  resource_id: string;
  kind: "agent" | "audio_device" | "calendar" | "container" | "info_store" | "mailbox" | "mcp_server" | "model" | "profile" | "sandbox" | "search_engine" | "skill" | "task" | "website";
  /** unique within its kind; for an agent its id */
  name: string;
  owner_agent_id: string | null;
  settings: {
    [name: string]: unknown;
  } | null;
  digest: string | null;
  /** counts changes of the settings */
  version: number;
  created_by: string | null;
  created_at: number;
  updated_at: number;
}

export interface ResourceList {
  items: readonly Resource[];
  next_cursor: string | null;
}

export interface ResourceGrant {
  /** the id of a resource grant: `rgr_…` */
  resource_grant_id: string;
  kind: "agent" | "audio_device" | "calendar" | "container" | "info_store" | "mailbox" | "mcp_server" | "model" | "profile" | "sandbox" | "search_engine" | "skill" | "task" | "website";
  /** null: every resource of the kind; the only value for `create` */
  resource_id: string | null;
  right: "use" | "create";
  /** null: every agent of the tenant */
  agent_id: string | null;
  clearance: "autopilot" | "soft_gate" | "escalated";
  name: string | null;
  /** the API key that set it last; `kernel` for those of a new tenant */
  created_by: string;
  created_at: number;
}

export interface ResourceGrantList {
  items: readonly ResourceGrant[];
  next_cursor: string | null;
}

export type ModelProvider = {
  kind: "local";
  /** a model that the executor has */
  model: string;
} | {
  kind: "openai";
  /** `https://host[:port]/path` */
  url: string;
  /** the provider's name of the model */
  model: string;
  /** the name of a tenant's secret */
  secret?: string;
};

export interface AudioDevice {
  /** the id of a resource: `res_…` */
  resource_id: string;
  name: string;
  retention_seconds: number;
  buffer_bytes: number;
  /** the number of the frame that the device sends next */
  next_seq: number;
  /** frames that are kept */
  frames: number;
  /** bytes of the samples that are kept */
  bytes: number;
  from: number | null;
  to: number | null;
  /** times between the newest frames that the device did not send, the newest first */
  gaps: readonly {
    /** the start, in milliseconds since the epoch */
    from: number;
    /** the end, in milliseconds since the epoch */
    to: number;
  }[];
}

export interface FramesReceived {
  /** the id of a resource: `res_…` */
  resource_id: string;
  /** frames of this upload that are stored */
  stored: number;
  /** frames that were sent before, and were ignored */
  repeated: number;
  /** the number of the frame that the device sends next */
  next_seq: number;
  recorded_until: number | null;
}

export interface AudioDeviceSettings {
  /** how long uploaded audio is kept */
  retention_seconds: number;
  /** the size of its ring buffer */
  buffer_bytes: number;
  /** the agent whose API keys upload for the device; absent: operators and administrators alone do */
  uploader?: string;
}

export type CalendarSettings = {
  kind: "ics";
  /** `https://host[:port]/path` */
  url: string;
  /** the name of a tenant's secret */
  secret?: string;
} | {
  kind: "caldav";
  /** `https://host[:port]/path` */
  url: string;
  /** of the account */
  username: string;
  /** the name of a tenant's secret */
  secret: string;
};

export interface ContainerSettings {
  /** the workspace that its shell works in; null: that of the call */
  workspace_id: string | null;
}

export interface InfoStoreSettings {
  backend: {
    kind: "local";
  } | {
    kind: "chroma";
    /** `https://host[:port]/path` */
    url: string;
    /** the name of the collection */
    collection: string;
    /** the name of a tenant's secret */
    secret?: string;
  };
  /** absent: full-text search only */
  embedding?: {
    kind: "local";
    /** a model that the executor has */
    model: string;
  } | {
    kind: "openai";
    /** `https://host[:port]/path` */
    url: string;
    /** the provider's name of the model */
    model: string;
    /** the length of the model's vectors */
    dimensions: number;
    /** the name of a tenant's secret */
    secret?: string;
  };
  /** the Postgres text search configuration; `simple` by default */
  text_config?: string;
  /** the label that its contents add to a session */
  label: "untrusted_content" | "private_data";
}

export interface MailboxSettings {
  /** the IMAP server */
  host: string;
  port: number;
  tls: "implicit" | "starttls";
  /** of the account */
  username: string;
  /** the name of a tenant's secret */
  secret: string;
  /** the address that drafts are from */
  address: string;
  /** the folder of drafts; absent: the one that the server marks `\Drafts` */
  drafts?: string;
}

export interface ModelSettings {
  task: "embedding" | "transcription";
  provider: ModelProvider;
}

export interface SearchEngineSettings {
  /** any server that answers `GET <url>/search?q=…&format=json` like SearXNG */
  kind: "searxng";
  /** `https://host[:port]/path` */
  url: string;
}

export interface WebsiteSettings {
  /** `https://host[:port]/path` */
  url: string;
}

export interface ExternalVersion {
  /** the id of an external version: `xvr_…` */
  external_version_id: string;
  /** a name, such as `deployment:shop/production` */
  ref: string;
  /** printable ASCII; what it means is between whoever sets and whoever names it */
  version: string;
  /** milliseconds since the epoch */
  created_at: number;
  /** milliseconds since the epoch */
  updated_at: number;
  /** the API key that set this version */
  updated_by: string;
}

export interface ExternalVersionList {
  items: readonly ExternalVersion[];
  next_cursor: string | null;
}

export interface ResultError {
  code: string;
  message: string;
  hint: string | null;
}

export interface Container {
  container_id: string;
  /** session: its shell, which outlives its calls */
  kind: "call" | "preview" | "session";
  /** the id of a tenant: `ten_…` */
  tenant_id: string;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  workspace_id: string | null;
  session_id: string | null;
  resource_id: string | null;
  operation_id: string | null;
  tool_id: string;
  executor_id: string;
  image_digest: string | null;
  /** when the call was proposed, or the shell opened */
  created_at: number;
}

export interface ContainerList {
  items: readonly Container[];
  next_cursor: string | null;
}

export interface ContainerLogs {
  container_id: string;
  /** the end of the output; bytes that are no UTF-8 show as U+FFFD */
  output: string;
  /** size of the output so far */
  output_bytes: number;
  /** a call with secrets shows no output while it runs */
  withheld: boolean;
}

export interface Image {
  /** the id of an image: `img_…` */
  image_id: string;
  /** one to 64 small letters, digits, `.`, `_`, `-` */
  name: string;
  source: ImageSource;
  /** hex SHA-256 of the source, RFC 8785 */
  digest: string;
  /** tools whose calls run in it; profiles and programs name their image themselves */
  tools: readonly string[];
  state: "waiting" | "building" | "ready" | "failed";
  /** what calls run in, as in their permits and records; null until it is ready */
  image_digest: string | null;
  /** why it failed */
  problem: string | null;
  /** the API key */
  created_by: string;
  created_at: number;
  updated_at: number;
}

export interface McpServer {
  /** the id of a resource: `res_…` */
  resource_id: string;
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  name: string;
  /** how it is reached: an address, or a program */
  transport: "http" | "stdio";
  url: string | null;
  command: readonly string[] | null;
  about: {
    /** the revision of MCP that was spoken */
    protocol: string;
    name: string;
    version: string;
  } | null;
  checked_at: number | null;
  /** when they are listed again */
  due_at: number;
  problem: {
    code: "request.malformed" | "request.too_large" | "request.unsupported_media_type" | "request.wrong_host" | "request.method_not_allowed" | "auth.missing" | "auth.invalid" | "auth.role" | "auth.insufficient_scope" | "auth.issuer_unavailable" | "rate.limited" | "queue.full" | "not_found" | "conflict" | "tool.unknown" | "tool.not_available" | "tool.changed" | "args.invalid" | "args.too_large" | "path.invalid" | "path.escape" | "idempotency.missing" | "idempotency.mismatch" | "idempotency.expired" | "deadline" | "token.unknown" | "token.not_yet_valid" | "token.expired" | "token.revoked" | "token.agent" | "token.tool" | "token.scope" | "path.denied" | "token.not_narrower" | "token.depth" | "key.revoked" | "budget.exhausted" | "workspace.unknown" | "policy.args_changed" | "policy.unredactable" | "policy.args_untyped" | "policy.denied" | "policy.error" | "policy.invalid" | "policy.unreadable" | "approval.denied" | "approval.expired" | "approval.own_call" | "approval.stale" | "approval.previewed_anew" | "approval.effect_unseen" | "approval.voted" | "approval.not_delegated" | "approval.superseded" | "value.missing" | "secret.unknown" | "resolution.own_call" | "sandbox.unknown" | "sandbox.unverified" | "resource.unknown" | "resource.exists" | "agent.itself" | "agent.conflict" | "image.unknown" | "image.not_ready" | "image.unavailable" | "image.not_allowed" | "store.mismatch" | "store.unavailable" | "profile.unknown" | "shell.unavailable" | "sandbox.killed" | "cancelled" | "frozen" | "egress.refused" | "egress.failed" | "api.refused" | "api.failed" | "mcp.definition_changed" | "mcp.definition_gone" | "mcp.unreachable" | "mcp.busy" | "mcp.refused" | "mcp.failed" | "mcp.protocol" | "mcp.result_invalid" | "mcp.unsupported" | "mcp.consent_required" | "mcp.consent_not_yours" | "mcp.consent_failed" | "mcp.token_unavailable" | "mcp.authorization_unusable" | "calendar.unusable" | "calendar.refused" | "calendar.unreadable" | "mailbox.unusable" | "mailbox.refused" | "mailbox.not_private" | "mailbox.folder_unknown" | "mailbox.unreadable" | "precondition.failed" | "effect.out_of_scope" | "workspace.conflict" | "output.not_kept" | "workspace.quota" | "file.not_found" | "file.kind" | "file.too_large" | "edit.no_match" | "edit.ambiguous" | "skill.unknown" | "task.unknown" | "search.pattern" | "command.failed" | "command.timeout" | "command.too_long" | "command.killed" | "session.lost" | "session.diverged" | "session.busy" | "session.idle" | "session.conflict" | "limit.exceeded" | "effect.invalid" | "secret.in_delta" | "attempts.exhausted" | "effect.ambiguous" | "function.failed" | "function.result_invalid" | "permit.invalid" | "permit.expired" | "permit.spent" | "attempt.fenced" | "overloaded" | "record.backlog" | "record.invalid" | "record.too_large" | "receipt.pending" | "ledger.diverged" | "ledger.unavailable" | "bus.unreachable" | "database.unavailable" | "blob.missing" | "blob.corrupt" | "sandbox.unavailable" | "audio.unreadable" | "audio.too_long" | "transcription.model_unknown" | "transcription.unavailable" | "transcription.failed" | "version.unsupported" | "internal";
    /** without anything that the server sent, or shown as its words */
    message: string;
  } | null;
  oauth?: {
    client_id: string;
    scopes: readonly string[];
    issuer: string | null;
    /** of the client: register it at the authorization server */
    redirect_uri?: string;
    listed_by: string | null;
  } | null;
  /** tools that the server listed and that can not be used */
  skipped: readonly {
    name: string;
    problem: string;
  }[];
  /** how many there are in each state */
  tools: {
    new: number;
    accepted: number;
    changed: number;
    gone: number;
    refused: number;
  };
}

export interface McpServerList {
  items: readonly McpServer[];
  next_cursor: string | null;
}

export interface McpServerTool {
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  server: string;
  remote_name: string;
  tool_id: string;
  state: "new" | "accepted" | "changed" | "gone" | "refused";
  seen: {
    digest: string;
    definition: {
      name: string;
      title?: string;
      description?: string;
      inputSchema: {
        [name: string]: unknown;
      };
      outputSchema?: {
        [name: string]: unknown;
      };
      annotations?: {
        [name: string]: unknown;
      };
    };
  } | null;
  accepted: {
    digest: string;
    definition: {
      name: string;
      title?: string;
      description?: string;
      inputSchema: {
        [name: string]: unknown;
      };
      outputSchema?: {
        [name: string]: unknown;
      };
      annotations?: {
        [name: string]: unknown;
      };
    };
  } | null;
  /** why the definition that was seen can not be accepted */
  problems: readonly {
    /** JSON pointer (RFC 6901) of the place in what was sent */
    pointer: string;
    message: string;
    /** what to do about it; empty where the message says it all */
    help: string;
  }[];
  /** the category that its hints speak for */
  suggested: "read" | "write" | "admin";
  category: "read" | "write" | "admin" | null;
  /** the category that it has once it is accepted without one: never a less strict one */
  category_then: "read" | "write" | "admin";
  seen_at: number;
  decided_by: string | null;
  decided_at: number | null;
}

export interface McpServerToolList {
  items: readonly McpServerTool[];
  next_cursor: string | null;
}

export interface McpToolDecision {
  tools: readonly ({
    remote_name: string;
    tool_id: string;
    state: "new" | "accepted" | "changed" | "gone" | "refused";
  })[];
}

export interface ImageList {
  items: readonly Image[];
  next_cursor: string | null;
}

export interface ImageLog {
  state: "waiting" | "building" | "ready" | "failed";
  /** the end of what the builder and the package managers wrote */
  log: string;
}

export type ImageSource = {
  /** `registry/repository@sha256:…` */
  reference: string;
} | {
  /** `sha256:…` of an image */
  digest: string;
} | {
  recipe: {
    /** the image that the packages are added to; null: the sandbox image of the deployment */
    base?: string | null;
    /** of Debian */
    debian?: readonly {
      /** the name of one package */
      name: string;
      /** one exact version */
      version: string;
    }[];
    /** of the npm registry, installed globally */
    npm?: readonly {
      /** the name of one package */
      name: string;
      /** one exact version */
      version: string;
    }[];
    /** of a Python index */
    pip?: readonly {
      /** the name of one package */
      name: string;
      /** one exact version */
      version: string;
    }[];
  };
};

export interface Profile {
  /** one to 64 small letters, digits, `.`, `_`, `-` */
  name: string;
  definition: ExecutionProfile;
  digest: string;
  /** the API key */
  created_by: string;
  created_at: number;
}

export interface ProfileList {
  items: readonly Profile[];
  next_cursor: string | null;
}

export interface ProfilePut {
  valid: boolean;
  problems: readonly {
    /** JSON pointer of the place in what was sent */
    pointer: string;
    message: string;
  }[];
  profile: Profile | null;
}

export interface RegistrarKey {
  keyid: string;
  public_key: {
    kty: "OKP";
    crv: "Ed25519";
    x: string;
  };
  note: string | null;
  /** retired: its signatures stay valid, and it signs nothing more; revoked: none of its signatures is valid */
  state: "active" | "retired" | "revoked";
  created_by: string;
  created_at: number;
  ended_by: string | null;
  ended_at: number | null;
}

export interface RegistrarKeyList {
  items: readonly RegistrarKey[];
  next_cursor: string | null;
}

export interface Sandbox {
  /** one to 64 small letters, digits, `.`, `_`, `-` */
  name: string;
  workspace_id: string;
  definition_digest: string;
  keyid: string | null;
  signed_at: number | null;
  /** the API key */
  updated_by: string;
  created_at: number;
  updated_at: number;
}

export interface SandboxList {
  items: readonly Sandbox[];
  next_cursor: string | null;
}

export interface SandboxPut {
  valid: boolean;
  problems: readonly {
    /** JSON pointer of the place in what was sent */
    pointer: string;
    message: string;
  }[];
  sandbox: Sandbox | null;
}

export interface SandboxWhole {
  /** one to 64 small letters, digits, `.`, `_`, `-` */
  name: string;
  workspace_id: string;
  definition_digest: string;
  keyid: string | null;
  signed_at: number | null;
  /** the API key */
  updated_by: string;
  created_at: number;
  updated_at: number;
  /** a signature names it */
  tenant_id: string;
  /** workspace_id, rules, enabled_templates, fragments */
  definition: {
    [name: string]: unknown;
  };
  environment: {
    [name: string]: string;
  } | null;
  digest: string | null;
  problem: string | null;
}

export interface Secret {
  name: string;
  /** one more each time that a value is set */
  version: number;
  note: string | null;
  /** the API key that set the value */
  created_by: string;
  created_at: number;
}

export interface SecretList {
  items: readonly Secret[];
  next_cursor: string | null;
}

export interface Simulation {
  simulated: true;
  would_be: "admitted" | "refused" | "held";
  error: {
    code: string;
    message: string;
    hint: string | null;
  } | null;
  autonomy_mode: "autopilot" | "soft_gate" | "escalated" | "no_go";
  risk_score: number;
  risk_basis: readonly string[];
  reasons: readonly Reason[];
  approvers: {
    count: number;
    role: "operator" | "admin";
  } | null;
  /** of its session and workspace */
  labels: readonly string[];
  explanation: PolicyExplanation | null;
  /** what is odd about the set, such as rules that can never apply; absent where an older kernel answers */
  warnings?: readonly PolicyProblem[];
}

export interface Skill {
  /** one to 64 small letters and digits, with single `-` between them */
  name: string;
  /** what it is for, in a line */
  description: string;
  /** of the version, over all of its files */
  digest: string;
  files: number;
  /** of all files of the version */
  bytes: number;
  /** the API key */
  updated_by: string;
  updated_at: number;
}

export interface SkillList {
  items: readonly Skill[];
  next_cursor: string | null;
}

export interface SkillPut {
  valid: boolean;
  problems: readonly {
    /** JSON pointer of the place in what was sent */
    pointer: string;
    message: string;
  }[];
  change: "added" | "changed" | "unchanged" | null;
  skill: Skill | null;
}

export interface SkillWhole {
  /** one to 64 small letters and digits, with single `-` between them */
  name: string;
  /** what it is for, in a line */
  description: string;
  /** of the version, over all of its files */
  digest: string;
  files: readonly {
    path: string;
    sha256: string;
    size: number;
  }[];
  /** of all files of the version */
  bytes: number;
  /** the API key */
  updated_by: string;
  updated_at: number;
  versions: readonly {
    digest: string;
    bytes: number;
    /** the API key */
    created_by: string;
    created_at: number;
  }[];
}

export interface Snapshot {
  /** how many states came before it */
  seq: number;
  snapshot_id: string;
  parent_snapshot_id: string | null;
  delta_id: string | null;
  kind: "created" | "committed" | "changed" | "restored" | "imported";
  operation_id: string | null;
  tool_id: string | null;
  made_by: string | null;
  /** milliseconds since the epoch */
  created_at: number;
}

export interface SnapshotList {
  items: readonly Snapshot[];
  next_cursor: string | null;
}

export interface Token {
  v: 1;
  /** the id of a token: `cap_…` */
  capability_token_id: string;
  /** the id of a tenant: `ten_…` */
  tenant_id: string;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  parent_id: string | null;
  /** the only workspace it reaches; null: any of the tenant */
  workspace_id: string | null;
  grant: Grant;
  /** the API key that issued it */
  issuer: string;
  /** milliseconds since the epoch, UTC */
  created_at: number;
  revoked_at: number | null;
  session_approval?: {
    /** the id of an approval: `apr_…` */
    approval_id: string;
    /** the id of an operation: `op_…` */
    operation_id: string;
    /** the only session it serves */
    session_id: string;
    policy_hash: string;
    /** any: the token's roots are the paths that were approved; same: of a command, whose paths can't be known */
    args: "any" | "same";
    risk_max: number;
    /** a call that is risky for another reason is another call */
    risk_basis: readonly string[];
    /** codes of all that a person was shown: a call that is held for another reason is another call */
    reasons: readonly string[];
  };
  /** the committed call of `agent.spawn` that the kernel made it for */
  spawned_by?: string;
  job?: {
    /** the id of a job: `job_…` */
    job_id: string;
    /** tools by their whole names: a family would list what nobody has seen */
    tools: readonly string[];
  };
  used: {
    calls?: number;
    cpu_ms?: number;
    wall_ms?: number;
    disk_write_bytes?: number;
    egress_bytes?: number;
    llm_tokens?: number;
  };
  reserved: {
    calls?: number;
    cpu_ms?: number;
    wall_ms?: number;
    disk_write_bytes?: number;
    egress_bytes?: number;
    llm_tokens?: number;
  };
  left: {
    calls?: number;
    cpu_ms?: number;
    wall_ms?: number;
    disk_write_bytes?: number;
    egress_bytes?: number;
    llm_tokens?: number;
  };
  /** the way to it, root first, itself last */
  chain: readonly string[];
  /** it, or one above it */
  revoked: boolean;
}

export interface TokenList {
  items: readonly Token[];
  next_cursor: string | null;
}

export interface Tool {
  tool_id: string;
  version: number;
  description: string;
  category: "read" | "write" | "admin";
  class: "inline" | "sandboxed" | "broker" | "function";
  mutating: boolean;
  /** JSON Schema of the arguments */
  parameters: {
    [name: string]: unknown;
  };
  /** JSON Schema of the result */
  result: {
    [name: string]: unknown;
  };
  limits: {
    [name: string]: number;
  };
  /** SHA-256 of the definition, as in records */
  definition_digest: string;
  /** of a function that a process of the tenant runs */
  function?: {
    /** `pull`: a worker of the tenant takes permits; `caller`: the caller gets one and runs it itself */
    mode: "pull" | "caller";
    /** whether a lost attempt may be repeated under the same operation id; else it ends as ambiguous */
    idempotent: boolean;
    applied_by: string;
    applied_at: number;
  };
  /** of an operation of an HTTP API */
  http?: {
    method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
    /** the base address, without a query */
    server: string;
    /** with `{name}` for inputs in the path */
    path: string;
    inputs: readonly ({
      argument: string;
      name: string;
      in: "path" | "query" | "header";
      style: "simple" | "form" | "spaceDelimited" | "pipeDelimited" | "deepObject";
      explode: boolean;
    })[];
    body: {
      argument: string;
      media: "application/json" | "application/x-www-form-urlencoded";
    } | null;
    idempotency_header: string | null;
    /** where the values of secrets are sent, with the names of the secrets */
    credentials: readonly ({
      in: "header" | "query";
      name: string;
      secret: string;
    })[];
    applied_by: string;
    applied_at: number;
  };
  /** of a tool of an MCP server */
  mcp?: {
    server: string;
    server_digest: string;
    remote_name: string;
    remote_digest: string;
    /** the server's own hints on what the tool does: nothing relies on them */
    annotations: {
      [name: string]: unknown;
    };
    applied_by: string;
    applied_at: number;
  };
  cli?: {
    cmd: string;
    args: readonly string[];
    optional_args: readonly {
      parameter: string;
      args: readonly string[];
    }[];
    /** the variables that it declares, by name, with the secrets in them */
    env: readonly {
      name: string;
      secrets: readonly string[];
    }[];
    applied_by: string;
    applied_at: number;
  };
}

export interface ToolCall {
  tool_id: string;
  /** arguments that match the tool's `parameters` */
  args: {
    [name: string]: unknown;
  };
  /** the id of an agent: `agt_…` */
  agent_id?: string;
  /** default: the only usable one of the agent */
  capability_token_id?: string;
  /** default: the token's; for a token of no workspace, the only one of the tenant */
  workspace_id?: string;
  idempotency_key?: string;
  precondition_refs?: readonly PreconditionRef[];
  provenance?: {
    dialect?: string;
    session_id?: string;
    turn?: string;
    parent_operation_id?: string;
    /** the name of the program that calls, in its own words */
    client?: string;
    /** the model that the caller says it drives */
    claimed_model?: string;
  };
  /** what the call is for, for policies. If its first word is `interactive`, `background` or `maintenance`, it is also the scheduling class; otherwise a scheduled session is background and others are interactive */
  task_class?: string;
  /** milliseconds since the epoch */
  deadline?: number;
  dry_run?: boolean;
  session_id?: string;
  /** an id of your own for the person whose data the call holds, so that it can be erased by it; its agent by default */
  data_subject?: string;
  /** erases the call's content within minutes of its end; the tenant's own retention by default */
  retention?: "hashes";
  session_mode?: "interactive" | "gateway" | "scheduled";
  max_autonomy?: "autopilot" | "soft_gate" | "escalated" | "no_go";
}

export interface ToolList {
  items: readonly Tool[];
}

export interface ToolResult {
  v: 1;
  /** the id of an operation: `op_…` */
  operation_id: string;
  tool_id: string;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  workspace_id: string | null;
  status: "ok" | "error";
  state_snapshot_id: string | null;
  new_snapshot_id: string | null;
  /** the tool's result; with an error too, such as a failed command's output */
  result: unknown;
  result_ref: {
    sha256: string;
    size: number;
  } | null;
  /** of a command whose output the result cuts; absent for all others */
  whole_output?: {
    /** path under the API; `?stream=stderr` gives the other stream */
    href: string;
    stdout: {
      bytes: number;
      /** the command wrote more than is read of one command: the end of its output is missing */
      cut: boolean;
    };
    stderr: {
      bytes: number;
      /** the command wrote more than is read of one command: the end of its output is missing */
      cut: boolean;
    };
    expires_at: number | null;
  };
  result_hash: string | null;
  error: ResultError | null;
  reasons: readonly Reason[];
  provenance: Provenance;
  task_class: string;
  autonomy_mode: "autopilot" | "soft_gate" | "escalated" | "no_go";
  risk_score: number;
  tx_outcome: "committed" | "rolled_back" | "no_op" | "ambiguous";
  commit_delta_id: string | null;
  receipt: ReceiptState | null;
}

export interface Tree {
  /** the id of a workspace: `wsp_…` */
  workspace_id: string;
  snapshot_id: string;
  path: string;
  entries: readonly TreeEntry[];
  next_cursor: string | null;
}

export interface TreeEntry {
  path: string;
  state: FileState;
}

export interface Model {
  /** its name for sessions */
  name: string;
  provider: "openai" | "anthropic" | "gemini" | "transcript";
  /** its name at the provider */
  model: string;
  prices: {
    input: number;
    cached: number;
    output: number;
  } | null;
  currency: string | null;
  context_tokens_max: number | null;
}

export interface ModelList {
  items: readonly Model[];
}

export interface Run {
  /** the id of a run: `run_…` */
  run_id: string;
  /** the id of a session: `ses_…` */
  session_id: string;
  model: string;
  /** `queued`: waits for earlier runs of its session; `waiting`: a call is held for a person, or a sub-agent has to end first */
  state: "queued" | "running" | "waiting" | "ended";
  stopped: "end" | "limit" | "length" | "refusal" | "malformed" | "budget" | "cancelled" | "model_failed" | "failed" | null;
  /** operations that a person has to decide */
  waits_for: readonly string[];
  cancel_asked: boolean;
  error: {
    fault: string;
    message: string;
  } | null;
  /** how many events are stored, which is the last one's `seq` */
  events: number;
  rounds: number;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  cost: number | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key on whose behalf it makes its calls */
  created_by: string;
  started_at: number | null;
  ended_at: number | null;
}

export type RunEvent = {
  seq: number;
  /** milliseconds since the epoch */
  at: number;
  kind: "replied";
  turn: {
    text: string;
    calls: readonly ({
      id: string;
      tool_id: string;
      args: {
        [name: string]: unknown;
      };
      /** why it can't run, in words for the model, such as arguments that are no JSON object; this is its answer, and it is never proposed */
      problem?: string;
      /** the tool's name as the model wrote it, if it is an alias */
      name?: string;
      /** stage: shown and kept as a change; apply: the staged change that `args.token` names */
      mode?: "stage" | "apply";
      /** names of variables in its arguments that are not filled in yet */
      variables?: readonly string[];
      /** how its answer is rendered */
      show?: {
        chars_max?: number;
        legacy?: true;
        /** what was changed in its arguments before it ran */
        warnings?: readonly string[];
      };
    })[];
    stop: "end" | "tool_use" | "length" | "refusal";
    problems?: readonly string[];
    /** parts that were ignored, though the rest was parsed */
    notes?: readonly string[];
    /** the reply as written, if the dialect is text: `text` is without its calls */
    written?: string;
    usage?: {
      input_tokens: number;
      cached_tokens: number;
      output_tokens: number;
    };
  };
} | {
  seq: number;
  /** milliseconds since the epoch */
  at: number;
  kind: "answered";
  round: number;
  /** index of the call in the reply, from 0 */
  index: number;
  answer: {
    text: string;
    standing: "completed" | "failed" | "denied" | "timeout" | "cancelled" | "held" | "queued" | "executing";
    is_error: boolean;
    outcome?: {
      result: unknown;
      error: {
        code: string;
        message: string;
        hint?: string | null;
      } | null;
      metadata?: {
        [name: string]: unknown;
      };
    };
    /** the operation of the call; absent if it was refused before it became one */
    operation_id?: string;
    /** of a sub-agent: its run, and the usage of that and those below it */
    below?: {
      run_id: string;
      tokens: number;
      cost: number;
    };
  };
} | {
  seq: number;
  /** milliseconds since the epoch */
  at: number;
  kind: "held";
  round: number;
  /** index of the call in the reply, from 0 */
  index: number;
  held: {
    operation_id: string;
    waits_for: "approval" | "value" | "run";
    /** the sub-agent's run, which has to end first */
    run_id?: string;
    /** the text about it for the model and for people */
    text: string;
  };
} | {
  seq: number;
  /** milliseconds since the epoch */
  at: number;
  kind: "explained";
  round: number;
  turn: {
    text: string;
    calls: readonly ({
      id: string;
      tool_id: string;
      args: {
        [name: string]: unknown;
      };
      /** why it can't run, in words for the model, such as arguments that are no JSON object; this is its answer, and it is never proposed */
      problem?: string;
      /** the tool's name as the model wrote it, if it is an alias */
      name?: string;
      /** stage: shown and kept as a change; apply: the staged change that `args.token` names */
      mode?: "stage" | "apply";
      /** names of variables in its arguments that are not filled in yet */
      variables?: readonly string[];
      /** how its answer is rendered */
      show?: {
        chars_max?: number;
        legacy?: true;
        /** what was changed in its arguments before it ran */
        warnings?: readonly string[];
      };
    })[];
    stop: "end" | "tool_use" | "length" | "refusal";
    problems?: readonly string[];
    /** parts that were ignored, though the rest was parsed */
    notes?: readonly string[];
    /** the reply as written, if the dialect is text: `text` is without its calls */
    written?: string;
    usage?: {
      input_tokens: number;
      cached_tokens: number;
      output_tokens: number;
    };
  };
} | {
  seq: number;
  /** milliseconds since the epoch */
  at: number;
  kind: "resumed";
} | {
  seq: number;
  /** milliseconds since the epoch */
  at: number;
  kind: "compacted";
  until: number;
  summary: string;
  usage?: {
    input_tokens: number;
    cached_tokens: number;
    output_tokens: number;
  };
} | {
  seq: number;
  /** milliseconds since the epoch */
  at: number;
  kind: "model_failed";
  fault: "rate_limited" | "overloaded" | "unavailable" | "interrupted" | "timeout" | "malformed" | "context_exceeded" | "unauthorized" | "invalid";
  message: string;
} | {
  seq: number;
  /** milliseconds since the epoch */
  at: number;
  kind: "cancelled";
  by: string;
} | {
  seq: number;
  /** milliseconds since the epoch */
  at: number;
  kind: "ended";
  stopped: "end" | "limit" | "length" | "refusal" | "malformed" | "budget" | "cancelled" | "model_failed" | "failed";
};

export interface RunList {
  items: readonly Run[];
  next_cursor: string | null;
}

export interface RunReplay {
  /** the id of a run: `run_…` */
  run_id: string;
  candidate: {
    policy_hash: string;
    name: string;
    enforcement: "enforce" | "observe";
  };
  next_cursor: string | null;
  parts_at: {
    /** the id of a run: `run_…` */
    run_id: string;
    /** 0: the run's own read before its first round */
    round: number;
    index: number;
  } | null;
  /** counts of this page */
  counts: {
    examined: number;
    /** calls that could not be evaluated; `why_not` has the reason */
    skipped: number;
    /** calls with another autonomy mode */
    changed: number;
    would_be: {
      admitted: number;
      held: number;
      refused: number;
    };
  };
  items: readonly ({
    /** the id of a run: `run_…` */
    run_id: string;
    /** 0: the run's own read before its first round */
    round: number;
    index: number;
    tool_id: string;
    operation_id: string | null;
    was: {
      verdict: "admitted" | "refused" | "held";
      mode: "autopilot" | "soft_gate" | "escalated" | "no_go";
      decided: "autopilot" | "soft_gate" | "escalated" | "no_go";
      rule_ids: readonly string[];
      /** those of its rules first */
      reasons: readonly Reason[];
      /** what it redacts of the result; absent: nothing */
      redactions?: readonly {
        rule: string;
        /** JSON pointers into the result; `*` is every member and every item */
        pointers: readonly string[];
      }[];
    } | null;
    would_be: {
      verdict: "admitted" | "refused" | "held";
      mode: "autopilot" | "soft_gate" | "escalated" | "no_go";
      decided: "autopilot" | "soft_gate" | "escalated" | "no_go";
      rule_ids: readonly string[];
      /** those of its rules first */
      reasons: readonly Reason[];
      /** what it redacts of the result; absent: nothing */
      redactions?: readonly {
        rule: string;
        /** JSON pointers into the result; `*` is every member and every item */
        pointers: readonly string[];
      }[];
    } | null;
    why_not: string | null;
  })[];
}

export interface Session {
  /** the id of a session: `ses_…` */
  session_id: string;
  name: string | null;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  workspace_id: string;
  capability_token_id: string;
  /** how the model writes calls: `native`, the provider's format, or a text dialect */
  dialect: string;
  model: string;
  forked_from: {
    /** the id of a run: `run_…` */
    run_id: string;
    after: number;
  } | null;
  spawned_by: {
    run_id: string | null;
    /** the id of an operation: `op_…` */
    operation_id: string;
  } | null;
  job_id: string | null;
  /** of its calls: only in an interactive session can a person be asked */
  session_mode: "interactive" | "gateway" | "scheduled";
  scheduling_class: "interactive" | "background" | "maintenance" | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that created it */
  created_by: string;
}

export interface SessionList {
  items: readonly Session[];
  next_cursor: string | null;
}

export interface Transcript {
  v: 1;
  session: Session;
  runs: readonly {
    run: Run;
    input: string;
    events: readonly RunEvent[];
  }[];
}

export interface Usage {
  /** milliseconds since the epoch */
  from: number;
  /** milliseconds since the epoch */
  to: number;
  by: "model" | "session" | "agent" | "day";
  items: readonly ({
    of: string | null;
    model: string;
    runs: number;
    input_tokens: number;
    cached_tokens: number;
    output_tokens: number;
    /** millionths of the currency */
    cost: number;
    currency: string | null;
  })[];
}

export interface Delivery {
  /** the id of a delivery: `dlv_…` */
  delivery_id: string;
  /** the id of a webhook: `whk_…` */
  webhook_id: string;
  /** `webhook-id` of the message: the same in each attempt */
  message_id: string;
  kind: string;
  state: "pending" | "delivered" | "failed";
  attempts: number;
  next_at: number | null;
  last_status: number | null;
  last_error: string | null;
  /** milliseconds since the epoch */
  created_at: number;
  delivered_at: number | null;
}

export interface DeliveryList {
  items: readonly Delivery[];
  next_cursor: string | null;
}

export interface NewWebhook {
  /** the id of a webhook: `whk_…` */
  webhook_id: string;
  name: string;
  url: string;
  events: readonly string[];
  state: "active" | "disabled";
  disabled_reason: "asked" | "gone" | "failing" | null;
  failing_since: number | null;
  old_until: number | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that created it */
  created_by: string;
  /** milliseconds since the epoch */
  updated_at: number;
  /** the secret that signs messages, `whsec_…`: shown once */
  secret: string;
}

export interface Webhook {
  /** the id of a webhook: `whk_…` */
  webhook_id: string;
  name: string;
  url: string;
  events: readonly string[];
  state: "active" | "disabled";
  disabled_reason: "asked" | "gone" | "failing" | null;
  failing_since: number | null;
  old_until: number | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that created it */
  created_by: string;
  /** milliseconds since the epoch */
  updated_at: number;
}

export interface WebhookList {
  items: readonly Webhook[];
  next_cursor: string | null;
}

export interface Workspace {
  /** the id of a workspace: `wsp_…` */
  workspace_id: string;
  name: string;
  head_snapshot_id: string;
  /** milliseconds since the epoch */
  created_at: number;
  /** milliseconds since the epoch */
  updated_at: number;
}

export interface WorkspaceList {
  items: readonly Workspace[];
  next_cursor: string | null;
}

export interface AuditRecord {
  v: 1;
  /** the id of a record: `rec_…` */
  record_id: string;
  kind: "tool_call" | "approval" | "token" | "policy" | "resolution" | "erasure" | "key" | "workspace" | "change";
  /** the id of a log: `log_…` */
  log_id: string;
  /** the id of a tenant: `ten_…` */
  tenant_id: string;
  kernel_key_id: string;
  /** milliseconds since the epoch by the database's clock */
  recorded_at: number;
  operation_id: string | null;
  attempt: number | null;
  phase: "decision" | "outcome" | null;
  verdict: "admitted" | "refused" | "held" | null;
  rule_ids: readonly string[];
  fault_code: string | null;
  approval_refs: readonly string[];
  agent_id: string | null;
  capability_token_id: string | null;
  tool_id: string | null;
  tool_definition_digest: string | null;
  args_hash: string | null;
  result_hash: string | null;
  policy_hash: string | null;
  state_snapshot_id: string | null;
  new_snapshot_id: string | null;
  commit_delta_id: string | null;
  workspace_id: string | null;
  provenance: {
    source?: string;
    run_id?: string;
    model?: string;
    dialect?: string;
    session_id?: string;
    turn?: string;
    parent_operation_id?: string;
    /** the name of the program that calls, in its own words */
    client?: string;
    /** the model that the caller says it drives */
    claimed_model?: string;
  };
  task_class: string | null;
  autonomy_mode: "autopilot" | "soft_gate" | "escalated" | "no_go" | null;
  risk_score: number | null;
  risk_basis: readonly string[];
  tx_outcome: "committed" | "rolled_back" | "no_op" | "ambiguous" | null;
  budget_delta: {
    calls?: number;
    cpu_ms?: number;
    wall_ms?: number;
    disk_write_bytes?: number;
    egress_bytes?: number;
    llm_tokens?: number;
  } | null;
  /** host: the container engine or the kernel of its host, outside of the sandbox; agent: a process inside of the sandbox, so that a job can make it say less */
  usage_counted_by?: "host" | "agent";
  /** the id of a person: `per_…` */
  person?: string;
  execution?: {
    contained: false;
    result: "claimed";
    executor: string | null;
  };
  redactions?: readonly {
    rule: string;
    /** JSON pointers into the result; `*` is every member and every item */
    pointers: readonly string[];
  }[];
  decision_record_id: string | null;
  decision_hash: string | null;
  effect_digest: string | null;
  egress_count: number;
  egress_hash: string | null;
  image_digest: string | null;
  actor: string | null;
  change: {
    verb: string;
    subject: string;
    digest: string | null;
  } | null;
  trace_id: string | null;
  span_id: string | null;
}

export interface CreateTenantBody {
  /** one to 64 letters, digits, blanks, `.`, `_`, `-` */
  name: string;
}

export type CreateTenantAnswer = NewTenant;

export interface ReadTenantLimitsAnswer {
  /** the id of a tenant: `ten_…` */
  tenant_id: string;
  requests_per_second: number | null;
  request_burst: number | null;
  person_requests_per_second?: number | null;
  person_request_burst?: number | null;
  /** its share of the capacity while several tenants are active; 1 is the default */
  weight: number;
  /** calls that are with executors at once, over all replicas */
  running_max: number;
  /** calls that wait for an executor, over all replicas; one more is `queue.full` */
  waiting_max: number;
  changed_at: number | null;
  files_max: number | null;
  bytes_max: number | null;
  outputs_bytes_max: number | null;
  files: number | null;
  bytes: number | null;
  /** of whole outputs that are kept now */
  outputs_bytes: number;
}

export interface SetTenantLimitsBody {
  requests_per_second?: number | null;
  request_burst?: number | null;
  person_requests_per_second?: number | null;
  person_request_burst?: number | null;
  /** its share of the capacity while several tenants are active; 1 is the default */
  weight?: number;
  /** calls that are with executors at once, over all replicas */
  running_max?: number;
  /** calls that wait for an executor, over all replicas; one more is `queue.full` */
  waiting_max?: number;
  files_max?: number | null;
  bytes_max?: number | null;
  outputs_bytes_max?: number | null;
}

export interface SetTenantLimitsAnswer {
  /** the id of a tenant: `ten_…` */
  tenant_id: string;
  requests_per_second: number | null;
  request_burst: number | null;
  person_requests_per_second?: number | null;
  person_request_burst?: number | null;
  /** its share of the capacity while several tenants are active; 1 is the default */
  weight: number;
  /** calls that are with executors at once, over all replicas */
  running_max: number;
  /** calls that wait for an executor, over all replicas; one more is `queue.full` */
  waiting_max: number;
  changed_at: number | null;
  files_max: number | null;
  bytes_max: number | null;
  outputs_bytes_max: number | null;
  files: number | null;
  bytes: number | null;
  /** of whole outputs that are kept now */
  outputs_bytes: number;
}

export interface ListApiKeysQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListApiKeysAnswer = ApiKeyList;

export interface CreateApiKeyBody {
  /** one to 64 letters, digits, blanks, `.`, `_`, `-` */
  name: string;
  role: "admin" | "operator" | "agent" | "auditor" | "worker";
  /** the id of an agent: `agt_…` */
  agent_id?: string;
  /** who answers for the key: a name or an address; all keys with it are one person */
  principal?: string;
  /** for a key of the role `worker`: the tools whose calls it may take */
  tools?: readonly string[];
}

export type CreateApiKeyAnswer = NewApiKey;

export interface RevokeApiKeyAnswer {
  /** the id of an API key: `key_…` */
  api_key_id: string;
  name: string;
  role: "admin" | "operator" | "agent" | "auditor" | "worker";
  agent_id: string | null;
  principal: string | null;
  tools: readonly string[] | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that created it, or `platform` */
  created_by: string;
  revoked_at: number | null;
  /** what the key created and what remains until it is removed */
  remains: {
    /** valid tokens that it issued, newest first */
    capability_tokens: readonly {
      /** the id of a token: `cap_…` */
      capability_token_id: string;
      /** the id of an agent: `agt_…` */
      agent_id: string;
      /** milliseconds since the epoch */
      expires_at: number;
    }[];
    /** jobs that it created, newest first; those that ran on its behalf start no run until an administrator changes them */
    jobs: readonly ({
      /** the id of a job: `job_…` */
      job_id: string;
      name: string;
      state: "active" | "paused";
    })[];
    /** whether there are more than are listed */
    more: boolean;
  };
}

export interface ListIdentityProvidersAnswer {
  items: readonly ({
    /** the id of an identity provider: `idp_…` */
    provider_id: string;
    name: string;
    /** the URL of the issuer, exactly as in `iss` */
    issuer: string;
    /** what `aud` must contain: the public URL of this deployment, or one below it that is not `/mcp` */
    audience: string;
    tenant_claim: string | null;
    tenant_value: string | null;
    /** which scope gives which role */
    scopes: readonly ({
      /** a scope of the issuer */
      scope: string;
      role: "admin" | "operator" | "agent" | "auditor";
    })[];
    person_claim: string | null;
    agent_id: string | null;
    agent_claim: string | null;
    sign_in: {
      /** the public client that the issuer knows this deployment by; its redirect URI is the `redirect_uri` of the registration */
      client_id: string;
    } | null;
    redirect_uri: string | null;
    /** milliseconds since the epoch */
    created_at: number;
    /** the API key that registered it; `platform`: the platform key */
    created_by: string;
    /** milliseconds since the epoch */
    updated_at: number;
    removed_at: number | null;
  })[];
}

export interface PutIdentityProviderBody {
  /** one to 64 small letters, digits, `.`, `_`, `-` */
  name: string;
  /** the URL of the issuer, exactly as in `iss` */
  issuer: string;
  /** what `aud` must contain: the public URL of this deployment, or one below it that is not `/mcp` */
  audience?: string;
  tenant_claim?: string | null;
  tenant_value?: string | null;
  /** which scope gives which role */
  scopes?: readonly ({
    /** a scope of the issuer */
    scope: string;
    role: "admin" | "operator" | "agent" | "auditor";
  })[];
  person_claim?: string | null;
  agent_id?: string | null;
  agent_claim?: string | null;
  sign_in?: {
    /** the public client that the issuer knows this deployment by; its redirect URI is the `redirect_uri` of the registration */
    client_id: string;
  } | null;
  /** an access token of the issuer for the audience, whose scope gives `admin`; needed for a new registration and for other scopes; never stored */
  access_token?: string;
}

export interface PutIdentityProviderAnswer {
  /** the id of an identity provider: `idp_…` */
  provider_id: string;
  name: string;
  /** the URL of the issuer, exactly as in `iss` */
  issuer: string;
  /** what `aud` must contain: the public URL of this deployment, or one below it that is not `/mcp` */
  audience: string;
  tenant_claim: string | null;
  tenant_value: string | null;
  /** which scope gives which role */
  scopes: readonly ({
    /** a scope of the issuer */
    scope: string;
    role: "admin" | "operator" | "agent" | "auditor";
  })[];
  person_claim: string | null;
  agent_id: string | null;
  agent_claim: string | null;
  sign_in: {
    /** the public client that the issuer knows this deployment by; its redirect URI is the `redirect_uri` of the registration */
    client_id: string;
  } | null;
  redirect_uri: string | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that registered it; `platform`: the platform key */
  created_by: string;
  /** milliseconds since the epoch */
  updated_at: number;
  removed_at: number | null;
}

export interface PutTenantIdentityProviderBody {
  /** one to 64 small letters, digits, `.`, `_`, `-` */
  name: string;
  /** the URL of the issuer, exactly as in `iss` */
  issuer: string;
  /** what `aud` must contain: the public URL of this deployment, or one below it that is not `/mcp` */
  audience?: string;
  tenant_claim?: string | null;
  tenant_value?: string | null;
  /** which scope gives which role */
  scopes?: readonly ({
    /** a scope of the issuer */
    scope: string;
    role: "admin" | "operator" | "agent" | "auditor";
  })[];
  person_claim?: string | null;
  agent_id?: string | null;
  agent_claim?: string | null;
  sign_in?: {
    /** the public client that the issuer knows this deployment by; its redirect URI is the `redirect_uri` of the registration */
    client_id: string;
  } | null;
}

export interface PutTenantIdentityProviderAnswer {
  /** the id of an identity provider: `idp_…` */
  provider_id: string;
  name: string;
  /** the URL of the issuer, exactly as in `iss` */
  issuer: string;
  /** what `aud` must contain: the public URL of this deployment, or one below it that is not `/mcp` */
  audience: string;
  tenant_claim: string | null;
  tenant_value: string | null;
  /** which scope gives which role */
  scopes: readonly ({
    /** a scope of the issuer */
    scope: string;
    role: "admin" | "operator" | "agent" | "auditor";
  })[];
  person_claim: string | null;
  agent_id: string | null;
  agent_claim: string | null;
  sign_in: {
    /** the public client that the issuer knows this deployment by; its redirect URI is the `redirect_uri` of the registration */
    client_id: string;
  } | null;
  redirect_uri: string | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that registered it; `platform`: the platform key */
  created_by: string;
  /** milliseconds since the epoch */
  updated_at: number;
  removed_at: number | null;
}

export interface RemoveIdentityProviderAnswer {
  name: string;
  /** credentials that this request revoked */
  revoked: readonly string[];
  /** whether credentials are left to revoke: send the request again */
  more: boolean;
}

export interface DenyTokensBody {
  /** a `sub`, with all its tokens */
  subject?: string;
  /** one token, by its `jti` */
  jti?: string;
}

export interface DenyTokensAnswer {
  name: string;
  /** credentials that this request revoked */
  revoked: readonly string[];
  /** whether credentials are left to revoke: send the request again */
  more: boolean;
}

export interface FindPersonQuery {
  /** who answers for the key: a name or an address; all keys with it are one person */
  principal?: string;
  issuer?: string;
  subject?: string;
}

export interface FindPersonAnswer {
  /** the id of a person: `per_…` */
  person_id: string;
  /** milliseconds since the epoch */
  created_at: number;
}

export interface ForgetPersonAnswer {
  /** the id of a person: `per_…` */
  person_id: string;
  /** whether nobody can tell any more whose it was; false while `more` */
  forgotten: boolean;
  /** credentials that this request revoked */
  revoked: readonly string[];
  /** whether credentials are left to revoke: send the request again */
  more: boolean;
}

export type ReadCallSettingsAnswer = CallSettings;

export interface SetCallSettingsBody {
  /** what calls of the tenant may reach, whatever their tokens grant */
  allowed_paths?: readonly string[];
  /** what no call of the tenant reaches, whatever is allowed or granted */
  denied_paths?: readonly string[];
  /** most bytes of the output of a command in its result; 200000 unless set */
  output_bytes?: number;
  command_ms?: number | null;
  /** the same for single tools, in place of `command_ms` */
  tool_command_ms?: {
    [name: string]: number;
  };
}

export type SetCallSettingsAnswer = CallSettings;

export interface ListAgentsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListAgentsAnswer = AgentList;

export interface CreateAgentBody {
  /** one to 64 letters, digits, blanks, `.`, `_`, `-` */
  name: string;
}

export type CreateAgentAnswer = Agent;

export type ReadAgentAnswer = Agent;

export interface ProposeToolCallQuery {
  /** milliseconds to wait for the end */
  wait?: number;
}

export type ProposeToolCallBody = ToolCall;

export type ProposeToolCallAnswer = ToolResult | Operation;

export interface TakePermitQuery {
  /** milliseconds to wait for the end */
  wait?: number;
}

export interface TakePermitBody { [name: string]: never }

export interface TakePermitAnswer {
  permit: Envelope | null;
}

export interface TakeOwnPermitBody {
  operation_id: string;
}

export interface TakeOwnPermitAnswer {
  permit: Envelope | null;
}

export interface RedeemPermitBody {
  permit: Envelope;
  /** random, made once per permit; the same one may redeem again, since a reply can be lost */
  nonce: string;
}

export interface RedeemPermitAnswer {
  /** the id of an operation: `op_…` */
  operation_id: string;
  attempt: number;
  tool_id: string;
  tool_definition_digest: string;
  args: {
    [name: string]: unknown;
  };
  /** whether another attempt with the same `operation_id` may follow if this one is lost */
  idempotent: boolean;
  timeout_ms: number;
  /** milliseconds since the epoch */
  lease_until: number;
  /** renew within a third of it */
  lease_ms: number;
}

export interface RenewLeaseBody {
  permit: Envelope;
  /** random, made once per permit; the same one may redeem again, since a reply can be lost */
  nonce: string;
}

export interface RenewLeaseAnswer {
  /** milliseconds since the epoch */
  lease_until: number;
  stop: boolean;
}

export interface ReportFunctionBody {
  permit: Envelope;
  /** random, made once per permit; the same one may redeem again, since a reply can be lost */
  nonce: string;
  outcome: {
    outcome: "succeeded";
    result: unknown;
  } | {
    /** `failed`: nothing took effect, as the executor states; `unknown`: something may have */
    outcome: "failed" | "unknown";
    message: string;
  };
}

export interface ReportFunctionAnswer {
  state: string;
  tx_outcome: string | null;
}

export interface RunTurnQuery {
  /** milliseconds to wait for the end */
  wait?: number;
}

export interface RunTurnBody {
  /** the format of the model's output; for a provider, the body of its response or stream */
  dialect: "blocks" | "tools-xml" | "yips" | "openai" | "openai-responses" | "anthropic" | "gemini";
  /** the unchanged output of the model */
  output: string;
  session_id: string;
  /** unique in a session for each output; the same turn sent again runs nothing twice, and continues where it stopped */
  turn_id: string;
  /** the id of an agent: `agt_…` */
  agent_id?: string;
  capability_token_id: string;
  workspace_id: string;
  session_mode?: "interactive" | "gateway" | "scheduled";
  task_class?: string;
  max_autonomy?: "autopilot" | "soft_gate" | "escalated" | "no_go";
  /** of each call, in milliseconds since the epoch */
  deadline?: number;
  /** an id of your own for the person whose data the call holds, so that it can be erased by it; its agent by default */
  data_subject?: string;
  /** the name of the model as you say it; the record holds it as `claimed_model` */
  model?: string;
  /** one of `/v1/models`, for sub-agents that its calls start; default: `model` if it is one of them, else the only one */
  sub_agent_model?: string;
  /** ids of calls whose results the model has already; they are omitted from `messages` */
  told?: readonly string[];
}

export type RunTurnAnswer = {
  turn_id: string;
  session_id: string;
  /** the format of the model's output; for a provider, the body of its response or stream */
  dialect: "blocks" | "tools-xml" | "yips" | "openai" | "openai-responses" | "anthropic" | "gemini";
  /** held: a person must decide; send the turn again after that */
  state: "ended" | "held" | "under_way";
  /** the text for people */
  text: string;
  stop: "end" | "tool_use" | "length" | null;
  problems: readonly ({
    /** protocol: no call of the output ran; call: this call did not run; warning: all calls ran */
    level: "protocol" | "call" | "warning";
    message: string;
    call_id: string | null;
    name: string | null;
    /** position in the output, in UTF-16 units */
    at: number;
  })[];
  /** in the order of the output */
  calls: readonly ({
    /** the model's own id, or one made from its position */
    call_id: string;
    /** the name as the model wrote it */
    name: string;
    tool_id: string;
    /** the tool's arguments */
    args: {
      [name: string]: unknown;
    };
    /** stage: stores a change, which is applied by its token; apply: applies such a change */
    mode: "run" | "stage" | "apply";
    /** queued: it waits behind a held or running call */
    standing: "completed" | "failed" | "denied" | "timeout" | "cancelled" | "held" | "queued" | "executing";
    error: ResultError | null;
    operation_id: string | null;
    state: "proposed" | "admitted" | "refused" | "held" | "dispatched" | "performing" | "performed" | "committed" | "rolled_back" | "no_op" | "ambiguous" | null;
    approval_id: string | null;
    /** whether it was proposed before */
    replayed: boolean;
    receipt: ReceiptState | null;
  })[];
  /** messages for the model, in the format of its provider */
  messages: readonly {
    [name: string]: unknown;
  }[];
};

export interface ReadPromptQuery {
  /** the format of the model's output; for a provider, the body of its response or stream */
  dialect: "blocks" | "tools-xml" | "yips" | "openai" | "openai-responses" | "anthropic" | "gemini";
  capability_token_id: string;
  /** the workspace whose `CODE.md` it includes; it is read by a call of the token's agent, which is decided and recorded, so only administrators and agents name one */
  workspace_id?: string;
}

export interface ReadPromptAnswer {
  /** the format of the model's output; for a provider, the body of its response or stream */
  dialect: "blocks" | "tools-xml" | "yips" | "openai" | "openai-responses" | "anthropic" | "gemini";
  /** text for the system prompt */
  system: string;
  tools: readonly {
    [name: string]: unknown;
  }[] | null;
}

export interface PostMcpQuery {
  /** the workspace of the calls; by default that of the capability token */
  workspace_id?: string;
  /** `search`: the list has only tools that find and describe the others; `all` by default */
  tools?: "all" | "search";
  /** a registered MCP server, which is served as if the client spoke to it itself; by default all of Writ is served */
  server?: string;
}

export interface PostMcpBody {
  jsonrpc: "2.0";
  id?: string | number | null;
  method?: string;
  params?: {
    [name: string]: unknown;
  };
  result?: unknown;
  error?: unknown;
}

export interface PostMcpWithTokenQuery {
  /** the workspace of the calls; by default that of the capability token */
  workspace_id?: string;
  /** `search`: the list has only tools that find and describe the others; `all` by default */
  tools?: "all" | "search";
  /** a registered MCP server, which is served as if the client spoke to it itself; by default all of Writ is served */
  server?: string;
}

export interface PostMcpWithTokenBody {
  jsonrpc: "2.0";
  id?: string | number | null;
  method?: string;
  params?: {
    [name: string]: unknown;
  };
  result?: unknown;
  error?: unknown;
}

export interface ListOperationsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  state?: "proposed" | "admitted" | "refused" | "held" | "dispatched" | "performing" | "performed" | "committed" | "rolled_back" | "no_op" | "ambiguous";
  tool_id?: string;
  agent_id?: string;
  workspace_id?: string;
  session_id?: string;
  scheduling_class?: "interactive" | "background" | "maintenance";
  /** `true`: only unresolved ambiguous ones; the filter `state` is then ignored */
  unresolved?: boolean;
}

export type ListOperationsAnswer = OperationList;

export interface ReadOperationQuery {
  /** milliseconds to wait for the end */
  wait?: number;
}

export type ReadOperationAnswer = Operation;

export interface CancelOperationBody { [name: string]: never }

export type CancelOperationAnswer = Operation;

export interface ResolveOperationBody {
  /** whether the external effect happened, as the person found */
  outcome: "committed" | "rolled_back";
  /** how they know */
  note: string;
}

export type ResolveOperationAnswer = Operation;

export interface ListRequestsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListRequestsAnswer = EgressRequestPage;

export interface ReadOutputQuery {
  /** default: `stdout` */
  stream?: "stdout" | "stderr";
  /** the output of both streams while the command runs, as Server-Sent Events; `Last-Event-ID` resumes */
  follow?: "" | "true" | "false";
  /** with `follow`: milliseconds after which the stream ends; default: with the operation */
  for_ms?: number;
}

export type ExplainOperationAnswer = OperationExplanation;

export interface ReadReceiptQuery {
  phase?: "decision" | "outcome" | "resolution";
}

export interface DelegateApprovalBody {
  /** a person: a name, or the id of a key without one */
  to: string;
  tools?: readonly string[] | null;
  agent_id?: string | null;
  /** the highest autonomy mode of calls that it may approve; default: `soft_gate` */
  autonomy_mode?: "soft_gate" | "escalated";
  /** why */
  note: string;
  /** milliseconds since the epoch; within 30 days */
  expires_at: number;
}

export interface DelegateApprovalAnswer {
  /** the id of a delegation: `dlg_…` */
  delegation_id: string;
  /** whose right it is: a vote by it counts as theirs */
  from: string;
  /** the right */
  role: "operator" | "admin";
  /** who may use it */
  to: string;
  scope: {
    tools: readonly string[] | null;
    agent_id: string | null;
    /** the highest supervision that it applies to */
    autonomy_mode: "soft_gate" | "escalated";
  };
  note: string;
  state: "standing" | "expired" | "revoked";
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that made it */
  created_by: string;
  /** milliseconds since the epoch */
  expires_at: number;
  revoked_at: number | null;
  revoked_by: string | null;
}

export interface ListDelegationsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  /** `true`: only delegations that are valid now */
  standing?: boolean;
}

export interface ListDelegationsAnswer {
  items: readonly ({
    /** the id of a delegation: `dlg_…` */
    delegation_id: string;
    /** whose right it is: a vote by it counts as theirs */
    from: string;
    /** the right */
    role: "operator" | "admin";
    /** who may use it */
    to: string;
    scope: {
      tools: readonly string[] | null;
      agent_id: string | null;
      /** the highest supervision that it applies to */
      autonomy_mode: "soft_gate" | "escalated";
    };
    note: string;
    state: "standing" | "expired" | "revoked";
    /** milliseconds since the epoch */
    created_at: number;
    /** the API key that made it */
    created_by: string;
    /** milliseconds since the epoch */
    expires_at: number;
    revoked_at: number | null;
    revoked_by: string | null;
  })[];
  next_cursor: string | null;
}

export interface RevokeDelegationAnswer {
  /** the id of a delegation: `dlg_…` */
  delegation_id: string;
  /** whose right it is: a vote by it counts as theirs */
  from: string;
  /** the right */
  role: "operator" | "admin";
  /** who may use it */
  to: string;
  scope: {
    tools: readonly string[] | null;
    agent_id: string | null;
    /** the highest supervision that it applies to */
    autonomy_mode: "soft_gate" | "escalated";
  };
  note: string;
  state: "standing" | "expired" | "revoked";
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that made it */
  created_by: string;
  /** milliseconds since the epoch */
  expires_at: number;
  revoked_at: number | null;
  revoked_by: string | null;
}

export interface ListApprovalsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  state?: "pending" | "approved" | "denied" | "expired" | "cancelled" | "superseded";
}

export type ListApprovalsAnswer = ApprovalList;

export type ReadApprovalAnswer = Approval;

export interface ReadApprovalDiffAnswer {
  /** what an approval binds to */
  effect_digest: string;
  base_snapshot_id: string;
  files: readonly ({
    path: string;
    change: "added" | "deleted" | "modified";
    before: FileState | null;
    after: FileState | null;
    added_lines: number | null;
    removed_lines: number | null;
    text: string | null;
    why_no_text: "binary" | "too_long" | "not_a_file" | null;
  })[];
  files_total: number;
}

export interface ApproveBody {
  comment?: string;
  /** session: creates a session grant, a child of the call's token under which similar calls of its session run; default: once */
  scope?: "once" | "session";
  /** for scope session: how many further calls; default: 32 */
  uses?: number;
  /** for scope session: for how many milliseconds; default: the policy's `ttl.session_grant_ms` */
  ttl_ms?: number;
  /** the delegation that you use; the vote then counts as the delegating person's */
  delegation_id?: string;
  /** for an effect: the `binding.effect_digest` that was shown. Without it only the action is approved; if an effect, or another effect, waits for approval, the request fails */
  effect_digest?: string;
}

export type ApproveAnswer = Operation;

export interface EditApprovalBody {
  /** arguments that match the tool's `parameters` */
  args: {
    [name: string]: unknown;
  };
  comment?: string;
}

export type EditApprovalAnswer = Operation;

export interface GiveValueBody {
  /** the value in clear text */
  value: string;
  /** once: for one use; session: for this agent in this session, at most twelve hours; stored: as one of the tenant's secrets; default: once */
  scope?: "once" | "session" | "stored";
  /** for a stored value: its description; default: the one that the call suggests */
  note?: string;
  comment?: string;
}

export type GiveValueAnswer = Operation;

export interface DenyBody {
  comment?: string;
  /** the delegation that you use; the vote then counts as the delegating person's */
  delegation_id?: string;
}

export type DenyAnswer = Operation;

export interface SimulatePolicyBody {
  /** a policy set: its hash, a name, or `name@version` */
  policy?: string;
  /** a set that isn't stored, instead of `policy` */
  document?: {
    [name: string]: unknown;
  };
  call: {
    agent_id: string;
    capability_token_id: string;
    workspace_id: string;
    tool_id: string;
    args: {
      [name: string]: unknown;
    };
    session_id?: string | null;
    session_mode?: "interactive" | "gateway" | "scheduled";
    max_autonomy?: "autopilot" | "soft_gate" | "escalated" | "no_go" | null;
    task_class?: string;
  };
}

export type SimulatePolicyAnswer = Simulation;

export interface BacktestPolicyBody {
  /** a policy set: its hash, a name, or `name@version` */
  policy?: string;
  /** a set that isn't stored, instead of `policy` */
  document?: {
    [name: string]: unknown;
  };
  /** also evaluates committed effects: a page then has `effects`, and may end before its `limit` */
  effects?: boolean;
  /** milliseconds since the epoch; default: from the beginning */
  since?: number;
  /** `next_cursor` of the page before */
  cursor?: string;
  /** operations of a page; default: 100 */
  limit?: number;
}

export type BacktestPolicyAnswer = Backtest;

export interface ListPoliciesQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListPoliciesAnswer = PolicyPage;

export interface PutPolicyBody {
  /** the set, in the format of `GET /v1/policies/schema` */
  document: {
    [name: string]: unknown;
  };
}

export type PutPolicyAnswer = PolicyPut;

export type ReadPolicySchemaAnswer = PolicySchema;

export type ListPolicyTemplatesAnswer = PolicyTemplateList;

export interface ListPolicyActivationsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListPolicyActivationsAnswer = PolicyActivationList;

export interface DiffPoliciesQuery {
  /** a policy set: its hash, a name, or `name@version` */
  from?: string;
  /** a policy set: its hash, a name, or `name@version` */
  to?: string;
}

export type DiffPoliciesAnswer = PolicyDiff;

export interface ActivatePolicyBody {
  /** a policy set: its hash, a name, or `name@version` */
  policy: string;
  /** a policy set: its hash, a name, or `name@version` */
  if_active?: string;
  /** the reason, for later readers */
  note?: string;
  /** `true`: accepts a set with rules that can never apply, which is otherwise refused */
  allow_impossible?: boolean;
}

export type ActivatePolicyAnswer = PolicyActivation;

export interface RollBackPolicyBody {
  /** a policy set: its hash, a name, or `name@version` */
  if_active?: string;
  /** the reason, for later readers */
  note?: string;
}

export type RollBackPolicyAnswer = PolicyActivation;

export type ReadPolicyAnswer = PolicySetWhole;

export interface IssueTokenBody {
  /** the id of an agent: `agt_…` */
  agent_id: string;
  workspace_id?: string | null;
  grant: Grant;
}

export type IssueTokenAnswer = Token;

export interface ListTokensQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  agent_id?: string;
  parent_id?: string;
}

export type ListTokensAnswer = TokenList;

export interface AttenuateTokenBody {
  /** the id of an agent: `agt_…` */
  agent_id?: string;
  /** the id of a workspace: `wsp_…` */
  workspace_id?: string;
  grant: Grant;
}

export type AttenuateTokenAnswer = Token;

export type ReadTokenAnswer = Token;

export interface RevokeTokenBody { [name: string]: never }

export type RevokeTokenAnswer = Token;

export interface CreateWorkspaceBody {
  /** one to 64 letters, digits, blanks, `.`, `_`, `-` */
  name: string;
}

export type CreateWorkspaceAnswer = Workspace;

export interface ListWorkspacesQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListWorkspacesAnswer = WorkspaceList;

export type ReadWorkspaceAnswer = Workspace;

export interface ReadWorkspaceLimitsAnswer {
  /** the id of a workspace: `wsp_…` */
  workspace_id: string;
  files_max: number | null;
  bytes_max: number | null;
  files: number | null;
  bytes: number | null;
}

export interface SetWorkspaceLimitsBody {
  files_max?: number | null;
  bytes_max?: number | null;
}

export interface SetWorkspaceLimitsAnswer {
  /** the id of a workspace: `wsp_…` */
  workspace_id: string;
  files_max: number | null;
  bytes_max: number | null;
  files: number | null;
  bytes: number | null;
}

export interface ReadTreeQuery {
  /** a directory; default: the whole workspace */
  path?: string;
  /** a snapshot, or a time such as `2026-01-31T09:30:00Z`, which selects the head at that time */
  at?: string;
  /** levels; default: all */
  depth?: number;
  cursor?: string;
  /** entries; default: 10000 */
  limit?: number;
}

export type ReadTreeAnswer = Tree;

export interface ReadHistoryQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ReadHistoryAnswer = SnapshotList;

export interface ReadDiffQuery {
  /** a snapshot, or a time such as `2026-01-31T09:30:00Z`, which selects the head at that time */
  from: string;
  /** a snapshot, or a time such as `2026-01-31T09:30:00Z`, which selects the head at that time */
  to?: string;
  /** only this path and everything below it */
  path?: string;
}

export type ReadDiffAnswer = Delta;

export interface ReadTextDiffQuery {
  /** a snapshot, or a time such as `2026-01-31T09:30:00Z`, which selects the head at that time */
  from: string;
  /** a snapshot, or a time such as `2026-01-31T09:30:00Z`, which selects the head at that time */
  to?: string;
  /** only this path and everything below it */
  path?: string;
}

export interface ReadTextDiffAnswer {
  /** a snapshot */
  from: string;
  /** a snapshot */
  to: string;
  files: readonly ({
    path: string;
    change: "added" | "deleted" | "modified";
    before: FileState | null;
    after: FileState | null;
    added_lines: number | null;
    removed_lines: number | null;
    text: string | null;
    why_no_text: "binary" | "too_long" | "not_a_file" | null;
  })[];
  /** more than `files` where they are too many for one answer */
  files_total: number;
}

export interface RestoreWorkspaceBody {
  /** a snapshot, or a time such as `2026-01-31T09:30:00Z`, which selects the head at that time */
  at: string;
  /** the path to restore, with everything below it; default: the whole workspace */
  path?: string;
  /** only if this is still the head */
  if_head?: string;
}

export type RestoreWorkspaceAnswer = Workspace;

export interface UploadFilesBody {
  files: readonly ({
    path: string;
    content: string;
    /** of `content`; default: utf8 */
    encoding?: "utf8" | "base64";
    mode?: "644" | "755";
  })[];
}

export type UploadFilesAnswer = Workspace;

export interface DownloadFileQuery {
  /** a snapshot, or a time such as `2026-01-31T09:30:00Z`, which selects the head at that time */
  at?: string;
}

export interface UploadFileQuery {
  mode?: "644" | "755";
}

export type UploadFileAnswer = Workspace;

export type DeleteFileAnswer = Workspace;

export interface ExportWorkspaceQuery {
  /** a snapshot, or a time such as `2026-01-31T09:30:00Z`, which selects the head at that time */
  at?: string;
  /** a directory; default: the whole workspace */
  path?: string;
}

export interface ImportWorkspaceQuery {
  /** a directory; default: the whole workspace */
  path?: string;
  /** whether files that the archive does not contain are deleted; default: they stay */
  replace?: boolean;
}

export type ImportWorkspaceAnswer = Workspace;

export interface PlaceFreezeBody {
  scope: "tenant" | "agent" | "tool" | "all";
  /** the agent or the tool; for a tenant, your own id or none */
  id?: string;
  /** why; callers that are refused read it */
  reason: string;
  /** milliseconds since the epoch; default: in effect until it is lifted */
  expires_at?: number;
}

export interface PlaceFreezeAnswer {
  /** the id of a freeze: `frz_…` */
  freeze_id: string;
  scope: "tenant" | "agent" | "tool" | "all";
  id: string | null;
  state: "standing" | "expired" | "lifted";
  reason: string;
  /** an API key, an agent, or `platform` */
  placed_by: string;
  /** milliseconds since the epoch */
  created_at: number;
  expires_at: number | null;
  lifted_at: number | null;
  lifted_by: string | null;
}

export interface ListFreezesQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  /** `true`: only freezes that are in effect now */
  standing?: boolean;
}

export interface ListFreezesAnswer {
  items: readonly ({
    /** the id of a freeze: `frz_…` */
    freeze_id: string;
    scope: "tenant" | "agent" | "tool" | "all";
    id: string | null;
    state: "standing" | "expired" | "lifted";
    reason: string;
    /** an API key, an agent, or `platform` */
    placed_by: string;
    /** milliseconds since the epoch */
    created_at: number;
    expires_at: number | null;
    lifted_at: number | null;
    lifted_by: string | null;
  })[];
  next_cursor: string | null;
}

export interface ReadFreezeAnswer {
  /** the id of a freeze: `frz_…` */
  freeze_id: string;
  scope: "tenant" | "agent" | "tool" | "all";
  id: string | null;
  state: "standing" | "expired" | "lifted";
  reason: string;
  /** an API key, an agent, or `platform` */
  placed_by: string;
  /** milliseconds since the epoch */
  created_at: number;
  expires_at: number | null;
  lifted_at: number | null;
  lifted_by: string | null;
}

export interface LiftFreezeBody { [name: string]: never }

export interface LiftFreezeAnswer {
  /** the id of a freeze: `frz_…` */
  freeze_id: string;
  scope: "tenant" | "agent" | "tool" | "all";
  id: string | null;
  state: "standing" | "expired" | "lifted";
  reason: string;
  /** an API key, an agent, or `platform` */
  placed_by: string;
  /** milliseconds since the epoch */
  created_at: number;
  expires_at: number | null;
  lifted_at: number | null;
  lifted_by: string | null;
}

/** exactly one of `operation_id`, `session_id`, `subject` and `before` */
export interface EraseBody {
  operation_id?: string;
  session_id?: string;
  /** calls and sessions with this `data_subject`; for an agent's id: those of the agent without a data subject */
  subject?: string;
  /** everything created before this time, such as `2026-01-31T09:30:00Z`; unfinished calls are skipped */
  before?: string;
  /** why, as a code of your own, such as `gdpr-art-17`; `retention` where a period was over */
  reason_code: string;
  /** `true`: reports what would be erased, and erases nothing */
  dry_run?: boolean;
}

export type EraseAnswer = {
  /** the id of an erasure: `ers_…` */
  erasure_id: string;
  /** conversation: the texts of a deleted session, without its calls; ended: calls of which only hashes stay */
  selector: "operation" | "session" | "subject" | "before" | "conversation" | "ended";
  operation_id: string | null;
  session_id: string | null;
  subject: string | null;
  before: number | null;
  reason_code: string;
  /** running: the rest goes batch by batch, whatever dies meanwhile */
  state: "running" | "done";
  /** calls whose content it has erased so far */
  operations: number;
  /** calls that it passed over, because they had not ended */
  unfinished: number;
  /** sessions that are gone with all that was said in them */
  sessions?: number;
  /** runs that are gone of sessions which are there still */
  runs?: number;
  /** its records: one per batch */
  records: number;
  record_id: string | null;
  /** an API key, or `kernel` for what a retention period ended */
  requested_by: string;
  /** milliseconds since the epoch */
  created_at: number;
  finished_at: number | null;
} | {
  dry_run: true;
  /** calls whose content would be erased */
  operations: number;
  /** calls that have not ended: they prevent the erasure of a call or a session; an erasure by time skips them */
  unfinished: number;
  /** there are more than were counted */
  more: boolean;
  /** sessions that would go with all that was said in them */
  sessions?: number;
} | {
  /** the id of an erasure: `ers_…` */
  erasure_id: string;
  /** conversation: the texts of a deleted session, without its calls; ended: calls of which only hashes stay */
  selector: "operation" | "session" | "subject" | "before" | "conversation" | "ended";
  operation_id: string | null;
  session_id: string | null;
  subject: string | null;
  before: number | null;
  reason_code: string;
  /** running: the rest goes batch by batch, whatever dies meanwhile */
  state: "running" | "done";
  /** calls whose content it has erased so far */
  operations: number;
  /** calls that it passed over, because they had not ended */
  unfinished: number;
  /** sessions that are gone with all that was said in them */
  sessions?: number;
  /** runs that are gone of sessions which are there still */
  runs?: number;
  /** its records: one per batch */
  records: number;
  record_id: string | null;
  /** an API key, or `kernel` for what a retention period ended */
  requested_by: string;
  /** milliseconds since the epoch */
  created_at: number;
  finished_at: number | null;
};

export interface ListErasuresQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export interface ListErasuresAnswer {
  items: readonly ({
    /** the id of an erasure: `ers_…` */
    erasure_id: string;
    /** conversation: the texts of a deleted session, without its calls; ended: calls of which only hashes stay */
    selector: "operation" | "session" | "subject" | "before" | "conversation" | "ended";
    operation_id: string | null;
    session_id: string | null;
    subject: string | null;
    before: number | null;
    reason_code: string;
    /** running: the rest goes batch by batch, whatever dies meanwhile */
    state: "running" | "done";
    /** calls whose content it has erased so far */
    operations: number;
    /** calls that it passed over, because they had not ended */
    unfinished: number;
    /** sessions that are gone with all that was said in them */
    sessions?: number;
    /** runs that are gone of sessions which are there still */
    runs?: number;
    /** its records: one per batch */
    records: number;
    record_id: string | null;
    /** an API key, or `kernel` for what a retention period ended */
    requested_by: string;
    /** milliseconds since the epoch */
    created_at: number;
    finished_at: number | null;
  })[];
  next_cursor: string | null;
}

export interface ReadErasureAnswer {
  /** the id of an erasure: `ers_…` */
  erasure_id: string;
  /** conversation: the texts of a deleted session, without its calls; ended: calls of which only hashes stay */
  selector: "operation" | "session" | "subject" | "before" | "conversation" | "ended";
  operation_id: string | null;
  session_id: string | null;
  subject: string | null;
  before: number | null;
  reason_code: string;
  /** running: the rest goes batch by batch, whatever dies meanwhile */
  state: "running" | "done";
  /** calls whose content it has erased so far */
  operations: number;
  /** calls that it passed over, because they had not ended */
  unfinished: number;
  /** sessions that are gone with all that was said in them */
  sessions?: number;
  /** runs that are gone of sessions which are there still */
  runs?: number;
  /** its records: one per batch */
  records: number;
  record_id: string | null;
  /** an API key, or `kernel` for what a retention period ended */
  requested_by: string;
  /** milliseconds since the epoch */
  created_at: number;
  finished_at: number | null;
}

export interface ReadRetentionAnswer {
  payload_days: number | null;
  output_days: number | null;
  /** full: contents are kept for `payload_days`; hashes: the content of a call is erased within minutes of its end, for calls from then on. Absent in a request: it stays as it is */
  payload_mode?: "full" | "hashes";
  /** full: the list of requests of a call to hosts outside is part of its content; none: only its count and hash stay, in the record. Absent in a request: it stays as it is */
  requests_mode?: "full" | "none";
  changed_at: number | null;
}

export interface SetRetentionBody {
  payload_days: number | null;
  output_days: number | null;
  /** full: contents are kept for `payload_days`; hashes: the content of a call is erased within minutes of its end, for calls from then on. Absent in a request: it stays as it is */
  payload_mode?: "full" | "hashes";
  /** full: the list of requests of a call to hosts outside is part of its content; none: only its count and hash stay, in the record. Absent in a request: it stays as it is */
  requests_mode?: "full" | "none";
}

export interface SetRetentionAnswer {
  payload_days: number | null;
  output_days: number | null;
  /** full: contents are kept for `payload_days`; hashes: the content of a call is erased within minutes of its end, for calls from then on. Absent in a request: it stays as it is */
  payload_mode?: "full" | "hashes";
  /** full: the list of requests of a call to hosts outside is part of its content; none: only its count and hash stay, in the record. Absent in a request: it stays as it is */
  requests_mode?: "full" | "none";
  changed_at: number | null;
}

export interface FollowEventsQuery {
  /** milliseconds after which the stream ends; default: no end */
  for_ms?: number;
}

export type ListModelsAnswer = ModelList;

export type ReadRunAnswer = Run;

export interface FollowRunQuery {
  /** only events after this `seq`; `Last-Event-ID` takes precedence */
  after?: number;
  /** milliseconds after which the stream ends; default: when the run ends */
  for_ms?: number;
}

export interface CancelRunBody { [name: string]: never }

export type CancelRunAnswer = Run;

export interface ForkRunBody {
  /** the last event to include; 0: the conversation before the run */
  after: number;
  /** one to 64 letters, digits, blanks, `.`, `_`, `-` */
  name?: string;
  /** one of `/v1/models` */
  model?: string;
}

export type ForkRunAnswer = Session;

export interface ReplayRunBody {
  /** a stored set; default: the one in force */
  policy?: string;
  /** a set that isn't stored, instead of `policy` */
  document?: {
    [name: string]: unknown;
  };
  /** `next_cursor` of the page before */
  cursor?: string;
  /** calls of a page; default: 100 */
  limit?: number;
}

export type ReplayRunAnswer = RunReplay;

export interface ListSessionsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  workspace_id?: string;
  /** only sessions of sub-agents of this run, which other lists omit */
  run_id?: string;
}

export type ListSessionsAnswer = SessionList;

export interface CreateSessionBody {
  workspace_id: string;
  capability_token_id: string;
  /** one of `/v1/models` */
  model: string;
  /** the id of an agent: `agt_…` */
  agent_id?: string;
  /** one to 64 letters, digits, blanks, `.`, `_`, `-` */
  name?: string;
  /** how the model writes its calls; default: `native`, the provider's format */
  dialect?: "native" | "blocks" | "tools-xml" | "yips";
  /** text at the end of the system prompt */
  system?: string;
  /** your own id of the person whom the session is about: its calls carry it, and an erasure can select texts by it */
  data_subject?: string;
  /** `gateway`: nobody can be asked, so a call that needs a person is refused, unless it applies a staged change; default: `interactive` */
  session_mode?: "interactive" | "gateway";
}

export type CreateSessionAnswer = Session;

export interface ListRunsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListRunsAnswer = RunList;

export interface StartRunBody {
  input: string;
  /** most replies of the model; default: 20, in `yips` 6 */
  rounds_max?: number;
  /** most tokens, input and output together */
  tokens_max?: number;
  /** most that it may cost, in millionths of the model's currency */
  cost_max?: number;
  idempotency_key?: string;
}

export type StartRunAnswer = Run;

export type ExportTranscriptAnswer = Transcript;

export interface ReadUsageQuery {
  /** milliseconds since the epoch */
  from?: number;
  /** milliseconds since the epoch */
  to?: number;
  /** default: `model`; days are UTC */
  by?: "model" | "session" | "agent" | "day";
}

export type ReadUsageAnswer = Usage;

export type ReadSessionAnswer = Session;

export type DeleteSessionAnswer = Session;

export interface ListJobsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  /** the id of an agent: `agt_…` */
  agent_id?: string;
}

export interface ListJobsAnswer {
  items: readonly ({
    /** the id of a job: `job_…` */
    job_id: string;
    name: string;
    state: "active" | "paused";
    cron: string;
    time_zone: string;
    due_at: number | null;
    /** the id of an agent: `agt_…` */
    agent_id: string;
    workspace_id: string;
    capability_token_id: string;
    /** the token of its runs, which grants the listed tools */
    run_token_id: string;
    tools: readonly string[];
    input: string;
    system: string | null;
    model: string;
    dialect: string;
    conversation: "fresh" | "kept";
    overlap: "skip" | "queue" | "allow";
    missed: "skip" | "run_once";
    scheduling_class: "interactive" | "background" | "maintenance";
    rounds_max: number | null;
    tokens_max: number | null;
    cost_max: number | null;
    /** milliseconds since the epoch */
    created_at: number;
    /** the API key that created it */
    created_by: string;
    /** milliseconds since the epoch */
    changed_at: number;
    /** the API key on whose behalf its runs make their calls */
    changed_by: string;
  })[];
  next_cursor: string | null;
}

export interface CreateJobBody {
  /** one to 64 letters, digits, blanks, `.`, `_`, `-` */
  name: string;
  /** five fields (minute, hour, day, month, weekday), or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly` */
  cron: string;
  /** an IANA time zone for the fields; default: `UTC` */
  time_zone?: string;
  workspace_id: string;
  /** the token of the agent, from which the token of the runs is derived */
  capability_token_id: string;
  input: string;
  /** one of `/v1/models` */
  model: string;
  /** the mutating tools that its runs may use; listing an administrative tool approves it */
  tools?: readonly string[];
  /** text at the end of the system prompt */
  system?: string;
  /** your own id of the person whom the session is about: its calls carry it, and an erasure can select texts by it */
  data_subject?: string;
  /** how the model writes its calls; default: `native`, the provider's format */
  dialect?: "native" | "blocks" | "tools-xml" | "yips";
  /** `fresh`: each run begins a new conversation; `kept`: all runs continue one */
  conversation?: "fresh" | "kept";
  /** handling of a start while a run of the job has not ended; default: `skip` */
  overlap?: "skip" | "queue" | "allow";
  /** handling of due times at which no orchestrator was running: none, or one run for all; default: `skip` */
  missed?: "skip" | "run_once";
  /** when calls of its runs are served among the waiting calls of the tenant; default: `background` */
  scheduling_class?: "interactive" | "background" | "maintenance";
  /** most replies of the model; default: 20, in `yips` 6 */
  rounds_max?: number;
  /** most tokens, input and output together */
  tokens_max?: number;
  /** most that it may cost, in millionths of the model's currency */
  cost_max?: number;
}

export interface CreateJobAnswer {
  /** the id of a job: `job_…` */
  job_id: string;
  name: string;
  state: "active" | "paused";
  cron: string;
  time_zone: string;
  due_at: number | null;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  workspace_id: string;
  capability_token_id: string;
  /** the token of its runs, which grants the listed tools */
  run_token_id: string;
  tools: readonly string[];
  input: string;
  system: string | null;
  model: string;
  dialect: string;
  conversation: "fresh" | "kept";
  overlap: "skip" | "queue" | "allow";
  missed: "skip" | "run_once";
  scheduling_class: "interactive" | "background" | "maintenance";
  rounds_max: number | null;
  tokens_max: number | null;
  cost_max: number | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that created it */
  created_by: string;
  /** milliseconds since the epoch */
  changed_at: number;
  /** the API key on whose behalf its runs make their calls */
  changed_by: string;
}

export interface PauseJobBody { [name: string]: never }

export interface PauseJobAnswer {
  /** the id of a job: `job_…` */
  job_id: string;
  name: string;
  state: "active" | "paused";
  cron: string;
  time_zone: string;
  due_at: number | null;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  workspace_id: string;
  capability_token_id: string;
  /** the token of its runs, which grants the listed tools */
  run_token_id: string;
  tools: readonly string[];
  input: string;
  system: string | null;
  model: string;
  dialect: string;
  conversation: "fresh" | "kept";
  overlap: "skip" | "queue" | "allow";
  missed: "skip" | "run_once";
  scheduling_class: "interactive" | "background" | "maintenance";
  rounds_max: number | null;
  tokens_max: number | null;
  cost_max: number | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that created it */
  created_by: string;
  /** milliseconds since the epoch */
  changed_at: number;
  /** the API key on whose behalf its runs make their calls */
  changed_by: string;
}

export interface ResumeJobBody { [name: string]: never }

export interface ResumeJobAnswer {
  /** the id of a job: `job_…` */
  job_id: string;
  name: string;
  state: "active" | "paused";
  cron: string;
  time_zone: string;
  due_at: number | null;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  workspace_id: string;
  capability_token_id: string;
  /** the token of its runs, which grants the listed tools */
  run_token_id: string;
  tools: readonly string[];
  input: string;
  system: string | null;
  model: string;
  dialect: string;
  conversation: "fresh" | "kept";
  overlap: "skip" | "queue" | "allow";
  missed: "skip" | "run_once";
  scheduling_class: "interactive" | "background" | "maintenance";
  rounds_max: number | null;
  tokens_max: number | null;
  cost_max: number | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that created it */
  created_by: string;
  /** milliseconds since the epoch */
  changed_at: number;
  /** the API key on whose behalf its runs make their calls */
  changed_by: string;
}

export interface ListJobRunsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export interface ListJobRunsAnswer {
  items: readonly ({
    /** the id of a job start: `jst_…` */
    start_id: string;
    /** the id of a job: `job_…` */
    job_id: string;
    /** milliseconds since the epoch */
    due_at: number;
    /** whether it was requested, not due */
    by_hand: boolean;
    /** `queued`: waits for a run of the job; `skipped`: excluded by the overlap rule; `missed`: due while no orchestrator was running */
    state: "queued" | "started" | "skipped" | "missed" | "failed";
    reason: string | null;
    session_id: string | null;
    run_id: string | null;
    /** milliseconds since the epoch */
    created_at: number;
    started_at: number | null;
  })[];
  next_cursor: string | null;
}

export interface RunJobBody {
  idempotency_key?: string;
}

export interface RunJobAnswer {
  /** the id of a job start: `jst_…` */
  start_id: string;
  /** the id of a job: `job_…` */
  job_id: string;
  /** milliseconds since the epoch */
  due_at: number;
  /** whether it was requested, not due */
  by_hand: boolean;
  /** `queued`: waits for a run of the job; `skipped`: excluded by the overlap rule; `missed`: due while no orchestrator was running */
  state: "queued" | "started" | "skipped" | "missed" | "failed";
  reason: string | null;
  session_id: string | null;
  run_id: string | null;
  /** milliseconds since the epoch */
  created_at: number;
  started_at: number | null;
}

export interface ReadJobAnswer {
  /** the id of a job: `job_…` */
  job_id: string;
  name: string;
  state: "active" | "paused";
  cron: string;
  time_zone: string;
  due_at: number | null;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  workspace_id: string;
  capability_token_id: string;
  /** the token of its runs, which grants the listed tools */
  run_token_id: string;
  tools: readonly string[];
  input: string;
  system: string | null;
  model: string;
  dialect: string;
  conversation: "fresh" | "kept";
  overlap: "skip" | "queue" | "allow";
  missed: "skip" | "run_once";
  scheduling_class: "interactive" | "background" | "maintenance";
  rounds_max: number | null;
  tokens_max: number | null;
  cost_max: number | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that created it */
  created_by: string;
  /** milliseconds since the epoch */
  changed_at: number;
  /** the API key on whose behalf its runs make their calls */
  changed_by: string;
}

export interface ChangeJobBody {
  /** one to 64 letters, digits, blanks, `.`, `_`, `-` */
  name: string;
  /** five fields (minute, hour, day, month, weekday), or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly` */
  cron: string;
  /** an IANA time zone for the fields; default: `UTC` */
  time_zone?: string;
  workspace_id: string;
  /** the token of the agent, from which the token of the runs is derived */
  capability_token_id: string;
  input: string;
  /** one of `/v1/models` */
  model: string;
  /** the mutating tools that its runs may use; listing an administrative tool approves it */
  tools?: readonly string[];
  /** text at the end of the system prompt */
  system?: string;
  /** your own id of the person whom the session is about: its calls carry it, and an erasure can select texts by it */
  data_subject?: string;
  /** how the model writes its calls; default: `native`, the provider's format */
  dialect?: "native" | "blocks" | "tools-xml" | "yips";
  /** `fresh`: each run begins a new conversation; `kept`: all runs continue one */
  conversation?: "fresh" | "kept";
  /** handling of a start while a run of the job has not ended; default: `skip` */
  overlap?: "skip" | "queue" | "allow";
  /** handling of due times at which no orchestrator was running: none, or one run for all; default: `skip` */
  missed?: "skip" | "run_once";
  /** when calls of its runs are served among the waiting calls of the tenant; default: `background` */
  scheduling_class?: "interactive" | "background" | "maintenance";
  /** most replies of the model; default: 20, in `yips` 6 */
  rounds_max?: number;
  /** most tokens, input and output together */
  tokens_max?: number;
  /** most that it may cost, in millionths of the model's currency */
  cost_max?: number;
}

export interface ChangeJobAnswer {
  /** the id of a job: `job_…` */
  job_id: string;
  name: string;
  state: "active" | "paused";
  cron: string;
  time_zone: string;
  due_at: number | null;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  workspace_id: string;
  capability_token_id: string;
  /** the token of its runs, which grants the listed tools */
  run_token_id: string;
  tools: readonly string[];
  input: string;
  system: string | null;
  model: string;
  dialect: string;
  conversation: "fresh" | "kept";
  overlap: "skip" | "queue" | "allow";
  missed: "skip" | "run_once";
  scheduling_class: "interactive" | "background" | "maintenance";
  rounds_max: number | null;
  tokens_max: number | null;
  cost_max: number | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that created it */
  created_by: string;
  /** milliseconds since the epoch */
  changed_at: number;
  /** the API key on whose behalf its runs make their calls */
  changed_by: string;
}

export interface DeleteJobAnswer {
  /** the id of a job: `job_…` */
  job_id: string;
  name: string;
  state: "active" | "paused";
  cron: string;
  time_zone: string;
  due_at: number | null;
  /** the id of an agent: `agt_…` */
  agent_id: string;
  workspace_id: string;
  capability_token_id: string;
  /** the token of its runs, which grants the listed tools */
  run_token_id: string;
  tools: readonly string[];
  input: string;
  system: string | null;
  model: string;
  dialect: string;
  conversation: "fresh" | "kept";
  overlap: "skip" | "queue" | "allow";
  missed: "skip" | "run_once";
  scheduling_class: "interactive" | "background" | "maintenance";
  rounds_max: number | null;
  tokens_max: number | null;
  cost_max: number | null;
  /** milliseconds since the epoch */
  created_at: number;
  /** the API key that created it */
  created_by: string;
  /** milliseconds since the epoch */
  changed_at: number;
  /** the API key on whose behalf its runs make their calls */
  changed_by: string;
}

export interface ListResourcesQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  /** only resources of this kind */
  kind?: "agent" | "audio_device" | "calendar" | "container" | "info_store" | "mailbox" | "mcp_server" | "model" | "profile" | "sandbox" | "search_engine" | "skill" | "task" | "website";
  /** only resources of this name */
  name?: string;
  /** only those that this agent may use */
  agent_id?: string;
}

export type ListResourcesAnswer = ResourceList;

export type CreateResourceBody = NewResource;

export type CreateResourceAnswer = Resource;

export type ReadResourceAnswer = Resource;

export interface UpdateResourceBody {
  settings: AudioDeviceSettings | CalendarSettings | ContainerSettings | InfoStoreSettings | MailboxSettings | {
    /** streamable HTTP */
    transport: "http";
    /** the MCP endpoint: `https://host[:port]/path` */
    url: string;
    credential?: {
      /** `authorization` by default */
      header?: string;
      /** before the secret, with its space; `Bearer ` by default */
      prefix?: string;
      /** the name of a tenant's secret */
      secret: string;
    } | {
      /** OAuth 2.1, with authorization code and PKCE */
      oauth: {
        /** the id of the client that Writ is at the authorization server */
        client_id: string;
        /** the name of the tenant's secret that authenticates the client; takes `authorization_server`, and goes there alone */
        client_secret?: string;
        /** the scopes that a person is asked for */
        scopes: readonly string[];
        /** its issuer, `https://host[:port]/path`; by default the one that the server names */
        authorization_server?: string;
      };
    };
    /** calls under way per executor; 8 by default */
    calls_max?: number;
    /** what it may ask of the client that calls it; absent: nothing */
    asks?: readonly ("elicitation" | "elicitation_url" | "sampling" | "roots")[];
  } | {
    /** a program, over its standard input and output */
    transport: "stdio";
    /** the program and its arguments: no shell reads them */
    command: readonly string[];
    /** the name of the tenant's image that has the program; absent: the image of sandboxes */
    image?: string;
    /** variables of the program, beside a few that every program has */
    env?: {
      [name: string]: string | {
        /** the name of a tenant's secret */
        secret: string;
      };
    };
    /** hosts that it may reach during a call whose token grants them, too; absent: none */
    hosts?: readonly string[];
    /** of one process; 1024 by default */
    memory_mb?: number;
    /** calls under way per executor; 8 by default */
    calls_max?: number;
    /** what it may ask of the client that calls it; absent: nothing */
    asks?: readonly ("elicitation" | "elicitation_url" | "sampling" | "roots")[];
  } | ModelSettings | SearchEngineSettings | WebsiteSettings;
  /** the version that the new settings replace: another one is a `conflict` */
  expected_version: number;
}

export type UpdateResourceAnswer = Resource;

export type RemoveResourceAnswer = Resource;

export interface ListResourceGrantsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  /** only resources of this kind */
  kind?: "agent" | "audio_device" | "calendar" | "container" | "info_store" | "mailbox" | "mcp_server" | "model" | "profile" | "sandbox" | "search_engine" | "skill" | "task" | "website";
  /** only grants of this resource */
  resource_id?: string;
  /** only grants that count for this agent: its own and those of every agent */
  agent_id?: string;
}

export type ListResourceGrantsAnswer = ResourceGrantList;

export interface SetResourceGrantBody {
  kind: "agent" | "audio_device" | "calendar" | "container" | "info_store" | "mailbox" | "mcp_server" | "model" | "profile" | "sandbox" | "search_engine" | "skill" | "task" | "website";
  /** null: every resource of the kind; the only value for `create` */
  resource_id: string | null;
  right: "use" | "create";
  /** null: every agent of the tenant */
  agent_id: string | null;
  clearance: "autopilot" | "soft_gate" | "escalated";
}

export type SetResourceGrantAnswer = ResourceGrant;

export type RemoveResourceGrantAnswer = ResourceGrant;

export type ReadAudioDeviceAnswer = AudioDevice;

export type UploadAudioFramesAnswer = FramesReceived;

export interface ListExternalVersionsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  /** only this one */
  ref?: string;
}

export type ListExternalVersionsAnswer = ExternalVersionList;

export interface SetExternalVersionBody {
  /** a name, such as `deployment:shop/production` */
  ref: string;
  /** printable ASCII; what it means is between whoever sets and whoever names it */
  version: string;
  /** the current version; null where there is none yet */
  expected_version: string | null;
}

export type SetExternalVersionAnswer = ExternalVersion;

export interface ListSecretsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListSecretsAnswer = SecretList;

export interface SetSecretBody {
  name: string;
  /** the value in clear text */
  value: string;
  /** for people */
  note?: string;
}

export type SetSecretAnswer = Secret;

export type RemoveSecretAnswer = Secret;

export interface ListContainersQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListContainersAnswer = ContainerList;

export type ReadContainerLogsAnswer = ContainerLogs;

export interface KillContainerBody { [name: string]: never }

export type KillContainerAnswer = Container;

export interface ListSandboxesQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListSandboxesAnswer = SandboxList;

export interface PutSandboxBody {
  /** one to 64 small letters, digits, `.`, `_`, `-` */
  name: string;
  /** the workspace that its scripts run in */
  workspace_id: string;
  /** what it adds to the shipped rules: `mk8-rules.v1.json`, every member optional */
  rules?: {
    [name: string]: unknown;
  };
  /** the only templates that ProcRun may use; null: all */
  enabled_templates?: readonly string[] | null;
  /** operations by the name that Include uses */
  fragments?: {
    [name: string]: readonly unknown[];
  };
}

export type PutSandboxAnswer = SandboxPut;

export type ReadSandboxAnswer = SandboxWhole;

export interface RemoveSandboxAnswer {
  removed: string;
}

export interface SignSandboxBody {
  envelope: Envelope;
}

export type SignSandboxAnswer = SandboxWhole;

export interface ListRegistrarKeysQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListRegistrarKeysAnswer = RegistrarKeyList;

export interface AddRegistrarKeyBody {
  public_key: {
    kty: "OKP";
    crv: "Ed25519";
    x: string;
  };
  /** for people */
  note?: string;
}

export type AddRegistrarKeyAnswer = RegistrarKey;

export interface RetireRegistrarKeyBody { [name: string]: never }

export type RetireRegistrarKeyAnswer = RegistrarKey;

export interface RevokeRegistrarKeyBody { [name: string]: never }

export type RevokeRegistrarKeyAnswer = RegistrarKey;

export interface ListImagesQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListImagesAnswer = ImageList;

export interface CreateImageBody {
  /** one to 64 small letters, digits, `.`, `_`, `-` */
  name: string;
  source: ImageSource;
  /** tools whose calls run in it; profiles and programs name their image themselves */
  tools?: readonly string[];
}

export type CreateImageAnswer = Image;

export type ReadImageAnswer = Image;

export interface RemoveImageAnswer {
  removed: string;
}

export type ReadImageLogAnswer = ImageLog;

export interface ListExecutionProfilesQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListExecutionProfilesAnswer = ProfileList;

export interface CreateExecutionProfileBody {
  /** one to 64 small letters, digits, `.`, `_`, `-` */
  name: string;
  /** what may read a command */
  shells: readonly ("Bash" | "PowerShell" | "CommandPrompt" | "Git")[];
  limits: {
    /** the longest that a command may run */
    wall_ms: number;
    memory_bytes: number;
  };
  /** the only workspace that it is for; null: any */
  workspace_id?: string | null;
  /** variables that commands find; no secrets */
  environment?: {
    [name: string]: string;
  };
  /** hosts that a command may reach at most, where its token reaches them too */
  net?: readonly {
    domain: string;
    methods: readonly string[];
    /** the only ports; absent: 80 for http, 443 for https and `CONNECT`, and none for `TCP` and `TLS`, which need them named */
    ports?: readonly number[];
  }[];
  /** the user that commands run as, never root; the user `sandbox` (10001) unless set */
  user?: string | {
    uid: number;
    gid: number;
  };
  /** the tenant's image that commands run in; that of the tool unless set */
  image?: string;
}

export type CreateExecutionProfileAnswer = ProfilePut;

export type ReadExecutionProfileAnswer = Profile;

export interface RemoveExecutionProfileAnswer {
  removed: string;
}

export interface ListSkillsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListSkillsAnswer = SkillList;

export interface PutSkillBody {
  files: readonly ({
    /** relative to the folder */
    path: string;
    content: string;
    /** of `content`; default: utf8 */
    encoding?: "utf8" | "base64";
  })[];
}

export type PutSkillAnswer = SkillPut;

export type ReadSkillAnswer = SkillWhole;

export interface RemoveSkillAnswer {
  removed: string;
}

export type ListToolsAnswer = ToolList;

export interface ApplyToolsBody {
  tools?: readonly ({
    name: string;
    description: string;
    category: "read" | "write" | "admin";
    /** a program on the path of the image, or its absolute path */
    cmd: string;
    args?: readonly string[];
    parameters?: {
      [name: string]: {
        type: "string" | "integer" | "number" | "boolean";
        description?: string;
        /** false by default */
        optional?: boolean;
        enum?: readonly (string | number)[];
        /** RE2; the whole value must match */
        pattern?: string;
        minLength?: number;
        /** 4096 by default */
        maxLength?: number;
        minimum?: number;
        maximum?: number;
        /** whether a value may begin with `-`: false by default, since a program could take it for an option */
        leading_dash?: boolean;
      };
    };
    optional_args?: {
      [name: string]: readonly string[];
    };
    env?: {
      [name: string]: string;
    };
    /** 120000 by default */
    timeout_ms?: number;
    /** one to 64 small letters, digits, `.`, `_`, `-` */
    image?: string;
    /** 200000 by default */
    output_bytes?: number;
  })[];
  functions?: readonly ({
    name: string;
    title?: string;
    description: string;
    category: "read" | "write" | "admin";
    /** `pull`: a worker of the tenant takes permits; `caller`: the caller gets one and runs it itself; `inline` is an older name of `caller` */
    mode: "pull" | "caller" | "inline";
    parameters: {
      [name: string]: unknown;
    };
    result?: {
      [name: string]: unknown;
    };
    /** default: whether it only reads; see the same member of the stored tool */
    idempotent?: boolean;
    /** 120000 by default */
    timeout_ms?: number;
  })[];
  /** what `${NAME}` stands for in the environments of these tools */
  variables?: {
    [name: string]: string;
  };
  /** only report what would change */
  dry_run?: boolean;
}

export interface ApplyToolsAnswer {
  valid: boolean;
  problems: readonly {
    /** JSON pointer (RFC 6901) of the place in what was sent */
    pointer: string;
    message: string;
    /** what to do about it; empty where the message says it all */
    help: string;
  }[];
  tools: readonly ({
    tool_id: string;
    version: number;
    definition_digest: string;
    change: "created" | "changed" | "unchanged";
  })[];
}

export type ReadToolAnswer = Tool;

export interface RemoveToolAnswer {
  removed: string;
}

export interface ImportOpenApiBody {
  /** OpenAPI 3.0 or 3.1, JSON or YAML */
  document: string;
  options: {
    /** the part of the names of the tools after `api.`: lower case, digits and `_` */
    name: string;
    /** the address of the API over TLS; absent: that of the document */
    server?: string;
    server_variables?: {
      [name: string]: string;
    };
    secrets?: {
      [name: string]: string;
    };
    categories?: {
      [name: string]: "read" | "write" | "admin";
    };
    idempotency_headers?: {
      [name: string]: string;
    };
    /** operations, each may end in `*`; absent: all */
    include?: readonly string[];
    exclude?: readonly string[];
    /** whether deprecated operations are imported, too */
    deprecated?: boolean;
    /** of each call; 30000 by default */
    timeout_ms?: number;
  };
  /** an operation that has a problem keeps all from being registered */
  strict?: boolean;
  /** only report what would change */
  dry_run?: boolean;
}

export interface ImportOpenApiAnswer {
  title: string;
  server: string | null;
  operations: readonly ({
    method: string;
    path: string;
    operation: string | null;
    pointer: string;
    /** null: it was left out */
    tool_id: string | null;
    outcome: "tool" | "excluded" | "unusable";
  })[];
  /** why operations were left out */
  problems: readonly ({
    /** JSON pointer of the place in the document */
    pointer: string;
    of: "document" | "options";
    message: string;
    /** what to do about it; empty where the message says it all */
    help: string;
  })[];
  /** what of imported operations is not offered */
  notes: readonly ({
    /** JSON pointer of the place in the document */
    pointer: string;
    of: "document" | "options";
    message: string;
    /** what to do about it; empty where the message says it all */
    help: string;
  })[];
  /** the result for each tool; null: nothing was registered */
  applied: {
    valid: boolean;
    problems: readonly {
      /** JSON pointer (RFC 6901) of the place in what was sent */
      pointer: string;
      message: string;
      /** what to do about it; empty where the message says it all */
      help: string;
    }[];
    tools: readonly ({
      tool_id: string;
      version: number;
      definition_digest: string;
      change: "created" | "changed" | "unchanged";
    })[];
  } | null;
}

export interface ListMcpServersQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListMcpServersAnswer = McpServerList;

export type ReadMcpServerAnswer = McpServer;

export interface RefreshMcpServerBody { [name: string]: never }

export type RefreshMcpServerAnswer = McpServer;

export interface ListMcpServerToolsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  state?: "new" | "accepted" | "changed" | "gone" | "refused";
}

export type ListMcpServerToolsAnswer = McpServerToolList;

export interface AcceptMcpServerToolsBody {
  tools: readonly ({
    /** the tool's name at the server */
    name: string;
    /** of the definition that was looked at */
    digest: string;
    category?: "read" | "write" | "admin";
  })[];
}

export type AcceptMcpServerToolsAnswer = McpToolDecision;

export interface RefuseMcpServerToolsBody {
  tools: readonly {
    /** the tool's name at the server */
    name: string;
    /** of the definition that was looked at */
    digest: string;
  }[];
}

export type RefuseMcpServerToolsAnswer = McpToolDecision;

export interface AskMcpConnectionBody { [name: string]: never }

export interface AskMcpConnectionAnswer {
  /** the id of a connection: `con_…` */
  connection_id: string;
  /** the page that the person opens in a browser */
  url: string;
  /** until when it is good, in milliseconds since the epoch */
  expires_at: number;
}

export interface ListMcpConnectionsQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export interface ListMcpConnectionsAnswer {
  items: readonly ({
    /** the id of a connection: `con_…` */
    connection_id: string;
    /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
    server: string;
    state: "asked" | "confirmed" | "exchanging" | "connected" | "failed" | "ended";
    /** whether it is the caller's own */
    own: boolean;
    person: string | null;
    /** whether the server's tools are listed with its rights */
    lists: boolean;
    /** what was granted, as far as it is known; else what is asked for */
    scopes: readonly string[];
    issuer: string | null;
    problem: {
      code: "request.malformed" | "request.too_large" | "request.unsupported_media_type" | "request.wrong_host" | "request.method_not_allowed" | "auth.missing" | "auth.invalid" | "auth.role" | "auth.insufficient_scope" | "auth.issuer_unavailable" | "rate.limited" | "queue.full" | "not_found" | "conflict" | "tool.unknown" | "tool.not_available" | "tool.changed" | "args.invalid" | "args.too_large" | "path.invalid" | "path.escape" | "idempotency.missing" | "idempotency.mismatch" | "idempotency.expired" | "deadline" | "token.unknown" | "token.not_yet_valid" | "token.expired" | "token.revoked" | "token.agent" | "token.tool" | "token.scope" | "path.denied" | "token.not_narrower" | "token.depth" | "key.revoked" | "budget.exhausted" | "workspace.unknown" | "policy.args_changed" | "policy.unredactable" | "policy.args_untyped" | "policy.denied" | "policy.error" | "policy.invalid" | "policy.unreadable" | "approval.denied" | "approval.expired" | "approval.own_call" | "approval.stale" | "approval.previewed_anew" | "approval.effect_unseen" | "approval.voted" | "approval.not_delegated" | "approval.superseded" | "value.missing" | "secret.unknown" | "resolution.own_call" | "sandbox.unknown" | "sandbox.unverified" | "resource.unknown" | "resource.exists" | "agent.itself" | "agent.conflict" | "image.unknown" | "image.not_ready" | "image.unavailable" | "image.not_allowed" | "store.mismatch" | "store.unavailable" | "profile.unknown" | "shell.unavailable" | "sandbox.killed" | "cancelled" | "frozen" | "egress.refused" | "egress.failed" | "api.refused" | "api.failed" | "mcp.definition_changed" | "mcp.definition_gone" | "mcp.unreachable" | "mcp.busy" | "mcp.refused" | "mcp.failed" | "mcp.protocol" | "mcp.result_invalid" | "mcp.unsupported" | "mcp.consent_required" | "mcp.consent_not_yours" | "mcp.consent_failed" | "mcp.token_unavailable" | "mcp.authorization_unusable" | "calendar.unusable" | "calendar.refused" | "calendar.unreadable" | "mailbox.unusable" | "mailbox.refused" | "mailbox.not_private" | "mailbox.folder_unknown" | "mailbox.unreadable" | "precondition.failed" | "effect.out_of_scope" | "workspace.conflict" | "output.not_kept" | "workspace.quota" | "file.not_found" | "file.kind" | "file.too_large" | "edit.no_match" | "edit.ambiguous" | "skill.unknown" | "task.unknown" | "search.pattern" | "command.failed" | "command.timeout" | "command.too_long" | "command.killed" | "session.lost" | "session.diverged" | "session.busy" | "session.idle" | "session.conflict" | "limit.exceeded" | "effect.invalid" | "secret.in_delta" | "attempts.exhausted" | "effect.ambiguous" | "function.failed" | "function.result_invalid" | "permit.invalid" | "permit.expired" | "permit.spent" | "attempt.fenced" | "overloaded" | "record.backlog" | "record.invalid" | "record.too_large" | "receipt.pending" | "ledger.diverged" | "ledger.unavailable" | "bus.unreachable" | "database.unavailable" | "blob.missing" | "blob.corrupt" | "sandbox.unavailable" | "audio.unreadable" | "audio.too_long" | "transcription.model_unknown" | "transcription.unavailable" | "transcription.failed" | "version.unsupported" | "internal";
      /** without anything that the server sent, or shown as its words */
      message: string;
    } | null;
    /** milliseconds since the epoch */
    created_at: number;
    expires_at: number | null;
    connected_at: number | null;
    used_at: number | null;
    ended_at: number | null;
  })[];
  next_cursor: string | null;
}

export interface AskListingMcpConnectionBody { [name: string]: never }

export interface AskListingMcpConnectionAnswer {
  /** the id of a connection: `con_…` */
  connection_id: string;
  /** the page that the person opens in a browser */
  url: string;
  /** until when it is good, in milliseconds since the epoch */
  expires_at: number;
}

export interface ReadMcpConnectionAnswer {
  /** the id of a connection: `con_…` */
  connection_id: string;
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  server: string;
  state: "asked" | "confirmed" | "exchanging" | "connected" | "failed" | "ended";
  /** whether it is the caller's own */
  own: boolean;
  person: string | null;
  /** whether the server's tools are listed with its rights */
  lists: boolean;
  /** what was granted, as far as it is known; else what is asked for */
  scopes: readonly string[];
  issuer: string | null;
  problem: {
    code: "request.malformed" | "request.too_large" | "request.unsupported_media_type" | "request.wrong_host" | "request.method_not_allowed" | "auth.missing" | "auth.invalid" | "auth.role" | "auth.insufficient_scope" | "auth.issuer_unavailable" | "rate.limited" | "queue.full" | "not_found" | "conflict" | "tool.unknown" | "tool.not_available" | "tool.changed" | "args.invalid" | "args.too_large" | "path.invalid" | "path.escape" | "idempotency.missing" | "idempotency.mismatch" | "idempotency.expired" | "deadline" | "token.unknown" | "token.not_yet_valid" | "token.expired" | "token.revoked" | "token.agent" | "token.tool" | "token.scope" | "path.denied" | "token.not_narrower" | "token.depth" | "key.revoked" | "budget.exhausted" | "workspace.unknown" | "policy.args_changed" | "policy.unredactable" | "policy.args_untyped" | "policy.denied" | "policy.error" | "policy.invalid" | "policy.unreadable" | "approval.denied" | "approval.expired" | "approval.own_call" | "approval.stale" | "approval.previewed_anew" | "approval.effect_unseen" | "approval.voted" | "approval.not_delegated" | "approval.superseded" | "value.missing" | "secret.unknown" | "resolution.own_call" | "sandbox.unknown" | "sandbox.unverified" | "resource.unknown" | "resource.exists" | "agent.itself" | "agent.conflict" | "image.unknown" | "image.not_ready" | "image.unavailable" | "image.not_allowed" | "store.mismatch" | "store.unavailable" | "profile.unknown" | "shell.unavailable" | "sandbox.killed" | "cancelled" | "frozen" | "egress.refused" | "egress.failed" | "api.refused" | "api.failed" | "mcp.definition_changed" | "mcp.definition_gone" | "mcp.unreachable" | "mcp.busy" | "mcp.refused" | "mcp.failed" | "mcp.protocol" | "mcp.result_invalid" | "mcp.unsupported" | "mcp.consent_required" | "mcp.consent_not_yours" | "mcp.consent_failed" | "mcp.token_unavailable" | "mcp.authorization_unusable" | "calendar.unusable" | "calendar.refused" | "calendar.unreadable" | "mailbox.unusable" | "mailbox.refused" | "mailbox.not_private" | "mailbox.folder_unknown" | "mailbox.unreadable" | "precondition.failed" | "effect.out_of_scope" | "workspace.conflict" | "output.not_kept" | "workspace.quota" | "file.not_found" | "file.kind" | "file.too_large" | "edit.no_match" | "edit.ambiguous" | "skill.unknown" | "task.unknown" | "search.pattern" | "command.failed" | "command.timeout" | "command.too_long" | "command.killed" | "session.lost" | "session.diverged" | "session.busy" | "session.idle" | "session.conflict" | "limit.exceeded" | "effect.invalid" | "secret.in_delta" | "attempts.exhausted" | "effect.ambiguous" | "function.failed" | "function.result_invalid" | "permit.invalid" | "permit.expired" | "permit.spent" | "attempt.fenced" | "overloaded" | "record.backlog" | "record.invalid" | "record.too_large" | "receipt.pending" | "ledger.diverged" | "ledger.unavailable" | "bus.unreachable" | "database.unavailable" | "blob.missing" | "blob.corrupt" | "sandbox.unavailable" | "audio.unreadable" | "audio.too_long" | "transcription.model_unknown" | "transcription.unavailable" | "transcription.failed" | "version.unsupported" | "internal";
    /** without anything that the server sent, or shown as its words */
    message: string;
  } | null;
  /** milliseconds since the epoch */
  created_at: number;
  expires_at: number | null;
  connected_at: number | null;
  used_at: number | null;
  ended_at: number | null;
}

export interface EndMcpConnectionAnswer {
  /** the id of a connection: `con_…` */
  connection_id: string;
  /** unique within its kind: up to 64 letters, digits, `_`, `-` and `.` */
  server: string;
  state: "asked" | "confirmed" | "exchanging" | "connected" | "failed" | "ended";
  /** whether it is the caller's own */
  own: boolean;
  person: string | null;
  /** whether the server's tools are listed with its rights */
  lists: boolean;
  /** what was granted, as far as it is known; else what is asked for */
  scopes: readonly string[];
  issuer: string | null;
  problem: {
    code: "request.malformed" | "request.too_large" | "request.unsupported_media_type" | "request.wrong_host" | "request.method_not_allowed" | "auth.missing" | "auth.invalid" | "auth.role" | "auth.insufficient_scope" | "auth.issuer_unavailable" | "rate.limited" | "queue.full" | "not_found" | "conflict" | "tool.unknown" | "tool.not_available" | "tool.changed" | "args.invalid" | "args.too_large" | "path.invalid" | "path.escape" | "idempotency.missing" | "idempotency.mismatch" | "idempotency.expired" | "deadline" | "token.unknown" | "token.not_yet_valid" | "token.expired" | "token.revoked" | "token.agent" | "token.tool" | "token.scope" | "path.denied" | "token.not_narrower" | "token.depth" | "key.revoked" | "budget.exhausted" | "workspace.unknown" | "policy.args_changed" | "policy.unredactable" | "policy.args_untyped" | "policy.denied" | "policy.error" | "policy.invalid" | "policy.unreadable" | "approval.denied" | "approval.expired" | "approval.own_call" | "approval.stale" | "approval.previewed_anew" | "approval.effect_unseen" | "approval.voted" | "approval.not_delegated" | "approval.superseded" | "value.missing" | "secret.unknown" | "resolution.own_call" | "sandbox.unknown" | "sandbox.unverified" | "resource.unknown" | "resource.exists" | "agent.itself" | "agent.conflict" | "image.unknown" | "image.not_ready" | "image.unavailable" | "image.not_allowed" | "store.mismatch" | "store.unavailable" | "profile.unknown" | "shell.unavailable" | "sandbox.killed" | "cancelled" | "frozen" | "egress.refused" | "egress.failed" | "api.refused" | "api.failed" | "mcp.definition_changed" | "mcp.definition_gone" | "mcp.unreachable" | "mcp.busy" | "mcp.refused" | "mcp.failed" | "mcp.protocol" | "mcp.result_invalid" | "mcp.unsupported" | "mcp.consent_required" | "mcp.consent_not_yours" | "mcp.consent_failed" | "mcp.token_unavailable" | "mcp.authorization_unusable" | "calendar.unusable" | "calendar.refused" | "calendar.unreadable" | "mailbox.unusable" | "mailbox.refused" | "mailbox.not_private" | "mailbox.folder_unknown" | "mailbox.unreadable" | "precondition.failed" | "effect.out_of_scope" | "workspace.conflict" | "output.not_kept" | "workspace.quota" | "file.not_found" | "file.kind" | "file.too_large" | "edit.no_match" | "edit.ambiguous" | "skill.unknown" | "task.unknown" | "search.pattern" | "command.failed" | "command.timeout" | "command.too_long" | "command.killed" | "session.lost" | "session.diverged" | "session.busy" | "session.idle" | "session.conflict" | "limit.exceeded" | "effect.invalid" | "secret.in_delta" | "attempts.exhausted" | "effect.ambiguous" | "function.failed" | "function.result_invalid" | "permit.invalid" | "permit.expired" | "permit.spent" | "attempt.fenced" | "overloaded" | "record.backlog" | "record.invalid" | "record.too_large" | "receipt.pending" | "ledger.diverged" | "ledger.unavailable" | "bus.unreachable" | "database.unavailable" | "blob.missing" | "blob.corrupt" | "sandbox.unavailable" | "audio.unreadable" | "audio.too_long" | "transcription.model_unknown" | "transcription.unavailable" | "transcription.failed" | "version.unsupported" | "internal";
    /** without anything that the server sent, or shown as its words */
    message: string;
  } | null;
  /** milliseconds since the epoch */
  created_at: number;
  expires_at: number | null;
  connected_at: number | null;
  used_at: number | null;
  ended_at: number | null;
}

export interface ListWebhooksQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
}

export type ListWebhooksAnswer = WebhookList;

export interface CreateWebhookBody {
  /** one to 64 letters, digits, blanks, `.`, `_`, `-` */
  name: string;
  /** `https://`, at a public address */
  url: string;
  /** the kinds of messages that it receives */
  events: readonly ("approval.pending" | "approval.voted" | "approval.approved" | "approval.denied" | "approval.expired" | "approval.cancelled" | "approval.superseded" | "operation.ambiguous" | "operation.resolved" | "mcp_server.tools_new" | "mcp_server.tools_changed" | "mcp_server.tools_gone" | "mcp_server.failing" | "mcp_server.recovered" | "run.finished")[];
}

export type CreateWebhookAnswer = NewWebhook;

export interface RotateWebhookSecretBody {
  /** default: a day */
  overlap_ms?: number;
}

export type RotateWebhookSecretAnswer = NewWebhook;

export interface PingWebhookBody { [name: string]: never }

export type PingWebhookAnswer = Delivery;

export interface ListDeliveriesQuery {
  /** `next_cursor` of the page before */
  cursor?: string;
  /** rows of a page; default: 50 */
  limit?: number;
  state?: "pending" | "delivered" | "failed";
}

export type ListDeliveriesAnswer = DeliveryList;

export interface RedeliverBody { [name: string]: never }

export type RedeliverAnswer = Delivery;

export type ReadWebhookAnswer = Webhook;

export interface ChangeWebhookBody {
  /** one to 64 letters, digits, blanks, `.`, `_`, `-` */
  name: string;
  /** `https://`, at a public address */
  url: string;
  /** the kinds of messages that it receives */
  events: readonly ("approval.pending" | "approval.voted" | "approval.approved" | "approval.denied" | "approval.expired" | "approval.cancelled" | "approval.superseded" | "operation.ambiguous" | "operation.resolved" | "mcp_server.tools_new" | "mcp_server.tools_changed" | "mcp_server.tools_gone" | "mcp_server.failing" | "mcp_server.recovered" | "run.finished")[];
  state: "active" | "disabled";
}

export type ChangeWebhookAnswer = Webhook;

export type DeleteWebhookAnswer = Webhook;

export interface ReadSignaturesAnswer {
  signatures: readonly {
    /** RFC 7638 thumbprint of the record key */
    keyid: string;
    /** base64 */
    sig: string;
  }[];
}

export interface ReadInclusionQuery {
  /** of the record, as in its receipt */
  leaf_index: number;
}

export type ReadInclusionAnswer = Inclusion;

export interface ReadConsistencyQuery {
  /** the smaller tree size */
  from: number;
  /** the larger one, at most the newest checkpoint's */
  to: number;
}

export interface ReadConsistencyAnswer {
  from: number;
  to: number;
  hashes: readonly string[];
}

export interface ExportRecordsQuery {
  /** `dsse`, the default: `{leaf_index, envelope}` with the signed envelope; `receipt`: the receipt for `writ verify`; `cloudevents`: CloudEvents 1.0; `ocsf`: OCSF 1.4.0, API Activity */
  format?: "dsse" | "receipt" | "cloudevents" | "ocsf";
  /** the leaf index of the last line that was read; default: from the beginning */
  after?: number;
  /** most records to export */
  limit?: number;
  /** whether to continue with new records as they are logged, with an empty line as a heartbeat; otherwise the export ends where the log ended at its start */
  follow?: boolean;
}

export interface ExportBundleQuery {
  /** the session whose operations to export; instead of a range */
  session?: string;
  /** milliseconds since the epoch; default: from the beginning */
  since?: number;
  /** milliseconds since the epoch, exclusive; default: to the end */
  until?: number;
}

export interface ListRecordsQuery {
  /** the id of an agent: `agt_…` */
  agent?: string;
  tool?: string;
  session?: string;
  /** the id of an operation: `op_…` */
  operation?: string;
  type?: "tool_call" | "approval" | "token" | "policy" | "resolution" | "erasure" | "key" | "workspace" | "change";
  verdict?: "admitted" | "refused" | "held";
  outcome?: "committed" | "rolled_back" | "no_op" | "ambiguous";
  risk_min?: number;
  risk_max?: number;
  /** recorded then or later */
  since?: string;
  /** recorded before */
  until?: string;
  /** an id in the record: workspace, token, policy set, image, approval, created snapshot or delta, changed subject; a `*` at its end matches a prefix */
  resource?: string;
  /** words of rule ids, fault code, risk basis and change; all must match, and joined words such as `policy.denied` must be adjacent */
  text?: string;
  /** by the time of the record; default: `newest` */
  order?: "newest" | "oldest";
  /** rows of a page; default: 50 */
  limit?: number;
  /** `next_cursor` of the page before, with the same filters */
  cursor?: string;
}

export type ListRecordsAnswer = RecordPage;

export type ReadRecordAnswer = RecordEntry;

export type ReadHealthAnswer = Health;

export type ReadReadinessAnswer = Readiness;

export type ReadDocumentAnswer = {
  [name: string]: unknown;
};

export type ReadPublicKeysAnswer = PublicKeys;

export interface ReadProtectedResourceAnswer {
  /** what a token's `aud` must contain: RFC 8707 */
  resource: string;
  /** issuers that the operator names; absent: ask your administrator */
  authorization_servers?: readonly string[];
  /** scopes that give a role, unless the registration of the issuer names others */
  scopes_supported: readonly string[];
  bearer_methods_supported: readonly "header"[];
  resource_name: string;
}

export interface ReadProtectedMcpResourceAnswer {
  /** what a token's `aud` must contain: RFC 8707 */
  resource: string;
  /** issuers that the operator names; absent: ask your administrator */
  authorization_servers?: readonly string[];
  /** scopes that give a role, unless the registration of the issuer names others */
  scopes_supported: readonly string[];
  bearer_methods_supported: readonly "header"[];
  resource_name: string;
}
