// Revenue by day, placement, country or reason; the question is in the address.

import { url, type Result } from "../api/client";
import { useData } from "../api/data";
import { dayIn, isDay, lastDays, length } from "../base/dates";
import { named, t } from "../base/prefs";
import { query, setQuery } from "../base/router";
import { count, day, money, percent, zone } from "../base/shown";
import { Button } from "../ui/button";
import { Empty, Failed, Loading, say } from "../ui/feedback";
import { Card, Page } from "../ui/page";
import { copy, saveCsv } from "../ui/save";
import { Table } from "../ui/table";
import { Tabs } from "../ui/tabs";

type Row = Result<"/v1/analytics/publisher", "get">["rows"][number];
const groups = ["date", "placement", "country", "reason"] as const;
type Group = (typeof groups)[number];

function name(row: Row, group: Group): string {
  switch (group) {
    case "date": return row.date ? day(row.date) : "–";
    case "reason": return row.reason ? named("reason", row.reason) : t("funnel.served");
    default: return row[group] ?? t("report.unknown");
  }
}

export function PublisherReports() {
  const today = dayIn(zone(), Date.now());
  const [from, to] = [query.value.get("from"), query.value.get("to")];
  const range = isDay(from) && isDay(to) && from <= to ? { from, to } : lastDays(today, 30);
  const group = groups.find((g) => g === query.value.get("group")) ?? "placement";
  const asked = { ...range, group_by: group };
  const { data, problem, reload } = useData("/v1/analytics/publisher", { query: asked });
  const known = [7, 30, 90, 365].find((n) => range.to === today && length(range) === n);
  return (
    <Page title={t("nav.reports")} actions={<>
      <Button icon="link" onClick={() => void copy(location.href).then(() => say(t("do.copied")))}>{t("do.link")}</Button>
      <Button icon="down" onClick={() => void saveCsv("revenue.csv", url("/v1/analytics/publisher", {}, asked))}>
        {t("do.csv")}
      </Button>
    </>}>
      <div class="toolbar">
        <Tabs label={t("overview.length")} value={String(known ?? "")}
          options={[7, 30, 90, 365].map((n) => [String(n), t("overview.days", { n })])}
          onChange={(n) => setQuery({ ...lastDays(today, Number(n)) })} />
        <Tabs label={t("report.group")} value={group} options={groups.map((g) => [g, t(`group.${g}`)])}
          onChange={(word) => setQuery({ group: word })} />
      </div>
      <Card flush>
        {problem && !data ? <Failed problem={problem} retry={reload} /> : !data ? <Loading rows={6} />
          : data.rows.length === 0 ? <Empty icon="report" title={t("report.none")}><p>{t("report.none.text")}</p></Empty> : (
            <Table label={t("report.rows")} rows={data.rows}
              id={(row) => row.date ?? row.placement ?? row.country ?? row.reason ?? "?"} columns={[
                { key: "name", label: t(`group.${group}`), show: (row) => name(row, group) },
                { key: "requests", label: t("metric.requests"), number: true, show: (row) => count(row.requests) },
                { key: "fill", label: t("metric.fill_rate"), number: true, spare: true, show: (row) => percent(row.fill_rate) },
                { key: "no_ad", label: t("metric.no_ad"), number: true, spare: true, show: (row) => count(row.no_ad) },
                { key: "impressions", label: t("metric.impressions"), number: true, spare: true, show: (row) => count(row.impressions) },
                { key: "clicks", label: t("metric.clicks"), number: true, show: (row) => count(row.clicks) },
                { key: "ctr", label: t("metric.ctr"), number: true, spare: true, show: (row) => percent(row.ctr) },
                { key: "ecpm", label: t("metric.ecpm"), number: true, spare: true, show: (row) => money(row.ecpm_micros) },
                { key: "revenue", label: t("metric.revenue"), number: true, show: (row) => money(row.revenue_micros) },
              ]} />
          )}
      </Card>
    </Page>
  );
}
