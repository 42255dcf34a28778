// Who is signed in.  The access token lives in memory only; the refresh token is
// a cookie that scripts cannot read.  Tabs share: one at a time refreshes, under
// a lock, and gives the new token to the others, since a refresh token that is
// used twice ends the session.
//
//   starting ──▶ out ◀──▶ in ──▶ expired ──▶ in
//
// `expired` keeps the screen: what was typed stays, somebody signs in on top of
// it, and requests that wait go on.

import { signal } from "@preact/signals";
import { recall, remember } from "../base/prefs";
import { Problem } from "./problem";
import type { components } from "./schema";

type Tokens = components["schemas"]["AccessToken"];
export type User = Tokens["user"];
export type Account = Tokens["account"];
export type State = "starting" | "out" | "in" | "expired";

type Word =
  | { kind: "tokens"; tokens: Tokens; until: number }
  | { kind: "wanted" }
  | { kind: "out" };

const early = 30_000; // ms: a token is replaced that long before its end
const neighbours = 80; // ms: how long another tab has to answer

export const state = signal<State>("starting");
export const user = signal<User | null>(null);
export const account = signal<Account | null>(null);
/** The account that an operator, or a member of several, acts for. */
export const actingFor = signal<{ id: string; type: Account["type"]; name: string } | null>(null);

let token: string | null = null;
let until = 0;
let tokens: Tokens | null = null;
let waiting: (() => void)[] = [];
const tabs = new BroadcastChannel("ads-session");

function take(got: Tokens, end: number): void {
  if (state.value === "expired" && user.value && got.user.id !== user.value.id) {
    location.reload(); // what is on the screen is another person's
    return;
  }
  tokens = got;
  token = got.access_token;
  until = end;
  user.value = got.user;
  account.value = got.account;
  state.value = "in";
  remember("signed-in", "yes");
  const go = waiting;
  waiting = [];
  go.forEach((on) => on());
}

/** Tokens that an answer of sign-in, sign-up or refresh brought. */
export function arrive(got: Tokens): void {
  take(got, Date.now() + got.expires_in * 1000);
  tabs.postMessage({ kind: "tokens", tokens: got, until } satisfies Word);
}

function forget(next: State): void {
  token = null;
  tokens = null;
  until = 0;
  state.value = next;
  if (next === "out") {
    user.value = null;
    account.value = null;
    actingFor.value = null;
    remember("signed-in", null);
  }
}

tabs.onmessage = ({ data }: MessageEvent<Word>) => {
  if (data.kind === "tokens" && data.until > until) {
    take(data.tokens, data.until);
  } else if (data.kind === "wanted" && tokens && Date.now() < until - early) {
    tabs.postMessage({ kind: "tokens", tokens, until } satisfies Word);
  } else if (data.kind === "out" && state.value !== "out") {
    forget("out");
  }
};

const fresh = () => token !== null && Date.now() < until - early;

async function alone<T>(work: () => Promise<T>): Promise<T> {
  return navigator.locks ? navigator.locks.request("ads-refresh", work) : work();
}

async function askNeighbours(): Promise<void> {
  tabs.postMessage({ kind: "wanted" } satisfies Word);
  await new Promise((done) => setTimeout(done, neighbours));
}

/** True when there is a token again.  A network that fails is thrown. */
async function refresh(): Promise<boolean> {
  const old = token;
  return alone(async () => {
    if (token !== old && fresh()) {
      return true;
    }
    await askNeighbours();
    if (token !== old && fresh()) {
      return true;
    }
    const answer = await fetch("/v1/auth/refresh", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: "{}",
    }).catch(() => {
      throw new Problem(0, {}, null);
    });
    if (answer.ok) {
      arrive(await answer.json() as Tokens);
      return true;
    }
    if (answer.status === 401 || answer.status === 403) {
      return false;
    }
    throw new Problem(answer.status, await answer.json().catch(() => ({})), null);
  });
}

/** At the start of the page: in with the cookie of last time, or out. */
export async function start(): Promise<void> {
  let there = false;
  if (recall("signed-in")) {
    there = await refresh().catch(() => false);
  }
  if (!there && state.value === "starting") {
    forget("out");
  }
}

/** A provider's page sends the browser back with a cookie and no other word. */
export function expectReturn(): void {
  remember("signed-in", "yes");
}

/**
 * A token for a request; waits while somebody signs in again.  `refused` is
 * one that the service no longer takes.
 */
export async function bearer(refused: string | null = null): Promise<string> {
  if (refused !== null && refused === token) {
    until = 0;
  }
  if (!fresh() && !await refresh()) {
    forget(state.value === "starting" ? "out" : "expired");
    await new Promise<void>((done) => waiting.push(done));
  }
  return token ?? "";
}

/** The screen of before is given up. */
export function giveUp(): void {
  forget("out");
  tabs.postMessage({ kind: "out" } satisfies Word);
}

export async function signOut(everywhere: boolean): Promise<void> {
  const mine = token;
  await fetch("/v1/auth/logout", {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      ...(mine ? { Authorization: `Bearer ${mine}` } : {}),
    },
    body: JSON.stringify(everywhere ? { all: true } : {}),
  }).catch(() => undefined);
  giveUp();
}
