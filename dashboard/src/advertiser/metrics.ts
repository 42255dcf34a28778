// The figures of a report that are drawn: where they are, how they are written.

import type { components } from "../api/schema";
import { compact, count, factor, money, percent } from "../base/shown";

export type Figures = components["schemas"]["AdvertiserFigures"];
export const metricNames = ["impressions", "clicks", "ctr", "spend", "cpc", "conversions", "roas"] as const;
export type MetricName = (typeof metricNames)[number];

interface Metric {
  of: (row: Figures) => number | null;
  show: (value: number | null) => string;
  short: (value: number) => string;
}

const shortMoney = (micros: number) => compact(micros / 1e6);

export const metrics: Record<MetricName, Metric> = {
  impressions: { of: (r) => r.impressions, show: count, short: compact },
  clicks: { of: (r) => r.clicks, show: count, short: compact },
  ctr: { of: (r) => r.ctr, show: percent, short: percent },
  spend: { of: (r) => r.spend_micros, show: (v) => money(v), short: shortMoney },
  cpc: { of: (r) => r.cpc_micros, show: (v) => money(v), short: shortMoney },
  conversions: { of: (r) => r.conversions, show: count, short: compact },
  roas: { of: (r) => r.roas, show: factor, short: compact },
};
