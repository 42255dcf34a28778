// Top-ups that advertisers announced: settled once the money is there.

import { useSignal } from "@preact/signals";
import { ask, type Result, uuid } from "../api/client";
import { changed, useData } from "../api/data";
import { t } from "../base/prefs";
import { query, setQuery } from "../base/router";
import { money, time } from "../base/shown";
import { Button } from "../ui/button";
import { confirmed, Dialog } from "../ui/dialog";
import { Badge, Empty, Failed, Loading, say } from "../ui/feedback";
import { attempt, Field, Form, useForm } from "../ui/form";
import { Card, Page } from "../ui/page";
import { saveCsv } from "../ui/save";
import { Table } from "../ui/table";
import { Tabs } from "../ui/tabs";

type Topup = Result<"/v1/platform/topups", "get">["data"][number];
const statuses = ["pending", "settled", "rejected"] as const;

async function settle(topup: Topup): Promise<void> {
  const amount = money(topup.amount_micros);
  if (await confirmed(t("settle.title", { amount }), t("settle.text", { name: topup.account_name, reference: topup.reference }),
    t("settle.do"))) {
    await attempt(async () => {
      await ask("post", "/v1/platform/topups/{id}/settle", { path: { id: topup.id }, once: uuid() });
      changed("/v1/platform/topups");
      say(t("settle.done", { amount }));
    }, say);
  }
}

export function TopupsPage() {
  const status = statuses.find((s) => s === query.value.get("status")) ?? "pending";
  const { data, problem, reload } = useData("/v1/platform/topups", { query: { status, limit: 100 } });
  const rejecting = useSignal<Topup | null>(null);
  return (
    <Page title={t("nav.topups")} actions={
      <Button icon="down" onClick={() => void saveCsv("topups.csv", "/v1/platform/topups?limit=500")}>{t("do.csv")}</Button>
    }>
      <div class="toolbar">
        <Tabs label={t("campaign.status")} value={status} options={statuses.map((s) => [s, t(`topup_status.${s}`)])}
          onChange={(s) => setQuery({ status: s })} />
      </div>
      <Card flush>
        {problem && !data ? <Failed problem={problem} retry={reload} /> : !data ? <Loading rows={5} />
          : data.data.length === 0 ? <Empty icon="check" title={t("settle.none")} /> : (
            <Table label={t("nav.topups")} rows={data.data} id={(row) => row.id} columns={[
              { key: "at", label: t("balance.at"), spare: true, show: (row) => time(row.created_at) },
              { key: "who", label: t("type.advertiser"), show: (row) => <span class="strong">{row.account_name}</span> },
              { key: "reference", label: t("balance.reference"), show: (row) => <code>{row.reference}</code> },
              { key: "status", label: t("campaign.status"), spare: true, show: (row) => <Badge group="topup_status" word={row.status} /> },
              { key: "amount", label: t("balance.amount"), number: true, show: (row) => money(row.amount_micros) },
              {
                key: "do", label: "", number: true, show: (row) => row.status === "pending" ? <span class="row">
                  <Button look="main" onClick={() => void settle(row)}>{t("settle.do")}</Button>
                  <Button look="quiet" onClick={() => { rejecting.value = row; }}>{t("review.reject")}</Button>
                </span> : null,
              },
            ]} />
          )}
      </Card>
      {rejecting.value && <Reject topup={rejecting.value} onClose={() => { rejecting.value = null; }} />}
    </Page>
  );
}

function Reject({ topup, onClose }: { topup: Topup; onClose: () => void }) {
  const form = useForm(() => ({ reason: "" }));
  const submit = async (values: { reason: string }) => {
    await ask("post", "/v1/platform/topups/{id}/reject", { path: { id: topup.id }, body: values, once: uuid() });
    changed("/v1/platform/topups");
    onClose();
  };
  return (
    <Dialog title={t("settle.reject")} onClose={onClose}>
      <Form form={form} onSubmit={submit} action={t("review.reject")}>
        <p>{topup.account_name}: {money(topup.amount_micros)}</p>
        <Field form={form} name="reason" label={t("group.reason")} rows={2} />
      </Form>
    </Dialog>
  );
}
