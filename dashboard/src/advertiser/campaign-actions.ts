// What is done to a campaign from several screens.

import { ask } from "../api/client";
import { changed } from "../api/data";
import { t } from "../base/prefs";
import { confirmed } from "../ui/dialog";
import { say } from "../ui/feedback";
import { attempt } from "../ui/form";

interface Known {
  id: string;
  name: string;
  status: string;
}

type Status = "draft" | "paused" | "active";

export const campaignsChanged = () => changed("/v1/campaigns", "/v1/balance");

async function put(id: string, status: Status): Promise<void> {
  await ask("patch", "/v1/campaigns/{id}", { path: { id }, body: { status } });
  campaignsChanged();
}

/** Active becomes paused and the reverse; either can be undone. */
export async function toggle(campaign: Known): Promise<void> {
  const { id, name } = campaign;
  const back = campaign.status as Status;
  const next = back === "active" ? "paused" : "active";
  await attempt(async () => {
    await put(id, next);
    const undo = back === "draft" ? undefined : () => void attempt(() => put(id, back), say);
    say(t(next === "active" ? "campaign.resumed" : "campaign.paused", { name }), undo);
  }, say);
}

/** Final, so it is asked for. */
export async function archive(campaign: Known): Promise<boolean> {
  const yes = await confirmed(t("campaign.archive.title", { name: campaign.name }),
    t("campaign.archive.text"), t("campaign.archive"));
  return yes && attempt(async () => {
    await ask("delete", "/v1/campaigns/{id}", { path: { id: campaign.id } });
    campaignsChanged();
    say(t("campaign.archived", { name: campaign.name }));
  }, say);
}
