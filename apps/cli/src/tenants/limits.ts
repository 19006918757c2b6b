// SPDX-License-Identifier: Apache-2.0
import { TenantLimitsView, type TenantLimitsChange } from '@writ/contract';
import { Command, InvalidArgumentError } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { boundsOf, FILES, usageText, parseBound, type Bound } from '../quota.ts';
import { fieldsOf, momentOf } from '../terminal.ts';

interface LimitOptions extends CommonOptions {
  readonly requestsPerSecond?: number | 'default';
  readonly requestBurst?: number | 'default';
  readonly personRequestsPerSecond?: number | 'none';
  readonly personRequestBurst?: number | 'none';
  readonly weight?: number;
  readonly runningMax?: number;
  readonly waitingMax?: number;
  readonly filesMax?: Bound;
  readonly bytesMax?: Bound;
  readonly outputsBytesMax?: Bound;
}

const AS_CONFIGURED = 'as the orchestrator is configured';

/** `writ tenant limits TENANT`: shows the limits, and sets those that options name. */
export function limitsCommand(context: Context): Command {
  const command = limitOptions(new Command('limits'));
  command.action(async (tenant: string) => {
    const options = command.optsWithGlobals<LimitOptions>();
    const { client } = connect(context, options, 'platform');
    const change = changeOf(options);
    const path = `/v1/tenants/${encodeURIComponent(tenant)}/limits`;
    const limits = await client.read(
      TenantLimitsView,
      path,
      Object.keys(change).length === 0 ? {} : { method: 'PATCH', body: change },
    );
    show(context, options, limits, () =>
      fieldsOf({
        tenant: limits.tenant_id,
        'requests/second': String(limits.requests_per_second ?? AS_CONFIGURED),
        'request burst': String(limits.request_burst ?? AS_CONFIGURED),
        'requests/second of a person': String(limits.person_requests_per_second ?? 'any number'),
        'request burst of a person': String(limits.person_request_burst ?? 'as many'),
        weight: String(limits.weight),
        'running at most': String(limits.running_max),
        'waiting at most': String(limits.waiting_max),
        files: usageText(limits.files, limits.files_max),
        bytes: usageText(limits.bytes, limits.bytes_max),
        'bytes of outputs': usageText(limits.outputs_bytes, limits.outputs_bytes_max),
        set: limits.changed_at === null ? 'never' : momentOf(limits.changed_at),
      }),
    );
  });
  return command;
}

const limitOptions = (command: Command): Command =>
  command
    .description('the limits of a tenant; options set them')
    .argument('<tenant>')
    .option(
      '--requests-per-second <count>',
      `at each replica of the orchestrator; \`default\`: ${AS_CONFIGURED}`,
      parseOrDefault,
    )
    .option(
      '--request-burst <count>',
      `requests at once, at each replica of the orchestrator; \`default\`: ${AS_CONFIGURED}`,
      parseOrDefault,
    )
    .option(
      '--person-requests-per-second <count>',
      'of each person, and of each key without one; `none`: without bound',
      parseOrNone,
    )
    .option('--person-request-burst <count>', 'requests at once of each person; `none`: as many a second', parseOrNone)
    .option('--weight <count>', 'its share of shared capacity, 1 to 1000', parseAmount)
    .option('--running-max <count>', 'maximum calls that run at once', parseAmount)
    .option('--waiting-max <count>', 'maximum calls that wait for an executor', parseAmount)
    .option('--files-max <count>', `${FILES} in all its workspaces; \`none\`: without bound`, parseBound)
    .option('--bytes-max <count>', `bytes of them in all its workspaces; \`none\`: without bound`, parseBound)
    .option('--outputs-bytes-max <count>', 'bytes of full outputs kept at once; `none`: without limit', parseBound);

function changeOf({
  requestsPerSecond,
  requestBurst,
  personRequestsPerSecond,
  personRequestBurst,
  weight,
  runningMax,
  waitingMax,
  filesMax,
  bytesMax,
  outputsBytesMax,
}: LimitOptions): TenantLimitsChange {
  const named = {
    requests_per_second: requestsPerSecond,
    request_burst: requestBurst,
    person_requests_per_second: personRequestsPerSecond,
    person_request_burst: personRequestBurst,
    weight,
    running_max: runningMax,
    waiting_max: waitingMax,
  };
  const changed = Object.entries(named).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value === 'default' || value === 'none' ? null : value] as const],
  );
  return {
    ...Object.fromEntries(changed),
    ...boundsOf({ files_max: filesMax, bytes_max: bytesMax, outputs_bytes_max: outputsBytesMax }),
  };
}

function parseAmount(text: string): number {
  const amount = Number(text);
  if (!/^\d{1,7}$/.test(text) || amount < 1) throw new InvalidArgumentError(`\`${text}\` is no number from 1`);
  return amount;
}

function parseOrNone(text: string): number | 'none' {
  return text === 'none' ? text : parseAmount(text);
}

function parseOrDefault(text: string): number | 'default' {
  return text === 'default' ? text : parseAmount(text);
}
