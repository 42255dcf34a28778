// Tenants: those that are known from top-ups and reviews, or any by its id.
// The operator can act for one, and sees what it sees.

import { ask } from "../api/client";
import { actFor } from "../api/acting";
import { useData } from "../api/data";
import { t } from "../base/prefs";
import { Button } from "../ui/button";
import { Empty, Loading, say } from "../ui/feedback";
import { attempt, Field, Form, useForm } from "../ui/form";
import { Card, Page } from "../ui/page";
import { Table } from "../ui/table";

async function approve(id: string): Promise<void> {
  await attempt(async () => {
    await ask("post", "/v1/platform/accounts/{id}/approve", { path: { id }, body: {} });
    say(t("accounts.approved"));
  }, say);
}

export function AccountsPage() {
  const topups = useData("/v1/platform/topups", { query: { limit: 500 } }).data;
  const reviews = useData("/v1/platform/reviews", { query: { limit: 500 } }).data;
  const known = new Map<string, string>();
  topups?.data.forEach((one) => known.set(one.account_id, one.account_name));
  reviews?.data.forEach((one) => known.set(one.account_id, one.account));
  const rows = [...known].map(([id, name]) => ({ id, name }));
  const form = useForm(() => ({ id: "" }));
  return (
    <Page title={t("nav.accounts")} lead={t("accounts.lead")}>
      <Card title={t("accounts.by_id")}>
        <Form form={form} onSubmit={({ id }) => actFor(id.trim())} action={t("accounts.act")}
          extra={<Button onClick={() => void approve(form.values.value.id.trim())}>{t("accounts.approve")}</Button>}>
          <Field form={form} name="id" label={t("accounts.id")} hint={t("accounts.id.hint")} />
        </Form>
      </Card>
      <Card title={t("accounts.known")} flush>
        {!topups || !reviews ? <Loading /> : rows.length === 0 ? <Empty icon="person" title={t("state.none")} /> : (
          <Table label={t("nav.accounts")} rows={rows} id={(row) => row.id} columns={[
            { key: "name", label: t("account.name"), show: (row) => <span class="strong">{row.name}</span> },
            { key: "id", label: "ID", spare: true, show: (row) => <code class="faint">{row.id}</code> },
            {
              key: "do", label: "", number: true,
              show: (row) => <Button look="quiet" onClick={() => void attempt(() => actFor(row.id), say)}>{t("accounts.act")}</Button>,
            },
          ]} />
        )}
      </Card>
    </Page>
  );
}
