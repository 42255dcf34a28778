// A publisher's page: requests, fill, revenue, and why requests had no ad.

import { useSignal } from "@preact/signals";
import type { Result } from "../api/client";
import { useData } from "../api/data";
import { addDays, before, dayIn, days, lastDays, length, type Range } from "../base/dates";
import { t } from "../base/prefs";
import { compact, count, day, growth, growthText, money, percent, zone } from "../base/shown";
import { LinkButton } from "../ui/button";
import { Chart } from "../ui/chart";
import { Failed, Loading, Notice } from "../ui/feedback";
import { Card, Figure, Figures, Page } from "../ui/page";
import { Tabs } from "../ui/tabs";
import { Funnel } from "./funnel";

type Report = Result<"/v1/analytics/publisher", "get">;
type Figure_ = Report["totals"];
const every = 15_000;

const shown = {
  revenue: { of: (r: Figure_) => r.revenue_micros, show: (v: number) => money(v), short: (v: number) => compact(v / 1e6) },
  requests: { of: (r: Figure_) => r.requests, show: count, short: compact },
  fill_rate: { of: (r: Figure_) => r.fill_rate ?? 0, show: percent, short: percent },
  clicks: { of: (r: Figure_) => r.clicks, show: count, short: compact },
};
type Name = keyof typeof shown;
const names = Object.keys(shown) as Name[];

export function PublisherOverview() {
  const n = useSignal(7);
  const metric = useSignal<Name>("revenue");
  const range = lastDays(dayIn(zone(), Date.now()), n.value);
  const now = useData("/v1/analytics/publisher", { query: { ...range, granularity: "day" }, every });
  const past = useData("/v1/analytics/publisher", { query: { ...before(range), granularity: "day" } });
  return (
    <Page title={t("nav.overview")} actions={<>
      <Tabs label={t("overview.length")} value={String(n.value)}
        options={[7, 30, 90].map((d) => [String(d), t("overview.days", { n: d })])}
        onChange={(d) => { n.value = Number(d); }} />
      <LinkButton to="/playground" look="main" icon="chat">{t("nav.playground")}</LinkButton>
    </>}>
      <Approval />
      {now.problem && !now.data ? <Failed problem={now.problem} retry={now.reload} />
        : !now.data ? <Loading rows={8} /> : <>
          <Totals now={now.data.totals} past={past.data?.totals} />
          <Card>
            <div class="stack">
              <Tabs label={t("overview.metric")} value={metric.value}
                options={names.map((name) => [name, t(`metric.${name}`)])}
                onChange={(name) => { metric.value = name as Name; }} />
              <Daily report={now.data} past={past.data} name={metric.value} range={range} />
            </div>
          </Card>
        </>}
      <Funnel range={range} />
    </Page>
  );
}

/** What is missing until the publisher earns. */
function Approval() {
  const { data } = useData("/v1/account");
  if (!data || data.type !== "publisher" || data.earns_since) {
    return null;
  }
  return (
    <Notice kind="warn">
      <p class="strong">{t("publisher.not_yet")}</p>
      <p>{t(!data.site ? "publisher.needs_site" : "publisher.needs_approval")}</p>
    </Notice>
  );
}

function Totals({ now, past }: { now: Figure_; past?: Figure_ }) {
  const one = (name: "revenue" | "requests" | "fill_rate" | "impressions" | "clicks" | "ecpm",
    value: string, a: number | null | undefined, b: number | null | undefined) => {
    const change = growth(a, b);
    return <Figure label={t(`metric.${name}`)} value={value} change={change} changeText={growthText(change)} />;
  };
  return (
    <Figures>
      {one("revenue", money(now.revenue_micros), now.revenue_micros, past?.revenue_micros)}
      {one("requests", count(now.requests), now.requests, past?.requests)}
      {one("fill_rate", percent(now.fill_rate), now.fill_rate, past?.fill_rate)}
      {one("impressions", count(now.impressions), now.impressions, past?.impressions)}
      {one("clicks", count(now.clicks), now.clicks, past?.clicks)}
      {one("ecpm", money(now.ecpm_micros), now.ecpm_micros, past?.ecpm_micros)}
    </Figures>
  );
}

export function Daily({ report, past, name, range }:
  { report: Report; past: Report | null; name: Name; range: Range }) {
  const { of, show, short } = shown[name];
  const byDay = (r: Report | null) => new Map(r?.rows.map((row) => [row.date ?? "", of(row)]));
  const [now, old] = [byDay(report), byDay(past)];
  const shift = length(range);
  return (
    <Chart label={t("chart.label", { metric: t(`metric.${name}`), from: day(range.from), to: day(range.to) })}
      points={days(range).map((date) => ({
        label: day(date, "short"), value: now.get(date) ?? 0,
        before: past ? old.get(addDays(date, -shift)) ?? 0 : null,
      }))}
      format={show} short={short}
      beforeLabel={t("chart.before", { day: day(before(range).from, "short") })} />
  );
}
