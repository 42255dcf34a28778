// What screens show of the API: the last answer at once, the new one when it
// comes.  Two components that show the same address share one request.

import { signal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask, type Answer, type Query, type Result, url } from "./client";
import { Problem } from "./problem";
import type { paths } from "./schema";
import { actingFor } from "./session";

interface Entry {
  answer: Signal<Answer<unknown> | null>;
  problem: Signal<Problem | null>;
  busy: boolean;
  at: number;
  users: number;
  load: () => Promise<void>;
}

const entries = new Map<string, Entry>();
const keepMs = 2000; // an answer that young is not asked for again

function enter(key: string, asking: () => Promise<Answer<unknown>>): Entry {
  const entry: Entry = {
    answer: signal(null),
    problem: signal(null),
    busy: false,
    at: 0,
    users: 0,
    async load() {
      if (entry.busy) {
        return;
      }
      entry.busy = true;
      try {
        const answer = await asking();
        entry.at = Date.now();
        entry.problem.value = null;
        entry.answer.value = answer;
      } catch (error) {
        entry.problem.value = error instanceof Problem ? error
          : new Problem(0, { detail: String(error) }, null);
      } finally {
        entry.busy = false;
      }
    },
  };
  entries.set(key, entry);
  return entry;
}

export interface Data<T> {
  data: T | null;
  etag: string | null;
  problem: Problem | null;
  reload: () => void;
}

export interface Options<P extends keyof paths> {
  path?: Record<string, string>;
  query?: Query<P, "get">;
  /** Asked again that often, in ms, while the page is seen. */
  every?: number;
  /** Not asked at all. */
  off?: boolean;
}

/** The answer of a GET, kept up to date; null while there is none yet. */
export function useData<P extends keyof paths>(path: P,
  options: Options<P> = {}): Data<Result<P, "get">> {
  const to = url(path, options.path, options.query as object | undefined);
  const key = `${actingFor.value?.id ?? ""} ${to}`;
  const entry = entries.get(key) ?? enter(key, () => ask("get", path, {
    path: options.path, query: options.query,
  }));
  const { every, off } = options;
  useEffect(() => {
    if (off) {
      return;
    }
    entry.users++;
    if (Date.now() - entry.at > keepMs) {
      void entry.load();
    }
    const timer = every ? setInterval(() => {
      if (document.visibilityState === "visible") {
        void entry.load();
      }
    }, every) : undefined;
    return () => {
      entry.users--;
      clearInterval(timer);
    };
  }, [key, every, off]);
  const answer = entry.answer.value;
  return {
    data: (answer?.data ?? null) as Result<P, "get"> | null,
    etag: answer?.etag ?? null,
    problem: entry.problem.value,
    reload: () => void entry.load(),
  };
}

/** Something changed below these paths: shown ones are asked again. */
export function changed(...prefixes: string[]): void {
  for (const [key, entry] of entries) {
    const to = key.slice(key.indexOf(" ") + 1);
    if (!prefixes.some((prefix) => to.startsWith(prefix))) {
      continue;
    }
    if (entry.users > 0) {
      void entry.load();
    } else {
      entries.delete(key);
    }
  }
}

/** Another person or account: nothing of before is shown. */
export function forgetAll(): void {
  entries.clear();
}
