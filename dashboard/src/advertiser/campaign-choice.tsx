// Which campaign: a list of their names.

import { useData } from "../api/data";
import { t } from "../base/prefs";

export function CampaignChoice({ value, onChange }:
  { value: string; onChange: (id: string) => void }) {
  const { data } = useData("/v1/campaigns", { query: { limit: 500 } });
  return (
    <select class="plain-select" aria-label={t("campaign.one")} value={value}
      onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">{t("campaign.any")}</option>
      {data?.data.filter((c) => c.status !== "archived" || c.id === value)
        .map((c) => <option key={c.id} value={c.id}>{c.name}</option>)}
    </select>
  );
}

/** For a field of a form; null while they are loaded. */
export function useCampaigns(): [string, string][] | null {
  const { data } = useData("/v1/campaigns", { query: { limit: 500 } });
  return data ? data.data.filter((c) => c.status !== "archived").map((c) => [c.id, c.name]) : null;
}
