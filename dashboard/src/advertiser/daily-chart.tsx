// A report by day as a chart; days without any event count as nothing.

import type { Result } from "../api/client";
import { addDays, before, days, length, type Range } from "../base/dates";
import { t } from "../base/prefs";
import { day } from "../base/shown";
import { Chart } from "../ui/chart";
import { metrics, type MetricName } from "./metrics";

type Report = Result<"/v1/analytics/advertiser", "get">;

interface DailyProps {
  report: Report;
  past: Report | null;
  metric: MetricName;
  range: Range;
}

function byDay(report: Report | null, metric: MetricName): Map<string, number> {
  return new Map(report?.rows.map((row) => [row.date ?? "", metrics[metric].of(row) ?? 0]));
}

export function DailyChart({ report, past, metric, range }: DailyProps) {
  const now = byDay(report, metric);
  const earlier = byDay(past, metric);
  const shift = length(range);
  const points = days(range).map((date) => ({
    label: day(date, "short"),
    value: now.get(date) ?? 0,
    before: past ? earlier.get(addDays(date, -shift)) ?? 0 : null,
  }));
  const { show, short } = metrics[metric];
  const old = before(range);
  return (
    <Chart label={t("chart.label", { metric: t(`metric.${metric}`), from: day(range.from), to: day(range.to) })}
      points={points} format={show} short={short}
      beforeLabel={t("chart.before", { day: day(old.from, "short") })} />
  );
}
