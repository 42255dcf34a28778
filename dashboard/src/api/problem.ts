// A refusal of the API, RFC 9457, as an error that is thrown.

import type { components } from "./schema";

// the dashboard's own refusals have codes that the API does not give
type Document = Omit<components["schemas"]["Problem"], "code"> & { code: string };

export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly fields: Record<string, string>;
  readonly hint: string | null;

  constructor(status: number, document: Partial<Document>, requestId: string | null) {
    super(document.detail || document.title || `HTTP ${status}`);
    this.status = status;
    this.code = document.code ?? (status === 0 ? "offline" : "internal");
    this.requestId = document.request_id ?? requestId;
    this.hint = document.hint ?? null;
    this.fields = {};
    for (const { pointer, detail } of document.errors ?? []) {
      this.fields[pointer] ??= detail;
    }
  }
}
