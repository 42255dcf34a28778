// Money: the balance, top-ups and their state, every movement, statements.

import { useSignal } from "@preact/signals";
import { url } from "../api/client";
import { useData } from "../api/data";
import { addDays, dayIn } from "../base/dates";
import { language, named, t } from "../base/prefs";
import { money, time, zone } from "../base/shown";
import { Button, LinkButton } from "../ui/button";
import { Empty, Failed, Loading, Notice } from "../ui/feedback";
import { Card, Figure, Figures, Page } from "../ui/page";
import { saveCsv } from "../ui/save";
import { Table } from "../ui/table";
import { Tabs } from "../ui/tabs";

const kinds = ["topup", "spend", "reversal"] as const;

export function BalancePage() {
  const { data, problem, reload } = useData("/v1/balance", { every: 15_000 });
  return (
    <Page title={t("nav.balance")}
      actions={<LinkButton to="/balance/topup" look="main" icon="plus">{t("palette.topup")}</LinkButton>}>
      {!data ? (problem ? <Failed problem={problem} retry={reload} /> : <Loading />) : <>
        {data.pending_micros > 0 && (
          <Notice>{t("balance.pending.text", { amount: money(data.pending_micros, data.currency) })}</Notice>
        )}
        <Figures>
          <Figure label={t("balance.available")} value={money(data.available_micros, data.currency)} />
          <Figure label={t("balance.pending")} value={money(data.pending_micros, data.currency)} />
          <Figure label={t("overview.spent_today")} value={money(data.spent_today_micros, data.currency)} note={data.timezone} />
          <Figure label={t("overview.spent_total")} value={money(data.spent_total_micros, data.currency)} />
        </Figures>
      </>}
      <Movements />
      <StatementCard />
    </Page>
  );
}

function Movements() {
  const kind = useSignal("");
  const limit = useSignal(25);
  const chosen = kinds.find((k) => k === kind.value);
  const { data, problem, reload } = useData("/v1/balance/transactions",
    { query: { kind: chosen, limit: limit.value }, every: 15_000 });
  return (
    <Card title={t("balance.movements")} flush actions={<>
      <Tabs label={t("balance.kind")} value={kind.value}
        options={[["", t("campaign.all")], ...kinds.map((k): [string, string] => [k, t(`kind.${k}`)])]}
        onChange={(word) => { kind.value = word; }} />
      <Button icon="down" onClick={() => void saveCsv("movements.csv",
        url("/v1/balance/transactions", {}, { kind: chosen, limit: 500 }))}>{t("do.csv")}</Button>
    </>}>
      {problem && !data ? <Failed problem={problem} retry={reload} /> : !data ? <Loading />
        : data.data.length === 0 ? <Empty icon="money" title={t("balance.none")}><p>{t("balance.none.text")}</p></Empty> : (
          <Table label={t("balance.movements")} rows={data.data} id={(row) => `${row.id} ${row.kind}`} columns={[
            { key: "at", label: t("balance.at"), show: (row) => time(row.at) },
            { key: "kind", label: t("balance.kind"), show: (row) => named("kind", row.kind) },
            { key: "reference", label: t("balance.reference"), spare: true, show: (row) => row.reference ?? row.reason ?? "–" },
            { key: "amount", label: t("balance.amount"), number: true, show: (row) => money(row.amount_micros) },
            { key: "after", label: t("balance.after"), number: true, spare: true, show: (row) => money(row.balance_after_micros) },
          ]} />
        )}
      {data?.has_more && limit.value < 500
        && <p><Button onClick={() => { limit.value = 500; }}>{t("do.more")}</Button></p>}
    </Card>
  );
}

/** The twelve months to this one, newest first: "2026-11". */
function months(): string[] {
  const out: string[] = [];
  let at = `${dayIn(zone(), Date.now()).slice(0, 7)}-01`;
  for (let n = 0; n < 12; n++) {
    out.push(at.slice(0, 7));
    at = `${addDays(at, -1).slice(0, 7)}-01`;
  }
  return out;
}

function StatementCard() {
  const all = months();
  const month = useSignal(all[0]);
  const { data, problem, reload } = useData("/v1/balance/statement", { query: { month: month.value } });
  const name = (of: string) => new Intl.DateTimeFormat(language.value,
    { month: "long", year: "numeric", timeZone: "UTC" }).format(new Date(`${of}-01`));
  return (
    <Card title={t("statement.title")} flush actions={<>
      <select class="plain-select" aria-label={t("statement.month")} value={month.value}
        onChange={(event) => { month.value = event.currentTarget.value; }}>
        {all.map((one) => <option key={one} value={one}>{name(one)}</option>)}
      </select>
      <Button icon="down" onClick={() => void saveCsv(`statement-${month.value}.csv`,
        `/v1/balance/statement?month=${month.value}`)}>{t("do.csv")}</Button>
      <Button onClick={() => print()}>{t("statement.print")}</Button>
    </>}>
      {problem && !data ? <Failed problem={problem} retry={reload} /> : !data ? <Loading /> : (
        <Table label={t("statement.title")} id={(row) => row.key} rows={[
          { key: "opening", text: t("statement.opening"), n: null, micros: data.opening_micros ?? Math.round(data.opening * 1e6) },
          ...data.movements.map((m, n) => ({
            key: String(n), n: m.transactions, micros: m.amount_micros,
            text: `${named("kind", m.kind)}${m.campaign_name ? ` · ${m.campaign_name}` : ""}`,
          })),
          { key: "closing", text: t("statement.closing"), n: null, micros: data.closing_micros ?? Math.round(data.closing * 1e6) },
        ]} columns={[
          { key: "text", label: t("statement.line"), show: (row) => row.n === null ? <strong>{row.text}</strong> : row.text },
          { key: "n", label: t("statement.count"), number: true, spare: true, show: (row) => row.n ?? "" },
          { key: "amount", label: t("balance.amount"), number: true, show: (row) => row.n === null ? <strong>{money(row.micros, data.currency)}</strong> : money(row.micros, data.currency) },
        ]} />
      )}
    </Card>
  );
}
