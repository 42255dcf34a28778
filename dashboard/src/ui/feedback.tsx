// What a screen says of itself: loading, empty, failed, done.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Problem } from "../api/problem";
import { named, t } from "../base/prefs";
import { Button } from "./button";
import { Icon, type IconName } from "./icon";

/** The words for a refusal: those of its code, else what the API says. */
export function explained(problem: Problem): string {
  const own = named("error", problem.code);
  return own === problem.code.replaceAll("_", " ") ? problem.message : own;
}

export function Failed({ problem, retry }: { problem: Problem; retry?: () => void }) {
  return (
    <div class="notice bad" role="alert">
      <Icon name="warn" />
      <div>
        <p>{explained(problem)}</p>
        {problem.requestId && <p class="faint small">{t("error.request")} <code>{problem.requestId}</code></p>}
      </div>
      {retry && <Button onClick={retry}>{t("do.retry")}</Button>}
    </div>
  );
}

export function Notice({ kind = "info", children }:
  { kind?: "info" | "warn" | "good"; children: ComponentChildren }) {
  return (
    <div class={`notice ${kind}`} role="status">
      <Icon name={({ info: "info", good: "check", warn: "warn" } as const)[kind]} />
      <div>{children}</div>
    </div>
  );
}

/** Bars where rows will be: the page does not jump when they come. */
export function Loading({ rows = 3 }: { rows?: number }) {
  return (
    <div class="loading" role="status" aria-label={t("state.loading")}>
      {Array.from({ length: rows }, (_, n) => <span key={n} />)}
    </div>
  );
}

export function Empty({ icon, title, children }:
  { icon: IconName; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <span class="empty-icon"><Icon name={icon} /></span>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

const tones: Record<string, string> = {
  active: "good", serving: "good", approved: "good", settled: "good", done: "good", ok: "good",
  in_stock: "good", SHOW: "good", verified: "good",
  pending: "warn", in_review: "warn", scheduled: "warn", paused: "warn", running: "warn",
  queued: "warn", invited: "warn", test: "warn", out_of_budget_today: "warn", no_products: "warn",
  rejected: "bad", failed: "bad", no_funds: "bad", suspended: "bad", revoked: "bad",
  budget_exhausted: "bad", expired: "bad",
};

/** A status in its colour, and always as a word. */
export function Badge({ group, word }: { group: string; word: string }) {
  return <span class={`badge ${tones[word] ?? ""}`}>{named(group, word)}</span>;
}

// ---- what was just done ------------------------------------------------------

interface Toast {
  id: number;
  text: string;
  undo?: () => void;
}

const toasts = signal<Toast[]>([]);
let nextId = 1;

/** Says what was done for some seconds; `undo` is offered meanwhile. */
export function say(text: string, undo?: () => void): void {
  const id = nextId++;
  toasts.value = [...toasts.value.slice(-2), { id, text, undo }];
  setTimeout(() => close(id), undo ? 10_000 : 5_000);
}

function close(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, undo }) => (
        <div class="toast" key={id}>
          <span>{text}</span>
          {undo && (
            <button type="button" onClick={() => { close(id); undo(); }}>{t("do.undo")}</button>
          )}
          <button type="button" aria-label={t("do.close")} onClick={() => close(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
