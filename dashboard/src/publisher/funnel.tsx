// From requests to clicks, and what the requests without an ad were lost to.

import { useData } from "../api/data";
import { type Range } from "../base/dates";
import { named, t } from "../base/prefs";
import { count, percent } from "../base/shown";
import { Failed, Loading } from "../ui/feedback";
import { Card } from "../ui/page";

interface Bar {
  key: string;
  label: string;
  n: number;
  lost: boolean;
}

export function Funnel({ range }: { range: Range }) {
  const { data, problem, reload } = useData("/v1/analytics/publisher",
    { query: { ...range, group_by: "reason" } });
  if (!data) {
    return problem ? <Failed problem={problem} retry={reload} /> : <Loading />;
  }
  const { requests, show, clicks } = data.totals;
  const way: Bar[] = [
    { key: "requests", label: t("metric.requests"), n: requests, lost: false },
    { key: "show", label: t("metric.show"), n: show, lost: false },
    { key: "clicks", label: t("metric.clicks"), n: clicks, lost: false },
  ];
  const lost: Bar[] = data.rows.filter((row) => row.reason && row.no_ad > 0)
    .sort((a, b) => b.no_ad - a.no_ad)
    .map((row) => ({ key: row.reason!, label: named("reason", row.reason), n: row.no_ad, lost: true }));
  return (
    <div class="columns">
      <Card title={t("funnel.title")}><Bars bars={way} of={requests} /></Card>
      <Card title={t("funnel.lost")}>
        {lost.length ? <Bars bars={lost} of={requests} /> : <p class="soft">{t("funnel.none")}</p>}
      </Card>
    </div>
  );
}

function Bars({ bars, of }: { bars: Bar[]; of: number }) {
  const most = Math.max(1, ...bars.map((bar) => bar.n));
  return (
    <ul class="funnel">
      {bars.map((bar) => (
        <li key={bar.key}>
          <span>{bar.label}</span>
          <span class={bar.lost ? "bar-of lost" : "bar-of"} style={{ width: `${(bar.n / most) * 100}%` }} />
          <span class="value">{count(bar.n)} <span class="faint small">{of ? percent(bar.n / of) : ""}</span></span>
        </li>
      ))}
    </ul>
  );
}
