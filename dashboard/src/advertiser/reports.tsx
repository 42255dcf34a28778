// Reports: what to group by, which part, against the period before; chart,
// table, CSV.  The whole question is in the address, so a link restores it.

import type { Result } from "../api/client";
import { url } from "../api/client";
import { useData } from "../api/data";
import { before, dayIn, isDay, lastDays, length, type Range } from "../base/dates";
import { t } from "../base/prefs";
import { query, setQuery } from "../base/router";
import { count, day, factor, growth, growthText, money, percent, time, zone } from "../base/shown";
import { Button, Link } from "../ui/button";
import { Empty, Failed, Loading, say } from "../ui/feedback";
import { Card, Figure, Figures, Page } from "../ui/page";
import { copy, saveCsv } from "../ui/save";
import { type Column, Table } from "../ui/table";
import { Tabs } from "../ui/tabs";
import { CampaignChoice } from "./campaign-choice";
import { DailyChart } from "./daily-chart";
import { LostAuctions } from "./lost";
import { metricNames, metrics, type MetricName } from "./metrics";

type Report = Result<"/v1/analytics/advertiser", "get">;
type Row = Report["rows"][number];
const groups = ["date", "campaign", "product", "placement", "country"] as const;
type GroupName = (typeof groups)[number];
const tableRows = 100;

interface Question {
  range: Range;
  group: GroupName;
  campaign: string;
  metric: MetricName;
  compare: boolean;
}

function question(): Question {
  const words = query.value;
  const [from, to] = [words.get("from"), words.get("to")];
  const range = isDay(from) && isDay(to) && from <= to ? { from, to } : lastDays(dayIn(zone(), Date.now()), 30);
  return {
    range,
    group: groups.find((name) => name === words.get("group")) ?? "date",
    campaign: words.get("campaign") ?? "",
    metric: metricNames.find((name) => name === words.get("metric")) ?? "clicks",
    compare: words.get("compare") !== "no",
  };
}

export function ReportsPage() {
  const asked = question();
  const { range, group, campaign } = asked;
  const filter = campaign ? { campaign } : undefined;
  const daily = useData("/v1/analytics/advertiser", { query: { ...range, granularity: "day", filter } });
  const past = useData("/v1/analytics/advertiser",
    { query: { ...before(range), granularity: "day", filter }, off: !asked.compare });
  const grouped = { ...range, group_by: group, filter };
  const rows = useData("/v1/analytics/advertiser", { query: grouped });
  const link = () => void copy(location.href).then(() => say(t("do.copied")));
  return (
    <Page title={t("nav.reports")} actions={<>
      <Button icon="link" onClick={link}>{t("do.link")}</Button>
      <Button icon="down" onClick={() => void saveCsv("report.csv", url("/v1/analytics/advertiser", {}, grouped))}>
        {t("do.csv")}
      </Button>
    </>}>
      <Controls asked={asked} />
      {daily.problem && !daily.data ? <Failed problem={daily.problem} retry={daily.reload} />
        : !daily.data ? <Loading rows={8} /> : <>
          <Totals now={daily.data} past={asked.compare ? past.data : null} />
          <Card>
            <div class="stack">
              <Tabs label={t("overview.metric")} value={asked.metric}
                options={metricNames.map((name) => [name, t(`metric.${name}`)])}
                onChange={(metric) => setQuery({ metric })} />
              <DailyChart report={daily.data} past={asked.compare ? past.data : null}
                metric={asked.metric} range={range} />
              <p class="faint small">{t("report.as_of", { at: time(daily.data.as_of), zone: daily.data.timezone })}</p>
            </div>
          </Card>
          {daily.data.totals.auctions ? <Card><LostAuctions totals={daily.data.totals} /></Card> : null}
        </>}
      <Card flush title={t("report.rows")}>
        {rows.problem && !rows.data ? <Failed problem={rows.problem} retry={rows.reload} />
          : !rows.data ? <Loading rows={6} />
            : rows.data.rows.length === 0 ? <Empty icon="report" title={t("report.none")}><p>{t("report.none.text")}</p></Empty>
              : <Rows report={rows.data} group={group} metric={asked.metric} />}
      </Card>
    </Page>
  );
}

