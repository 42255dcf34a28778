// Forms: values as signals, errors beside their fields.  A field's name is its
// place in the body with dots, "budget.daily", so that the API's pointers find
// it.  A refusal loses nothing of what was typed.

import { signal, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useMemo } from "preact/hooks";
import { Problem } from "../api/problem";
import { changedValues, fieldOf, type Values } from "../base/form";
import { t } from "../base/prefs";
import { leaving } from "../base/router";
import { Button } from "./button";
import { explained, Failed } from "./feedback";

export interface FormState<T extends Values> {
  values: Signal<T>;
  errors: Signal<Record<string, string>>;
  problem: Signal<Problem | null>;
  busy: Signal<boolean>;
  dirty: Signal<boolean>;
  set: (name: keyof T & string, value: string) => void;
  reset: (values: T) => void;
}

export function newForm<T extends Values>(start: T): FormState<T> {
  const form: FormState<T> = {
    values: signal(start),
    errors: signal({}),
    problem: signal(null),
    busy: signal(false),
    dirty: signal(false),
    set(name, value) {
      form.values.value = { ...form.values.value, [name]: value };
      form.dirty.value = true;
      if (form.errors.value[name]) {
        const { [name]: _, ...rest } = form.errors.value;
        form.errors.value = rest;
      }
    },
    reset(values) {
      form.values.value = values;
      form.errors.value = {};
      form.problem.value = null;
      form.dirty.value = false;
    },
  };
  return form;
}

/** A form that lives as long as its component. */
export function useForm<T extends Values>(start: () => T): FormState<T> {
  return useMemo(() => newForm(start()), []);
}

/** Onto what was changed elsewhere since `before`, with one's own changes kept. */
export function rebase<T extends Values>(form: FormState<T>, before: T, newer: T): void {
  form.reset({ ...newer, ...changedValues(before, form.values.value) });
  form.dirty.value = true;
}

/** Work that is not saved is not left without a question. */
export function useGuard(form: { dirty: Signal<boolean> }): void {
  useEffect(() => {
    leaving.value = () => !form.dirty.value || confirm(t("form.leave"));
    const stay = (event: BeforeUnloadEvent) => {
      if (form.dirty.value) {
        event.preventDefault();
      }
    };
    addEventListener("beforeunload", stay);
    return () => {
      leaving.value = null;
      removeEventListener("beforeunload", stay);
    };
  }, [form]);
}

function refuse(form: FormState<Values>, error: unknown): void {
  if (!(error instanceof Problem)) {
    throw error;
  }
  const names = Object.keys(form.values.value);
  const errors: Record<string, string> = {};
  for (const [pointer, detail] of Object.entries(error.fields)) {
    const name = fieldOf(pointer, names);
    if (name) {
      errors[name] = detail;
    }
  }
  form.errors.value = errors;
  form.problem.value = error;
}

interface FormProps<T extends Values> {
  form: FormState<T>;
  onSubmit: (values: T) => Promise<void>;
  children: ComponentChildren;
  action: string;
  /** Beside the button. */
  extra?: ComponentChildren;
  wide?: boolean;
}

/** The form itself: what failed on top, the action below. */
export function Form<T extends Values>({ form, onSubmit, children, action, extra, wide }:
  FormProps<T>) {
  const id = useId();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (form.busy.value) {
      return;
    }
    form.busy.value = true;
    form.problem.value = null;
    try {
      await onSubmit(form.values.value);
    } catch (error) {
      refuse(form as unknown as FormState<Values>, error);
    } finally {
      form.busy.value = false;
    }
    if (Object.keys(form.errors.value).length) {
      requestAnimationFrame(() =>
        document.querySelector<HTMLElement>(`[data-form="${id}"] [aria-invalid="true"]`)?.focus());
    }
  };
  const problem = form.problem.value;
  const beside = Object.keys(form.errors.value).length > 0;
  return (
    <form class="form" data-form={id} onSubmit={submit} noValidate>
      {problem && (beside
        ? <p class="notice bad" role="alert">{t("form.wrong")}</p>
        : <Failed problem={problem} />)}
      {children}
      <div class={wide ? "actions wide" : "actions"}>
        <Button type="submit" look="main" busy={form.busy.value}>{action}</Button>
        {extra}
      </div>
    </form>
  );
}

interface FieldProps<T extends Values> {
  form: FormState<T>;
  name: keyof T & string;
  label: string;
  hint?: string;
  type?: "text" | "email" | "password" | "date" | "datetime-local" | "search" | "url";
  unit?: string;
  autocomplete?: string;
  required?: boolean;
  rows?: number;
  options?: [string, string][];
  placeholder?: string;
  mode?: "decimal" | "numeric";
}

export function Field<T extends Values>(props: FieldProps<T>) {
  const { form, name, label, hint, unit, rows, options } = props;
  const id = useId();
  const error = form.errors.value[name];
  const about = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  const common = {
    id,
    name,
    "aria-describedby": about || undefined,
    "aria-invalid": error ? true : undefined,
    "aria-required": props.required || undefined,
    onInput: (event: Event) => form.set(name, (event.target as HTMLInputElement).value),
  };
  const value = form.values.value[name];
  return (
    <div class="field">
      <label for={id}>
        {label}{!props.required && props.required !== undefined
          && <span class="faint"> {t("form.optional")}</span>}
      </label>
      {options ? (
        <select {...common} value={value}>
          {options.map(([word, text]) => <option key={word} value={word}>{text}</option>)}
        </select>
      ) : rows ? (
        <textarea {...common} rows={rows} value={value} placeholder={props.placeholder} />
      ) : (
        <div class={unit ? "with-unit" : "input"}>
          <input {...common} type={props.type ?? "text"} value={value} inputMode={props.mode}
            placeholder={props.placeholder} autoComplete={props.autocomplete ?? "off"} />
          {unit && <span class="unit" aria-hidden="true">{unit}</span>}
        </div>
      )}
      {hint && <p class="hint" id={`${id}-hint`}>{hint}</p>}
      {error && <p class="field-error" id={`${id}-error`}>{error}</p>}
    </div>
  );
}

/** Does something that may be refused, and says so; true: done. */
export async function attempt(work: () => Promise<unknown>,
  failed: (text: string) => void): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof Problem)) {
      throw error;
    }
    failed(explained(error));
    return false;
  }
}
