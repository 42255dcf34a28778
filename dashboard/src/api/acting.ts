// Acting for another account: an operator for a tenant, a member of several.

import { go } from "../base/router";
import { ask } from "./client";
import { forgetAll } from "./data";
import { actingFor } from "./session";

/** From now on every request is made for that account. */
export async function actFor(id: string): Promise<void> {
  const before = actingFor.value;
  actingFor.value = { id, type: "advertiser", name: "…" };
  try {
    const { data } = await ask("get", "/v1/account");
    forgetAll();
    actingFor.value = { id, type: data.type, name: data.name };
    go("/");
  } catch (error) {
    actingFor.value = before;
    throw error;
  }
}
