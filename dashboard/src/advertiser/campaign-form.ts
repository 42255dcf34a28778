// A campaign as its form has it, and the form as the API has it.  Pure.

import type { components } from "../api/schema";
import { list } from "../base/form";
import { parseMoney, plainMoney } from "../base/format";

type Campaign = components["schemas"]["Campaign"];
type Create = components["schemas"]["CampaignCreate"];
type Targeting = NonNullable<Create["targeting"]>;

const lists = ["locations", "not_locations", "placements", "keywords", "negative_keywords",
  "categories", "languages"] as const;

export const emptyCampaign = {
  "name": "", "pricing": "cpc", "bid": "", "budget.daily": "", "budget.lifetime": "",
  "start_at": "", "end_at": "", "pacing": "even", "frequency_cap.count": "",
  "frequency_cap.window_s": "24", "attribution.click_window_days": "30", "external_id": "",
  "targeting.locations": "", "targeting.not_locations": "", "targeting.placements": "",
  "targeting.keywords": "", "targeting.negative_keywords": "", "targeting.categories": "",
  "targeting.languages": "",
};

export type CampaignValues = typeof emptyCampaign;

/** A time of the API in a field of the browser, which has no zone: UTC. */
const local = (at: string | null) => at ? at.slice(0, 16) : "";

export function valuesOf(campaign: Campaign): CampaignValues {
  const target = campaign.targeting as Targeting;
  const values = {
    ...emptyCampaign,
    "name": campaign.name,
    "pricing": campaign.pricing,
    "bid": plainMoney(campaign.bid_micros),
    "budget.daily": plainMoney(campaign.budget.daily_micros),
    "budget.lifetime": plainMoney(campaign.budget.lifetime_micros),
    "start_at": local(campaign.start_at),
    "end_at": local(campaign.end_at),
    "pacing": campaign.pacing,
    "frequency_cap.count": campaign.frequency_cap ? String(campaign.frequency_cap.count) : "",
    "frequency_cap.window_s": String((campaign.frequency_cap?.window_s ?? 86400) / 3600),
    "attribution.click_window_days": String(campaign.attribution?.click_window_days ?? 30),
    "external_id": campaign.external_id ?? "",
  };
  for (const name of lists) {
    values[`targeting.${name}`] = (target[name] ?? []).join("\n");
  }
  return values;
}

/** What is plainly wrong before the API is asked: names of fields. */
export function unreadable(values: CampaignValues): (keyof CampaignValues)[] {
  const wrong: (keyof CampaignValues)[] = [];
  if (!values.name.trim()) {
    wrong.push("name");
  }
  if (parseMoney(values.bid) === null) {
    wrong.push("bid");
  }
  for (const name of ["budget.daily", "budget.lifetime"] as const) {
    if (values[name] && parseMoney(values[name]) === null) {
      wrong.push(name);
    }
  }
  if (!values["budget.daily"] && !values["budget.lifetime"]) {
    wrong.push("budget.daily");
  }
  return wrong;
}

function targeting(values: CampaignValues, others: Targeting): Targeting {
  const out: Targeting = { ...others };
  for (const name of lists) {
    const words = list(values[`targeting.${name}`]);
    if (words.length) {
      out[name] = words;
    } else {
      delete out[name];
    }
  }
  return out;
}

const units = (text: string) => {
  const micros = parseMoney(text);
  return micros === null ? null : micros / 1e6;
};
const utc = (text: string) => text ? `${text}:00Z` : null;

/** The whole campaign; `others` is targeting that the form does not show. */
export function bodyOf(values: CampaignValues, others: Targeting = {}): Create {
  const shown = values["frequency_cap.count"].trim();
  return {
    name: values.name.trim(),
    pricing: values.pricing as "cpc" | "cpm",
    bid: units(values.bid) ?? 0,
    budget: { daily: units(values["budget.daily"]), lifetime: units(values["budget.lifetime"]) },
    start_at: utc(values.start_at),
    end_at: utc(values.end_at),
    pacing: values.pacing as "even" | "asap",
    targeting: targeting(values, others),
    frequency_cap: (shown ? {
      count: Number(shown), window_s: Math.round(Number(values["frequency_cap.window_s"]) * 3600),
    } : null) as Create["frequency_cap"],
    attribution: { click_window_days: Number(values["attribution.click_window_days"]) || 30 },
    external_id: values.external_id.trim() || null,
  };
}
