// Where we are: the path below /dashboard, and the query, both as signals.

import { signal } from "@preact/signals";
import { address } from "./match";

export const base = "/dashboard";

function pathNow(): string {
  return location.pathname.slice(base.length).replace(/\/+$/, "") || "/";
}

export const path = signal(pathNow());
export const query = signal(new URLSearchParams(location.search));

function arrived(): void {
  path.value = pathNow();
  query.value = new URLSearchParams(location.search);
}

addEventListener("popstate", arrived);

/** Asked before a screen is left; false: stay, for there is work unsaved. */
export const leaving = signal<(() => boolean) | null>(null);

export function href(to: string): string {
  return base + (to === "/" ? "/" : to);
}

export function go(to: string, replace = false): void {
  const from = path.value;
  if (!replace && leaving.value && !leaving.value()) {
    return;
  }
  leaving.value = null;
  history[replace ? "replaceState" : "pushState"](null, "", href(to));
  arrived();
  if (path.value !== from) {
    scrollTo(0, 0);
    // who uses a screen reader hears the new screen's heading
    requestAnimationFrame(() => document.querySelector<HTMLElement>("h1")?.focus());
  }
}

/** Changes the query only: a view that can be sent to somebody else. */
export function setQuery(values: Record<string, string | null | undefined>): void {
  const now = Object.fromEntries(query.value);
  go(address(path.value, { ...now, ...values }), true);
}
