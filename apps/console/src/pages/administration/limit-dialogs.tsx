// SPDX-License-Identifier: Apache-2.0
import type { CallSettings, Retention } from '@writ/client/web';
import { useState, type ReactNode } from 'react';
import { useLimitChanges } from '../../data/limits.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { administration } from '../../words/administration.ts';
import { TextField } from './bits.tsx';
import { msOf, pathsOf, secondsText, wholeOf, wholeText } from './limit-drafts.ts';

const words = administration.limits;
const PATHS_CHARS_MAX = 100_000;

interface CallsGiven {
  readonly settings: CallSettings;
  readonly close: () => void;
}

export function CallsDialog({ settings, close }: CallsGiven): ReactNode {
  const { setCalls } = useLimitChanges();
  const [allowed, setAllowed] = useState(settings.allowed_paths.join('\n'));
  const [denied, setDenied] = useState(settings.denied_paths.join('\n'));
  const [output, setOutput] = useState(String(settings.output_bytes));
  const [command, setCommand] = useState(secondsText(settings.command_ms));
  const [outputBytes, commandMs] = [wholeOf(output), msOf(command)];
  return (
    <ConfirmDialog
      title={words.callsTitle}
      action={words.edit}
      mayRun={typeof outputBytes === 'number' && commandMs !== undefined}
      run={async () => {
        if (typeof outputBytes !== 'number' || commandMs === undefined) return;
        await setCalls({
          allowed_paths: pathsOf(allowed),
          denied_paths: pathsOf(denied),
          output_bytes: outputBytes,
          command_ms: commandMs,
        });
      }}
      close={close}
    >
      <p>{words.callsText}</p>
      <Paths label={words.allowed} isFirst value={allowed} change={setAllowed} />
      <Paths label={words.denied} value={denied} change={setDenied} />
      <TextField label={words.output} isRequired value={output} change={setOutput} />
      <TextField label={words.command} hint={words.commandHint} value={command} change={setCommand} />
    </ConfirmDialog>
  );
}

interface PathsGiven {
  readonly label: string;
  readonly isFirst?: boolean;
  readonly value: string;
  readonly change: (value: string) => void;
}

const Paths = (given: PathsGiven): ReactNode => (
  <TextField {...given} hint={words.pathsHint} isLong max={PATHS_CHARS_MAX} />
);

interface RetentionGiven {
  readonly retention: Retention;
  readonly close: () => void;
}

export function RetentionDialog({ retention, close }: RetentionGiven): ReactNode {
  const { setRetention } = useLimitChanges();
  const [payload, setPayload] = useState(wholeText(retention.payload_days));
  const [output, setOutput] = useState(wholeText(retention.output_days));
  const [payloadDays, outputDays] = [wholeOf(payload), wholeOf(output)];
  return (
    <ConfirmDialog
      title={words.retentionTitle}
      action={words.edit}
      isDangerous
      mayRun={payloadDays !== undefined && outputDays !== undefined}
      run={async () => {
        if (payloadDays === undefined || outputDays === undefined) return;
        await setRetention({ payload_days: payloadDays, output_days: outputDays });
      }}
      close={close}
    >
      <p>{words.retentionText}</p>
      <TextField label={words.payloadDays} hint={words.daysHint} isFirst value={payload} change={setPayload} />
      <TextField label={words.outputDays} hint={words.daysHint} value={output} change={setOutput} />
    </ConfirmDialog>
  );
}
