// What a link from a mail, or a provider, brought in the fragment of the
// address: #verify=CODE, #reset=CODE, #invite=CODE, #error=CODE, #linked=NAME.
// It is taken out of the address at once, so that no code stays in the history.

import { signal } from "@preact/signals";

export type Kind = "verify" | "reset" | "invite" | "error" | "linked";

export interface Arrival {
  kind: Kind;
  word: string;
}

export function read(hash: string): Arrival | null {
  const found = /^#(verify|reset|invite|error|linked)=([\w-]{1,200})$/.exec(hash);
  return found ? { kind: found[1] as Kind, word: found[2] } : null;
}

export const arrival = signal<Arrival | null>(null);

export function takeArrival(): void {
  const came = read(location.hash);
  if (came) {
    history.replaceState(null, "", location.pathname + location.search);
  }
  arrival.value = came;
}

// a link from a mail may be opened in a tab that shows the dashboard already
addEventListener("hashchange", takeArrival);
