// Requests to the API, typed by its description: a path, a method, a field that
// is not in docs/openapi.json does not compile.  Refusals are thrown as Problem.

import { signal } from "@preact/signals";
import { Problem } from "./problem";
import type { paths } from "./schema";
import { actingFor, bearer } from "./session";

export type Method = "get" | "post" | "patch" | "delete";
type Op<P extends keyof paths, M extends Method> = paths[P][M];
type Content<R> = R extends { content: { "application/json": infer B } } ? B : undefined;

/** What a successful answer holds. */
export type Result<P extends keyof paths, M extends Method> =
  Op<P, M> extends { responses: infer R }
    ? { [S in keyof R]: S extends 200 | 201 | 202 | 204 ? Content<R[S]> : never }[keyof R]
    : never;
export type Body<P extends keyof paths, M extends Method> =
  Op<P, M> extends { requestBody?: infer R }
    ? NonNullable<R> extends { content: { "application/json": infer B } } ? B : undefined
    : undefined;
export type Query<P extends keyof paths, M extends Method> =
  Op<P, M> extends { parameters: { query?: infer Q } } ? Q : never;

/** What a request may have besides its address. */
export interface Sent {
  body?: unknown;
  /** A file that is the body itself. */
  file?: Blob;
  type?: string;
  etag?: string | null;
  once?: string;
  accept?: string;
  /** Without a credential: signing in. */
  open?: boolean;
}

export interface Ask<P extends keyof paths, M extends Method> extends Sent {
  path?: Record<string, string>;
  query?: Query<P, M>;
  body?: Body<P, M>;
}

export interface Answer<T> {
  data: T;
  etag: string | null;
  status: number;
}

/** What was asked lately, for "copy as curl" and the list of problems. */
export interface Asked {
  at: string;
  method: string;
  url: string;
  body: string | null;
  status: number;
  code: string | null;
  requestId: string | null;
}

export const asked = signal<Asked[]>([]);
const askedMax = 50;

/** 128 random bits as a UUID; randomUUID() is for pages over TLS only. */
export function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((n) => n.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The address of a request; {id} is filled in, filter becomes filter[name]. */
export function url(path: string, parts: Record<string, string> = {},
  query: object = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(parts[name] ?? ""));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && typeof value === "object") {
      for (const [inner, one] of Object.entries(value)) {
        if (one) {
          search.set(`${name}[${inner}]`, String(one));
        }
      }
    } else if (value !== undefined && value !== null && value !== "") {
      search.set(name, String(value));
    }
  }
  const text = search.toString();
  return text ? `${filled}?${text}` : filled;
}

function note(method: string, to: string, body: string | null, status: number,
  problem: Problem | null, requestId: string | null): void {
  const shown = to.startsWith("/v1/auth/") && !to.startsWith("/v1/auth/api-key") ? null : body;
  asked.value = [{
    at: new Date().toISOString(), method, url: to, body: shown, status,
    code: problem?.code ?? null, requestId,
  }, ...asked.value].slice(0, askedMax);
}

async function once(method: string, to: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(to, init);
  } catch {
    const problem = new Problem(0, {}, null);
    note(method, to, null, 0, problem, null);
    throw problem;
  }
}

function headersOf(ask: Sent, to: string): Record<string, string> {
  const headers: Record<string, string> = { Accept: ask.accept ?? "application/json" };
  if (ask.body !== undefined) {
    headers["Content-Type"] = "application/json";
  } else if (ask.file) {
    headers["Content-Type"] = ask.type ?? "application/octet-stream";
  }
  if (ask.etag) {
    headers["If-Match"] = ask.etag;
  }
  if (ask.once) {
    headers["Idempotency-Key"] = ask.once;
  }
  const personal = /^\/v1\/(?:auth\/(?!api-key)|platform\/)/.test(to);
  if (actingFor.value && !ask.open && !personal) {
    headers["X-Ads-Account"] = actingFor.value.id;
  }
  return headers;
}

/** The answer as it came; a refusal is thrown. */
export async function send(method: string, to: string,
  ask: Sent = {}): Promise<Response> {
  const headers = headersOf(ask, to);
  const body = ask.body !== undefined ? JSON.stringify(ask.body) : ask.file ?? null;
  const text = typeof body === "string" ? body : null;
  let token: string | null = null;
  for (let attempt = 0; ; attempt++) {
    if (!ask.open) {
      token = await bearer(token);
      headers.Authorization = `Bearer ${token}`;
    }
    const answer = await once(method, to, { method, headers, body });
    const id = answer.headers.get("X-Request-Id");
    if (answer.ok) {
      note(method, to, text, answer.status, null, id);
      return answer;
    }
    const document = await answer.json().catch(() => ({}));
    const problem = new Problem(answer.status, document, id);
    note(method, to, text, answer.status, problem, id);
    if (answer.status !== 401 || ask.open || attempt > 0) {
      throw problem;
    }
  }
}

/** ask("patch", "/v1/campaigns/{id}", {path: {id}, body: {name}, etag}) */
export async function ask<M extends Method, P extends keyof paths>(method: M, path: P,
  options: Ask<P, M> = {}): Promise<Answer<Result<P, M>>> {
  const to = url(path, options.path, options.query as object | undefined);
  const answer = await send(method.toUpperCase(), to, options);
  const text = await answer.text();
  return {
    data: (text ? JSON.parse(text) : undefined) as Result<P, M>,
    etag: answer.headers.get("ETag"),
    status: answer.status,
  };
}
