// One page that says how things are: what needs attention, today against the
// budget, the last days against those before, the best campaigns.  A new
// account is led to its first ad instead.

import { useSignal } from "@preact/signals";
import { useData } from "../api/data";
import type { Result } from "../api/client";
import { addDays, before, dayIn, lastDays } from "../base/dates";
import { t } from "../base/prefs";
import { count, day, factor, growth, growthText, money, percent, zone } from "../base/shown";
import { Link, LinkButton } from "../ui/button";
import { Badge, Empty, Failed, Loading } from "../ui/feedback";
import { Card, Figure, Figures, Meter, Page } from "../ui/page";
import { Table } from "../ui/table";
import { Tabs } from "../ui/tabs";
import { Attention } from "./attention";
import { FirstSteps, useSteps } from "./first-steps";
import { metricNames, type MetricName } from "./metrics";
import { DailyChart } from "./daily-chart";

type Report = Result<"/v1/analytics/advertiser", "get">;
const every = 15_000;

export function OverviewPage() {
  const steps = useSteps();
  return (
    <Page title={t("nav.overview")}
      actions={<LinkButton to="/campaigns/new" look="main" icon="plus">{t("campaign.new")}</LinkButton>}>
      {steps && steps.some((step) => !step.done) && <FirstSteps steps={steps} />}
      <Attention />
      <Today />
      <Period />
      <Best />
    </Page>
  );
}

function Today() {
  const { data: balance, problem, reload } = useData("/v1/balance", { every });
  const { data: campaigns } = useData("/v1/campaigns", { query: { status: "active", limit: 500 } });
  const week = lastDays(dayIn(zone(), Date.now()), 7);
  const { data: report } = useData("/v1/analytics/advertiser", { query: { ...week } });
  if (problem && !balance) {
    return <Failed problem={problem} retry={reload} />;
  }
  if (!balance || !campaigns) {
    return <Loading />;
  }
  const budget = campaigns.data.reduce((sum, c) => sum + (c.budget.daily_micros ?? 0), 0);
  const daily = (report?.totals.spend_micros ?? 0) / 7;
  const left = daily > 0 ? Math.floor(balance.available_micros / daily) : null;
  const serving = campaigns.data.filter((c) => c.serving_status === "serving").length;
  return (
    <Figures>
      <Figure label={t("overview.spent_today")} value={money(balance.spent_today_micros)}
        note={budget > 0 ? <>
          {t("overview.of_budget", { amount: money(budget) })}
          <Meter label={t("overview.budget_used")} share={balance.spent_today_micros / budget} />
        </> : t("overview.no_daily")} />
      <Figure label={t("overview.available")} value={money(balance.available_micros)}
        note={left === null ? t("overview.no_spend")
          : left > 365 ? t("overview.days_many") : t("overview.days_left", { days: count(left) })} />
      <Figure label={t("overview.serving")} value={count(serving)}
        note={t("overview.of_active", { n: count(campaigns.data.length) })} />
      <Figure label={t("overview.spent_total")} value={money(balance.spent_total_micros)}
        note={balance.pending_micros > 0
          ? t("overview.pending", { amount: money(balance.pending_micros) }) : undefined} />
    </Figures>
  );
}

function Period() {
  const length = useSignal(7);
  const shown = useSignal<MetricName>("clicks");
  const range = lastDays(dayIn(zone(), Date.now()), length.value);
  const earlier = before(range);
  const now = useData("/v1/analytics/advertiser",
    { query: { ...range, granularity: "day" }, every });
  const past = useData("/v1/analytics/advertiser", { query: { ...earlier, granularity: "day" } });
  const lengths = [7, 30, 90];
  return (
    <Card title={t("overview.period")} actions={
      <Tabs label={t("overview.length")} value={String(length.value)}
        options={lengths.map((n) => [String(n), t("overview.days", { n })])}
        onChange={(n) => { length.value = Number(n); }} />
    }>
      {now.problem && !now.data ? <Failed problem={now.problem} retry={now.reload} />
        : !now.data ? <Loading rows={6} /> : (
          <div class="stack">
            <Totals now={now.data} past={past.data} />
            <div class="row between">
              <Tabs label={t("overview.metric")} value={shown.value}
                options={metricNames.map((name) => [name, t(`metric.${name}`)])}
                onChange={(name) => { shown.value = name as MetricName; }} />
              <Link to={`/reports?from=${range.from}&to=${range.to}`} class="inline-link">
                {t("overview.to_reports")}
              </Link>
            </div>
            <DailyChart report={now.data} past={past.data} metric={shown.value} range={range} />
          </div>
        )}
    </Card>
  );
}

