// SPDX-License-Identifier: Apache-2.0
import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useConnection } from '../../data/live.ts';
import { useSession } from '../../data/session.ts';
import { useStartRun } from '../../data/sessions.ts';
import controls from '../../design/controls.module.css';
import { errorText } from '../../parts/loading.tsx';
import { Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import styles from './sessions.module.css';

/** The most characters of a message. */
const INPUT_CHARS_MAX = 200_000;

/** The field in which a person gives the agent its next task. */
export function Composer({ sessionId }: { readonly sessionId: string }): ReactNode {
  const { me } = useSession();
  if (me.role !== 'admin') return <p className={styles['composer']}>{en.sessions.mayNotStart}</p>;
  return <Field sessionId={sessionId} />;
}

function Field({ sessionId }: { readonly sessionId: string }): ReactNode {
  const start = useStartRun(sessionId);
  const isLost = useConnection() === 'lost';
  const [input, setInput] = useState('');
  // INVARIANT (sent once): the same words keep their key, so that a message whose answer was lost starts one run.
  const key = useRef(crypto.randomUUID());
  const change = (text: string): void => {
    key.current = crypto.randomUUID();
    setInput(text);
  };
  const mayNot = start.isPending || isLost || input.trim() === '';
  const send = (): void => {
    if (!mayNot) start.mutate({ input, key: key.current }, { onSuccess: () => change('') });
  };
  return (
    <form
      className={styles['composer']}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label className={controls['visuallyHidden']} htmlFor="message">
        {en.sessions.message}
      </label>
      <textarea
        id="message"
        className={controls['area']}
        placeholder={en.sessions.message}
        aria-describedby="message-hint"
        maxLength={INPUT_CHARS_MAX}
        rows={2}
        readOnly={start.isPending}
        value={input}
        onChange={({ target }) => change(target.value)}
        onKeyDown={(event) => sendsAt(event) && (event.preventDefault(), send())}
      />
      {start.isError ? <Refused error={start.error} /> : null}
      <div className={styles['composerFoot']}>
        <span id="message-hint" className={controls['hint']}>
          {en.sessions.messageHint}
        </span>
        <button type="submit" className={`${controls['button']} ${controls['main']}`} disabled={mayNot}>
          {start.isPending ? en.sessions.sending : en.sessions.send}
        </button>
      </div>
    </form>
  );
}

const Refused = ({ error }: { readonly error: unknown }): ReactNode => (
  <p className={`${controls['note']} ${controls['bad']}`} role="alert">
    <Shown text={errorText(error)} />
  </p>
);

/** Enter sends, but not while it ends a composed character. */
const sendsAt = ({ key, shiftKey, nativeEvent }: KeyboardEvent): boolean =>
  key === 'Enter' && !shiftKey && !nativeEvent.isComposing;
