// All campaigns of the account.

import { useSignal } from "@preact/signals";
import type { Result } from "../api/client";
import { useData } from "../api/data";
import { t } from "../base/prefs";
import { query, setQuery } from "../base/router";
import { bid, money } from "../base/shown";
import { Button, Link, LinkButton } from "../ui/button";
import { Badge, Empty, Failed, Loading } from "../ui/feedback";
import { Card, Meter, Page } from "../ui/page";
import { saveCsv } from "../ui/save";
import { Search } from "../ui/search";
import { Table } from "../ui/table";
import { Tabs } from "../ui/tabs";
import { toggle } from "./campaign-actions";

type Campaign = Result<"/v1/campaigns", "get">["data"][number];
const statuses = ["active", "paused", "draft", "archived"] as const;
type Status = (typeof statuses)[number];

export function CampaignsPage() {
  const typed = useSignal(query.value.get("q") ?? "");
  const limit = useSignal(50);
  const status = statuses.find((s) => s === query.value.get("status"));
  const q = query.value.get("q") ?? undefined;
  const { data, problem, reload } = useData("/v1/campaigns", {
    query: { status: status as Status | undefined, q, limit: limit.value },
  });
  const search = (text: string) => {
    typed.value = text;
    setQuery({ q: text.trim() || null });
  };
  const rows = data?.data.filter((c) => status || c.status !== "archived");
  return (
    <Page title={t("nav.campaigns")} actions={<>
      <Button icon="down" onClick={() => void saveCsv("campaigns.csv", "/v1/campaigns?limit=500")}>
        {t("do.csv")}
      </Button>
      <LinkButton to="/campaigns/new" look="main" icon="plus">{t("campaign.new")}</LinkButton>
    </>}>
      <div class="toolbar">
        <Search label={t("campaign.search")} value={typed.value} onSearch={search} />
        <Tabs label={t("campaign.status")} value={status ?? ""}
          options={[["", t("campaign.all")], ...statuses.map((s): [string, string] => [s, t(`status.${s}`)])]}
          onChange={(word) => setQuery({ status: word || null })} />
      </div>
      <Card flush>
        {problem && !data ? <Failed problem={problem} retry={reload} />
          : !rows ? <Loading rows={6} />
            : rows.length === 0 ? <None searched={!!q || !!status} />
              : <List rows={rows} />}
      </Card>
      {data?.has_more && limit.value < 500
        && <Button onClick={() => { limit.value = 500; }}>{t("do.more")}</Button>}
    </Page>
  );
}

function None({ searched }: { searched: boolean }) {
  return searched
    ? <Empty icon="search" title={t("campaign.none_found")} />
    : (
      <Empty icon="campaign" title={t("campaign.none")}>
        <p>{t("campaign.none.text")}</p>
        <LinkButton to="/campaigns/new" look="main" icon="plus">{t("campaign.new")}</LinkButton>
      </Empty>
    );
}

function BudgetCell({ campaign }: { campaign: Campaign }) {
  const { daily_micros, lifetime_micros } = campaign.budget;
  const [used, whole] = daily_micros
    ? [campaign.spent_today_micros, daily_micros] : [campaign.spent_micros, lifetime_micros ?? 0];
  return (
    <>
      {money(used)} <span class="faint">/ {money(whole)}</span>
      <Meter label={t("campaign.budget_used")} share={whole ? used / whole : 0} />
    </>
  );
}

function List({ rows }: { rows: Campaign[] }) {
  return (
    <Table label={t("nav.campaigns")} rows={rows} id={(row) => row.id} columns={[
      {
        key: "name", label: t("campaign.name"),
        show: (row) => <Link to={`/campaigns/${row.id}`} class="strong">{row.name}</Link>,
      },
      {
        key: "status", label: t("campaign.status"),
        show: (row) => <Badge group="serving" word={row.status === "draft" ? "draft" : row.serving_status} />,
      },
      {
        key: "bid", label: t("campaign.bid"), number: true, spare: true,
        show: (row) => <>{bid(row.bid_micros)} <span class="faint">{row.pricing.toUpperCase()}</span></>,
      },
      { key: "budget", label: t("campaign.budget"), spare: true, show: (row) => <BudgetCell campaign={row} /> },
      { key: "spent", label: t("campaign.spent"), number: true, show: (row) => money(row.spent_micros) },
      {
        key: "do", label: "", spare: true, number: true,
        show: (row) => row.status === "active" || row.status === "paused" ? (
          <Button look="quiet" icon={row.status === "active" ? "pause" : "play"}
            onClick={() => void toggle(row)}>
            {t(row.status === "active" ? "campaign.pause" : "campaign.resume")}
          </Button>
        ) : null,
      },
    ]} />
  );
}
