// Why auctions were lost, as bars: what to change first.

import { counted, named, t } from "../base/prefs";
import { count, percent } from "../base/shown";
import type { Figures } from "./metrics";

export function LostAuctions({ totals }: { totals: Figures }) {
  if (!totals.auctions) {
    return null;
  }
  const rows = Object.entries(totals.lost_reason ?? {})
    .filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
  const most = Math.max(totals.wins ?? 0, ...rows.map(([, n]) => n));
  const bar = (name: string, n: number, lost: boolean) => (
    <li key={name}>
      <span class="clip">{lost ? named("reason", name) : t("lost.won")}</span>
      <span class={lost ? "bar-of lost" : "bar-of"} style={{ width: `${(n / most) * 100}%` }} />
      <span class="value">{count(n)} <span class="faint small">{percent(n / (totals.auctions ?? 1))}</span></span>
    </li>
  );
  return (
    <div>
      <h2>{t("lost.title")} <span class="faint">{counted("lost.auctions", totals.auctions)}</span></h2>
      <ul class="funnel">
        {bar("won", totals.wins ?? 0, false)}
        {rows.map(([name, n]) => bar(name, n, true))}
      </ul>
    </div>
  );
}