function Controls({ asked }: { asked: Question }) {
  const today = dayIn(zone(), Date.now());
  const set = (name: "from" | "to", value: string) => {
    if (isDay(value)) {
      const range = { ...asked.range, [name]: value };
      setQuery(range.from <= range.to ? { ...range } : { from: value, to: value });
    }
  };
  const known = [7, 30, 90, 365].find((n) => asked.range.to === today && length(asked.range) === n);
  return (
    <div class="toolbar">
      <Tabs label={t("overview.length")} value={String(known ?? "")}
        options={[7, 30, 90, 365].map((n) => [String(n), t("overview.days", { n })])}
        onChange={(n) => setQuery({ ...lastDays(today, Number(n)) })} />
      <input class="plain-select" type="date" aria-label={t("report.from")} value={asked.range.from} max={today}
        onChange={(event) => set("from", event.currentTarget.value)} />
      <input class="plain-select" type="date" aria-label={t("report.to")} value={asked.range.to} max={today}
        onChange={(event) => set("to", event.currentTarget.value)} />
      <CampaignChoice value={asked.campaign} onChange={(id) => setQuery({ campaign: id || null })} />
      <select class="plain-select" aria-label={t("report.group")} value={asked.group}
        onChange={(event) => setQuery({ group: event.currentTarget.value })}>
        {groups.map((name) => <option key={name} value={name}>{t(`group.${name}`)}</option>)}
      </select>
      <label class="check">
        <input type="checkbox" checked={asked.compare}
          onChange={(event) => setQuery({ compare: event.currentTarget.checked ? null : "no" })} />
        {t("report.compare")}
      </label>
    </div>
  );
}

function Totals({ now, past }: { now: Report; past: Report | null }) {
  const show = ["impressions", "clicks", "ctr", "spend", "cpc", "conversions", "roas"] as const;
  return (
    <Figures>
      {show.map((name) => {
        const value = metrics[name].of(now.totals);
        const change = past ? growth(value, metrics[name].of(past.totals)) : null;
        return <Figure key={name} label={t(`metric.${name}`)} value={metrics[name].show(value)}
          change={change} changeText={growthText(change)} neutral={name === "spend" || name === "cpc"} />;
      })}
    </Figures>
  );
}

function named(row: Row, group: GroupName) {
  switch (group) {
    case "date": return row.date ? day(row.date) : "–";
    case "campaign": return row.campaign_id
      ? <Link to={`/campaigns/${row.campaign_id}`} class="strong">{row.campaign_name}</Link> : "–";
    case "product": return row.product_id
      ? <Link to={`/products/${row.product_id}`} class="strong">{row.product_title}</Link> : "–";
    case "placement": return row.placement ?? t("report.unknown");
    case "country": return row.country ?? t("report.unknown");
  }
}

function Rows({ report, group, metric }: { report: Report; group: GroupName; metric: MetricName }) {
  const rows = group === "date" ? [...report.rows].reverse()
    : [...report.rows].sort((a, b) => (metrics[metric].of(b) ?? 0) - (metrics[metric].of(a) ?? 0));
  const columns: Column<Row>[] = [
    { key: "name", label: t(`group.${group}`), show: (row) => named(row, group) },
    { key: "impressions", label: t("metric.impressions"), number: true, show: (row) => count(row.impressions) },
    { key: "clicks", label: t("metric.clicks"), number: true, show: (row) => count(row.clicks) },
    { key: "ctr", label: t("metric.ctr"), number: true, spare: true, show: (row) => percent(row.ctr) },
    { key: "cpc", label: t("metric.cpc"), number: true, spare: true, show: (row) => money(row.cpc_micros) },
    { key: "spend", label: t("metric.spend"), number: true, show: (row) => money(row.spend_micros) },
    { key: "conversions", label: t("metric.conversions"), number: true, spare: true, show: (row) => count(row.conversions) },
    { key: "roas", label: t("metric.roas"), number: true, spare: true, show: (row) => factor(row.roas) },
    { key: "invalid", label: t("metric.invalid_clicks"), number: true, spare: true, show: (row) => count(row.invalid_clicks) },
  ];
  return (
    <>
      <Table label={t("report.rows")} rows={rows.slice(0, tableRows)} columns={columns}
        id={(row) => row.date ?? row.campaign_id ?? row.product_id ?? row.placement ?? row.country ?? "?"} />
      {rows.length > tableRows && <p class="faint small">{t("report.more", { n: tableRows })}</p>}
    </>
  );
}
