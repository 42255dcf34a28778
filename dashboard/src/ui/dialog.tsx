// Dialogs: the browser's own <dialog>, which keeps the focus inside and closes
// with Escape.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../base/prefs";
import { Button, IconButton } from "./button";

interface DialogProps {
  title: string;
  children: ComponentChildren;
  onClose: () => void;
  /** Cannot be closed but by what is in it. */
  fixed?: boolean;
  wide?: boolean;
}

export function Dialog({ title, children, onClose, fixed, wide }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = box.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={box} class={wide ? "dialog wide" : "dialog"} aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        if (!fixed) {
          onClose();
        }
      }}>
      <header>
        <h2 id="dialog-title">{title}</h2>
        {!fixed && <IconButton icon="close" label={t("do.close")} onClick={onClose} />}
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

// ---- are you sure: only for what cannot be undone ----------------------------

interface Question {
  title: string;
  text: string;
  action: string;
  done: (yes: boolean) => void;
}

const question = signal<Question | null>(null);

export function confirmed(title: string, text: string, action: string): Promise<boolean> {
  return new Promise((done) => {
    question.value = { title, text, action, done };
  });
}

export function Confirm() {
  const asked = question.value;
  if (!asked) {
    return null;
  }
  const answer = (yes: boolean) => {
    question.value = null;
    asked.done(yes);
  };
  return (
    <Dialog title={asked.title} onClose={() => answer(false)}>
      <p>{asked.text}</p>
      <footer class="actions end">
        <Button onClick={() => answer(false)}>{t("do.cancel")}</Button>
        <Button look="danger" onClick={() => answer(true)}>{asked.action}</Button>
      </footer>
    </Dialog>
  );
}
