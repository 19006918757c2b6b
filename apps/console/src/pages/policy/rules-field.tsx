// SPDX-License-Identifier: Apache-2.0
import { useEffect, useImperativeHandle, useRef, useState, type ReactNode, type Ref } from 'react';
import controls from '../../design/controls.module.css';
import { errorText } from '../../parts/loading.tsx';
import { en } from '../../words/en.ts';
import type { CedarEditor } from './cedar-editor.ts';
import type { DraftProblem } from './document.ts';
import styles from './policy.module.css';

/** What others may do with the field. */
export interface RulesFieldHandle {
  readonly goTo: (line: number) => void;
}

interface FieldGiven {
  /** the text that it begins with: what is typed later is its own */
  readonly initial: string;
  readonly change: (text: string) => void;
  readonly problems: readonly DraftProblem[];
  readonly ref: Ref<RulesFieldHandle>;
}

/** The field of rules. Its editor is loaded for it. */
export function RulesField({ initial, change, problems, ref }: FieldGiven): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<CedarEditor | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const given = useRef({ initial, change });
  given.current.change = change;
  useEffect(() => {
    let opened: CedarEditor | null = null;
    let isGone = false;
    const open = async (): Promise<void> => {
      const { openCedarEditor } = await import('./cedar-editor.ts');
      if (isGone || host.current === null) return;
      const text = given.current.initial;
      opened = openCedarEditor({ host: host.current, text, changed: (now) => given.current.change(now) });
      setEditor(opened);
    };
    open().catch((error: unknown) => setFailure(errorText(error)));
    return () => {
      isGone = true;
      opened?.close();
    };
  }, []);
  useEffect(() => editor?.mark(problems), [editor, problems]);
  useImperativeHandle(ref, () => ({ goTo: (line) => editor?.goTo(line) }), [editor]);
  return (
    <div className={styles['editor']}>
      <div ref={host} data-takes-letters="" />
      {editor === null && failure === null ? <p className={controls['hint']}>{en.policy.editor.loading}</p> : null}
      {failure === null ? null : <p role="alert">{failure}</p>}
    </div>
  );
}
