// What keeps ads from being shown, each with its way out.

import type { ComponentChildren } from "preact";
import { useData } from "../api/data";
import { counted, named, t } from "../base/prefs";
import { money } from "../base/shown";
import { Link } from "../ui/button";
import { Icon } from "../ui/icon";

interface Matter {
  key: string;
  text: ComponentChildren;
  to: string;
  action: string;
}

const worth = new Set(["no_funds", "budget_exhausted", "out_of_budget_today", "no_products", "in_review"]);

export function Attention() {
  const balance = useData("/v1/balance").data;
  const campaigns = useData("/v1/campaigns", { query: { status: "active", limit: 500 } }).data?.data;
  const rejected = useData("/v1/products", { query: { review_status: "rejected", limit: 50 } }).data;
  if (!balance || !campaigns) {
    return null;
  }
  const matters: Matter[] = [];
  if (balance.available_micros === 0 && campaigns.length > 0) {
    matters.push({
      key: "funds", to: "/balance/topup", action: t("palette.topup"),
      text: balance.pending_micros > 0
        ? t("attention.pending", { amount: money(balance.pending_micros) }) : t("attention.funds"),
    });
  }
  for (const campaign of campaigns.slice(0, 50)) {
    if (worth.has(campaign.serving_status) && campaign.serving_status !== "no_funds") {
      matters.push({
        key: campaign.id, to: `/campaigns/${campaign.id}`, action: t("attention.open"),
        text: <><strong>{campaign.name}</strong>: {named("why", campaign.serving_status)}</>,
      });
    }
  }
  if (rejected && rejected.data.length > 0) {
    matters.push({
      key: "rejected", to: "/products?review=rejected", action: t("attention.open"),
      text: counted("attention.rejected", rejected.data.length),
    });
  }
  if (!matters.length) {
    return null;
  }
  return (
    <section class="card" aria-label={t("attention.title")}>
      <header><h2>{t("attention.title")}</h2></header>
      <ul class="list">
        {matters.slice(0, 6).map((matter) => (
          <li key={matter.key} class="line">
            <span class="with-icon"><Icon name="warn" /><span>{matter.text}</span></span>
            <Link to={matter.to} class="inline-link">{matter.action}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