function Totals({ now, past }: { now: Report; past: Report | null }) {
  const a = now.totals;
  const b = past?.totals;
  const figure = (name: MetricName | "cvr", value: string, n: number | null, m?: number | null) => {
    const change = growth(n, m);
    return <Figure label={t(`metric.${name}`)} value={value} change={change}
      changeText={growthText(change)} neutral={name === "spend"} />;
  };
  return (
    <Figures>
      {figure("impressions", count(a.impressions), a.impressions, b?.impressions)}
      {figure("clicks", count(a.clicks), a.clicks, b?.clicks)}
      {figure("ctr", percent(a.ctr), a.ctr, b?.ctr)}
      {figure("spend", money(a.spend_micros), a.spend_micros, b?.spend_micros)}
      {figure("conversions", count(a.conversions), a.conversions, b?.conversions)}
      {figure("roas", factor(a.roas), a.roas, b?.roas)}
    </Figures>
  );
}

function Best() {
  const today = dayIn(zone(), Date.now());
  const { data, problem, reload } = useData("/v1/analytics/advertiser", {
    query: { from: addDays(today, -6), to: today, group_by: "campaign" },
  });
  const { data: campaigns } = useData("/v1/campaigns", { query: { limit: 500 } });
  if (problem && !data) {
    return <Failed problem={problem} retry={reload} />;
  }
  const rows = [...data?.rows ?? []].sort((x, y) => y.spend_micros - x.spend_micros).slice(0, 5);
  const statusOf = new Map(campaigns?.data.map((c) => [c.id, c.serving_status]));
  return (
    <Card title={t("overview.best")} flush
      actions={<Link to="/campaigns" class="inline-link">{t("overview.all_campaigns")}</Link>}>
      {!data ? <Loading /> : rows.length === 0 ? (
        <Empty icon="report" title={t("overview.quiet")}><p>{t("overview.quiet.text")}</p></Empty>
      ) : (
        <Table label={t("overview.best")} rows={rows} id={(row) => row.campaign_id ?? ""} columns={[
          {
            key: "name", label: t("campaign.one"),
            show: (row) => <Link to={`/campaigns/${row.campaign_id}`} class="strong">{row.campaign_name}</Link>,
          },
          {
            key: "status", label: t("campaign.status"), spare: true,
            show: (row) => {
              const word = statusOf.get(row.campaign_id ?? "");
              return word ? <Badge group="serving" word={word} /> : "–";
            },
          },
          { key: "impressions", label: t("metric.impressions"), number: true, spare: true, show: (r) => count(r.impressions) },
          { key: "clicks", label: t("metric.clicks"), number: true, show: (r) => count(r.clicks) },
          { key: "ctr", label: t("metric.ctr"), number: true, spare: true, show: (r) => percent(r.ctr) },
          { key: "cpc", label: t("metric.cpc"), number: true, spare: true, show: (r) => money(r.cpc_micros) },
          { key: "spend", label: t("metric.spend"), number: true, show: (r) => money(r.spend_micros) },
          { key: "roas", label: t("metric.roas"), number: true, show: (r) => factor(r.roas) },
        ]} />
      )}
      {data?.as_of && <p class="faint small">{t("overview.week_to", { day: day(today) })}</p>}
    </Card>
  );
}

