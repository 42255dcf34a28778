// Money is announced here and settled by the operator or a payment provider.

import { useMemo } from "preact/hooks";
import { ask, uuid } from "../api/client";
import { changed } from "../api/data";
import { parseMoney } from "../base/format";
import { t } from "../base/prefs";
import { go } from "../base/router";
import { currency, money } from "../base/shown";
import { Button, LinkButton } from "../ui/button";
import { Notice, say } from "../ui/feedback";
import { Field, Form, useForm } from "../ui/form";
import { Card, Page } from "../ui/page";

export function TopupPage() {
  const reference = useMemo(() => `topup-${uuid().slice(0, 8)}`, []);
  const form = useForm(() => ({ amount: "", reference }));
  const once = useMemo(uuid, []);
  const submit = async (values: { amount: string; reference: string }) => {
    const micros = parseMoney(values.amount);
    if (micros === null) {
      form.errors.value = { amount: t("form.amount") };
      return;
    }
    const { data } = await ask("post", "/v1/balance/topup", {
      body: { amount: micros / 1e6, currency: currency(), reference: values.reference.trim() }, once,
    });
    changed("/v1/balance", "/v1/campaigns");
    say(t(data.status === "settled" ? "topup.settled" : "topup.pending", { amount: money(micros) }));
    go("/balance");
  };
  return (
    <Page title={t("palette.topup")} back={{ to: "/balance", label: t("nav.balance") }} lead={t("topup.lead")}>
      <div class="editor">
        <Card>
          <Form form={form} onSubmit={submit} action={t("topup.announce")}
            extra={<LinkButton to="/balance" look="quiet">{t("do.cancel")}</LinkButton>}>
            <Field form={form} name="amount" label={t("balance.amount")} unit={currency()} mode="decimal" required />
            <div class="row">
              {[100, 250, 1000].map((n) => (
                <Button key={n} onClick={() => form.set("amount", String(n))}>{money(n * 1e6)}</Button>
              ))}
            </div>
            <Field form={form} name="reference" label={t("balance.reference")} hint={t("topup.reference.hint")} required />
          </Form>
        </Card>
        <aside><Notice>{t("topup.how")}</Notice></aside>
      </div>
    </Page>
  );
}
